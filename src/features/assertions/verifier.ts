import { ASSERTION_ALGORITHMS, type FeatureHost, type Form, type FormCall } from '../../core/feature/index.js';
import { checkClaims, type Checked, type ClaimRules } from './claim-checks.js';
import type { Issuers } from './issuers.js';
import { type Issuer, type PublicKey, typeName } from './options.js';
import { ofIssuer, Refusal, unproven } from './refusal.js';
import { isSignedBy, keyFor, readStatement, type Statement } from './statement.js';

/** An assertion in a request, and who presents it. */
interface Presented {
  readonly text: string;
  /** The client, if it has authenticated itself. */
  readonly client_id: string | undefined;
}

/** A statement that its issuer has signed. Its claims are not checked. */
export interface Proven {
  readonly statement: Statement;
  readonly issuer: Issuer;
}

/** What a statement is presented as. */
type Use = 'grant' | 'authentication';

/** A statement with the issuer and the key that it claims, or why it has none. */
interface Claimed {
  readonly statement?: Statement;
  readonly issuer?: Issuer | undefined;
  readonly key?: PublicKey;
  readonly problem: Refusal['reason'];
}

/** Verifies assertions: first who signed them, then their claims. */
export class AssertionVerifier {
  readonly #host: FeatureHost;
  readonly #issuers: Issuers;
  readonly #names: readonly string[];
  readonly #tolerance: number;
  readonly #own: string;
  readonly #proven = new WeakMap<Form, Proven>();

  constructor(own: string, tolerance: number, issuers: Issuers, host: FeatureHost) {
    this.#host = host;
    this.#issuers = issuers;
    this.#tolerance = tolerance;
    this.#own = own;
    // Programs write the URL of a host with a slash, as parsers of URLs do.
    const isHost = new URL(own).pathname === '/';
    this.#names = isHost ? [own, own.endsWith('/') ? own.slice(0, -1) : `${own}/`] : [own];
  }

  /**
   * Verifies who has signed an assertion: once for each request, whoever asks.
   *
   * @throws Refusal, also if the keys of the issuer are not available; OAuthError after too many that nobody signed.
   */
  async prove({ text, client_id }: Presented, { request, form }: FormCall): Promise<Proven> {
    const known = this.#proven.get(form);
    if (known?.statement.text === text) return known;
    const { statement, issuer, key, problem } = await this.#claimed(text);
    const isProven = await this.#host.attempt(client_id, request, async () =>
      statement !== undefined && key !== undefined && (await isSignedBy(key, statement)) ? true : undefined,
    );
    if (isProven !== true || statement === undefined || issuer === undefined)
      throw unproven(problem).by(issuer?.issuer);
    const proven = { statement, issuer };
    this.#proven.set(form, proven);
    return proven;
  }

  /** @throws Refusal */
  check({ statement, issuer }: Proven, use: Use): Checked {
    try {
      return checkClaims(statement, issuer, this.#rules(use));
    } catch (error) {
      throw error instanceof Refusal ? error.by(issuer.issuer) : error;
    }
  }

  /** The trusted issuer of a statement: if there are two of one name, the type of the statement says which. */
  async #issuerOf({ iss, typ }: Statement): Promise<Issuer | undefined> {
    const named = await this.#issuers.named(iss);
    const isGrant = typeof typ === 'string' && typeName(typ) === 'oauth-id-jag+jwt';
    return named.find(({ kind }) => (kind === 'id-jag') === isGrant) ?? named[0];
  }

  async #claimed(text: string): Promise<Claimed> {
    const statement = readStatement(text);
    if (statement === undefined) return { problem: 'malformed' };
    const issuer = await this.#issuerOf(statement);
    if (issuer === undefined) return { statement, problem: 'issuer' };
    const algorithms: readonly string[] = issuer.algorithms ?? ASSERTION_ALGORITHMS;
    const { signing } = this.#host.rules;
    const limits: readonly string[] = signing?.value ?? algorithms;
    if (!algorithms.includes(statement.alg) || !limits.includes(statement.alg))
      return { statement, issuer, problem: 'algorithm' };
    const keys = await ofIssuer(issuer.issuer, () =>
      this.#issuers.keysOf(issuer, (known) => keyFor(statement, known) === undefined),
    );
    const key = keyFor(statement, keys);
    return key === undefined ? { statement, issuer, problem: 'key' } : { statement, issuer, key, problem: 'signature' };
  }

  #rules(use: Use): ClaimRules {
    const { clock, tokenEndpoints, rules } = this.#host;
    const common = { tolerance: this.#tolerance, now: clock() / 1000 };
    // A client that authenticates itself names the issuer, in its own spelling (draft-ietf-oauth-rfc7523bis §4).
    return use === 'authentication'
      ? { ...common, issuers: [this.#own], endpoints: [], isAudienceText: rules.audienceIsText !== undefined }
      : { ...common, issuers: this.#names, endpoints: tokenEndpoints, isAudienceText: false };
  }
}
