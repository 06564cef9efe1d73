import { type FormCall, OAuthError } from '../../core/feature/index.js';
import type { Checked } from './claim-checks.js';
import type { Issuers } from './issuers.js';
import { ofIssuer, Refusal, refusalIn, tellRefusal } from './refusal.js';
import { assertionIn, JWT_BEARER, readStatement } from './statement.js';
import type { Subjects } from './subject.js';
import type { Uses } from './uses.js';
import type { AssertionVerifier, Proven } from './verifier.js';

/** RFC 7523 §2.2 */
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** draft-ietf-oauth-spiffe-client-auth §4.1 */
const SPIFFE_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-spiffe';

/** What authenticates clients. */
interface StatementServices {
  readonly issuers: Issuers;
  readonly verifier: AssertionVerifier;
  readonly subjects: Subjects;
  readonly uses: Uses;
}

/** The sentence of every wrong credential, so that strangers do not learn which issuers are trusted. */
const failed = (): OAuthError => new OAuthError('invalid_client', 'Client authentication failed.');

/** Authenticates clients by what a trusted issuer says about them: as a grant, or in place of their own credentials. */
export class ClientStatements {
  readonly #given: StatementServices;
  /** The client of a request, which a function of the application is asked for once. */
  readonly #clients = new WeakMap<FormCall['form'], string>();

  constructor(given: StatementServices) {
    this.#given = given;
  }

  /** The client that a request proves; `undefined` if there is no assertion for that. @throws OAuthError */
  async authenticate(call: FormCall): Promise<string | undefined> {
    const { form } = call;
    const text = form.get('client_assertion');
    if (text !== undefined) return this.#authenticated(text, call);
    return form.get('grant_type') === JWT_BEARER ? this.#presented(call) : undefined;
  }

  /** The `client_id` of an assertion. @throws Refusal */
  async clientOf(checked: Checked, { form }: FormCall): Promise<string> {
    const known = this.#clients.get(form);
    if (known !== undefined) return known;
    const client_id = await this.#given.subjects.clientOf(checked);
    const { issuer } = checked.issuer;
    if (client_id === issuer)
      throw new Refusal('client', 'The issuer of the assertion is itself a client, so it cannot vouch for others.').by(
        issuer,
      );
    this.#clients.set(form, client_id);
    return client_id;
  }

  /** By the grant alone: without credentials, every assertion is verified first, so that all that are wrong look the same. */
  async #presented(call: FormCall): Promise<string | undefined> {
    const { verifier } = this.#given;
    const text = assertionIn(call);
    try {
      const proven = await verifier.prove({ text, client_id: undefined }, call);
      const { issuer, clients } = proven.issuer;
      if (clients === undefined) return undefined;
      return await ofIssuer(issuer, async () => this.clientOf(verifier.check(proven, 'grant'), call));
    } catch (error) {
      const refusal = refusalIn(error);
      throw refusal === undefined ? error : tellRefusal(refusal, call).error;
    }
  }

  /** In place of the credentials of the client (RFC 7523 §2.2). What a client has signed itself (`iss` is `sub`) is verified by the server. */
  async #authenticated(text: string, call: FormCall): Promise<string | undefined> {
    const { issuers, verifier } = this.#given;
    const type = call.form.get('client_assertion_type');
    if (type === SPIFFE_TYPE)
      throw new OAuthError('invalid_client', `SPIFFE is not supported. Send client_assertion_type=${ASSERTION_TYPE}.`);
    const statement = readStatement(text);
    if (type !== ASSERTION_TYPE || statement === undefined) return undefined;
    if (statement.iss === statement.claims['sub']) {
      // It would be a client and an issuer at the same time.
      if (issuers.isListed(statement.iss)) throw failed();
      return undefined;
    }
    try {
      const proven = await verifier.prove({ text, client_id: undefined }, call);
      return await ofIssuer(proven.issuer.issuer, () => this.#vouchedFor(proven, call));
    } catch (error) {
      const refusal = refusalIn(error);
      if (refusal === undefined) throw error;
      tellRefusal(refusal, call);
      if (refusal.reason === 'unavailable') throw refusal.error;
      throw UNPROVEN.has(refusal.reason) ? failed() : new OAuthError('invalid_client', refusal.message);
    }
  }

  async #vouchedFor(proven: Proven, call: FormCall): Promise<string> {
    const { verifier, uses } = this.#given;
    const { clients, kind } = proven.issuer;
    if (clients === undefined)
      throw new Refusal('client', `An assertion of the kind ${kind} is about a person, and authenticates no client.`);
    const checked = verifier.check(proven, 'authentication');
    if (checked.jkt !== undefined)
      throw new Refusal('binding', 'An assertion with cnf authenticates no client. Present it as a grant.');
    const client_id = await this.clientOf(checked, call);
    const refusal = await uses.refusal(checked, { client_id, sub: `client:${client_id}` });
    if (refusal !== undefined) throw refusal;
    return client_id;
  }
}

/** What is found before a signature is known to be right. */
const UNPROVEN: ReadonlySet<Refusal['reason']> = new Set(['malformed', 'issuer', 'algorithm', 'key', 'signature']);
