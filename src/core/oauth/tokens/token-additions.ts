import type { MaybePromise } from '../../base/ports.js';
import { isRecord } from '../../base/schema.js';
import type { Claims, ClaimsContext } from '../../feature/claims.js';
import type { AskedTokens, TokensPart } from '../../feature/parts.js';
import type { TokenRecord } from '../records/stored-records.js';
import type { Grant } from './grant.js';
import type { MintedToken } from './token-response.js';

/** Bytes of all claims of a token as JSON: a token travels in a header. */
const MAX_BYTES = 4096;

/** Claims of the application or of a feature. */
export interface ClaimsSource {
  /** In errors: `options.claims`, or the feature. */
  readonly from: string;
  readonly names: ReadonlySet<string>;
  readonly of: (context: ClaimsContext) => unknown;
}

/** What the application and the features add to tokens. They start after the server, so they are set once it has started. */
export class TokenAdditions {
  #claims: readonly ClaimsSource[] = [];
  #fields: readonly NonNullable<TokensPart['fields']>[] = [];

  use(claims: readonly ClaimsSource[], fields: readonly NonNullable<TokensPart['fields']>[]): void {
    this.#claims = claims;
    this.#fields = fields;
  }

  /** Whether tokens have claims. */
  get hasClaims(): boolean {
    return this.#claims.length > 0;
  }

  /** Whether nothing is added to any token. */
  get isEmpty(): boolean {
    return this.#claims.length === 0 && this.#fields.length === 0;
  }

  /** @throws TypeError for claims that are none; and what the function of the application throws. */
  async claimsOf(context: ClaimsContext): Promise<Claims> {
    const all = await Promise.all(this.#claims.map(async (source) => checked(await source.of(context), source)));
    const claims: Claims = Object.assign({}, ...all);
    if (Buffer.byteLength(JSON.stringify(claims)) > MAX_BYTES)
      throw new TypeError(
        `The claims of a token have more than ${MAX_BYTES} bytes: ${Object.keys(claims).join(', ')}.`,
      );
    return claims;
  }

  /** Claims are found out before the token is made, because a signed one contains them, and fields afterwards. */
  async addedTo(
    make: (claims: Claims) => MaybePromise<MintedToken>,
    asked: AskedTokens & { readonly grant?: Grant | undefined },
  ): Promise<MintedToken> {
    const claims = this.hasClaims ? await this.claimsOf(claimsContextOf(asked)) : {};
    return this.withFields(await make(claims), asked, claims);
  }

  /** A token with the further fields of its response. */
  async withFields({ id, record, response }: MintedToken, asked: AskedTokens, claims: Claims): Promise<MintedToken> {
    const token = { access_token: response.access_token, iat: record.iat, claims };
    const all = await Promise.all(this.#fields.map(async (fields) => fields(asked, token)));
    return { id, record, response: Object.assign({}, ...all, response) };
  }
}

export const withClaims = (record: TokenRecord, claims: Claims | undefined): TokenRecord =>
  claims === undefined || Object.keys(claims).length === 0 ? record : { ...record, claims };

/** A refreshed token is for the same as the token of the code. */
const claimsContextOf = ({
  client: { client_id },
  grant,
  grant_type,
  scope,
  aud: resources,
}: AskedTokens & { readonly grant?: Grant | undefined }): ClaimsContext => {
  if (grant === undefined) return { client_id, grant_type, scope, resources };
  const { sub, username } = grant;
  const owner = username === null ? { sub } : { sub, username };
  return { client_id, grant_type: grant.grant_type ?? grant_type, scope, resources, owner };
};

const isJson = (given: unknown): boolean =>
  given === null ||
  typeof given === 'string' ||
  typeof given === 'boolean' ||
  Number.isFinite(given) ||
  (Array.isArray(given)
    ? given.every(isJson)
    : isRecord(given) &&
      Object.getPrototypeOf(given) === Object.prototype &&
      Object.values(given).every((one) => one === undefined || isJson(one)));

/** The claims that are there: JSON, and no others than those that were named at the start. */
const checked = (given: unknown, { from, names }: ClaimsSource): Claims => {
  if (!isRecord(given)) throw new TypeError(`${from} must return an object of claims; {} if a token has none.`);
  const present = Object.entries(given).filter(([, one]) => one !== undefined);
  for (const [name, one] of present) {
    if (!names.has(name)) throw new TypeError(`${from} returned ${JSON.stringify(name)}, which is not in its names.`);
    if (!isJson(one)) throw new TypeError(`${from}: ${name} must be a value that JSON has.`);
  }
  return Object.fromEntries(present);
};
