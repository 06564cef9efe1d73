import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  clientOf,
  fieldsOf,
  keyOf,
  type MinimumAnswer,
  now,
  type Protocol,
  randomText,
  refused,
} from './minimum-protocol.js';
import { LIFETIMES, OWNER, PATHS, REDIRECT_URI, SCOPE, WEB } from './setting.js';

/**
 * The minimum with the records of the package, as straight code: a store of asynchronous commands, in which a grant and what depends on it are
 * records of their own; a connection of owner and client, which all their grants depend on; one chain for each grant, replaced by
 * compare-and-swap, so that any number of processes redeem a code once; successors of refresh tokens that are derived, so that a
 * lost response can be repeated; a mark after a response was sent; an approval that is remembered and read again before a code is given without a question.
 * It has no checks of what the store returns, no limits, no pages, no options, and nothing removes what has expired. Not for production.
 */
interface Connection {
  readonly rev: string;
  readonly generation: string;
  readonly client_id: string;
  readonly scope: string;
  readonly exp: number;
}

interface Grant {
  readonly connection: string;
  readonly client_id: string;
  readonly sub: string;
  readonly scope: string;
  readonly iat: number;
  readonly exp: number;
}

interface Chain {
  readonly rev: string;
  readonly exp: number;
  /** The code: hash, expiry, challenge, redirect URI. */
  readonly code: string;
  readonly taken: string | null;
  /** The refresh token that can be used: hash, expiry. */
  readonly current: string | null;
  /** The one before it: hash, time, salt. */
  readonly last: string | null;
  readonly done: string | null;
}

interface Token {
  readonly client_id: string;
  readonly scope: string;
  readonly iat: number;
  readonly exp: number;
  readonly grant: string | null;
}

/** A store as the package has it: each command is a promise. */
class Store {
  readonly #records = new Map<string, object>();
  readonly #groups = new Map<string, Set<string>>();

  async getMany(...keys: readonly string[]): Promise<readonly (object | undefined)[]> {
    return keys.map((key) => this.#records.get(key));
  }

  async add(key: string, record: object, groups: readonly string[] = []): Promise<boolean> {
    if (this.#records.has(key)) return false;
    this.#records.set(key, record);
    for (const group of groups) {
      const keys = this.#groups.get(group);
      if (keys === undefined) this.#groups.set(group, new Set([key]));
      else keys.add(key);
    }
    return true;
  }

  async swap(key: string, rev: string, record: { readonly rev: string }): Promise<boolean> {
    const known = this.#records.get(key) as { readonly rev: string } | undefined;
    if (known?.rev !== rev) return false;
    this.#records.set(key, record);
    return true;
  }

  async delete(key: string): Promise<void> {
    this.#records.delete(key);
  }
}

const store = new Store();
const PEPPER = 'a secret of the benchmark, which is public';
const GRANT_LIFETIME = 90 * 86_400;
const ID_LENGTH = 22;
const CONNECTION_LENGTH = 12;

const hmac = (text: string): string => createHmac('sha256', PEPPER).update(text).digest('base64url');
const connectionIdOf = (sub: string, client_id: string): string =>
  hmac(JSON.stringify([sub, client_id])).slice(0, CONNECTION_LENGTH);
const keys = {
  connection: (id: string): string => `connection:{${id.slice(0, CONNECTION_LENGTH)}}`,
  grant: (id: string): string => `grant:{${id.slice(0, CONNECTION_LENGTH)}}${id.slice(CONNECTION_LENGTH)}`,
  chain: (id: string): string => `chain:{${id.slice(0, CONNECTION_LENGTH)}}${id.slice(CONNECTION_LENGTH)}`,
  token: (token: string): string => `token:${keyOf(token)}`,
  consent: (sub: string, client_id: string): string => `consent:${keyOf(JSON.stringify([sub, client_id]))}`,
};

/** A live grant with its chain. */
async function find(id: string): Promise<{ readonly grant: Grant; readonly chain: Chain } | undefined> {
  const [grant, connection, chain] = (await store.getMany(keys.grant(id), keys.connection(id), keys.chain(id))) as [
    Grant?,
    Connection?,
    Chain?,
  ];
  return grant !== undefined && chain !== undefined && connection?.generation === grant.connection && grant.exp > now()
    ? { grant, chain }
    : undefined;
}

const endGrant = (id: string): Promise<void> => store.delete(keys.grant(id));

const bodyOf = (access_token: string, scope: string, refresh_token?: string): string =>
  JSON.stringify({
    access_token,
    token_type: 'Bearer',
    expires_in: LIFETIMES.access,
    scope,
    ...(refresh_token !== undefined && { refresh_token }),
  });

const saveToken = (token: string, grant: Grant, id: string, iat: number): Promise<boolean> => {
  const { client_id, scope } = grant;
  return store.add(keys.token(token), { client_id, scope, iat, exp: iat + LIFETIMES.access, grant: id });
};

async function ownToken(client_id: string, scope: string): Promise<MinimumAnswer> {
  if (scope !== SCOPE) return refused('invalid_scope');
  const token = randomText(32);
  const iat = now();
  await store.add(keys.token(token), { client_id, scope, iat, exp: iat + LIFETIMES.access, grant: null });
  return { status: 200, body: bodyOf(token, scope) };
}

async function redeem(client_id: string, form: ReadonlyMap<string, string>): Promise<MinimumAnswer> {
  const code = form.get('code') ?? '';
  const id = code.slice(0, ID_LENGTH);
  const found = await find(id);
  if (found === undefined) return refused('invalid_grant');
  const { grant, chain } = found;
  const [hash, exp, challenge = '', redirect_uri] = chain.code.split(' ');
  if (hash !== keyOf(code) || grant.client_id !== client_id || redirect_uri !== form.get('redirect_uri'))
    return refused('invalid_grant');
  const given = keyOf(form.get('code_verifier') ?? '');
  if (!timingSafeEqual(Buffer.from(given), Buffer.from(challenge))) return refused('invalid_grant');
  if (chain.taken !== null) await endGrant(id);
  if (chain.taken !== null || Number(exp) <= now()) return refused('invalid_grant');
  const iat = now();
  const access = id + randomText(32);
  const refresh = id + randomText(32);
  const current = [keyOf(refresh), iat + LIFETIMES.refresh].join(' ');
  const [isFirst] = await Promise.all([
    store.swap(keys.chain(id), chain.rev, { ...chain, rev: randomText(16), taken: String(iat), current } as Chain),
    saveToken(access, grant, id, iat),
  ]);
  return isFirst ? { status: 200, body: bodyOf(access, grant.scope, refresh) } : refused('invalid_grant');
}

async function refresh(client_id: string, form: ReadonlyMap<string, string>): Promise<MinimumAnswer> {
  const token = form.get('refresh_token') ?? '';
  const id = token.slice(0, ID_LENGTH);
  const found = await find(id);
  if (found === undefined || found.grant.client_id !== client_id) return refused('invalid_grant');
  const { grant, chain } = found;
  const [hash, exp] = chain.current?.split(' ') ?? [];
  const own = keyOf(token);
  if (own !== hash) await endGrant(id);
  if (own !== hash || Number(exp) <= now()) return refused('invalid_grant');
  const iat = now();
  const salt = randomText(16);
  const access = id + hmac(`access ${token}${salt}`);
  const next = id + hmac(`refresh ${token}${salt}`);
  const step: Chain = {
    ...chain,
    rev: randomText(16),
    current: [keyOf(next), iat + LIFETIMES.refresh].join(' '),
    last: [own, Date.now(), salt].join(' '),
    done: null,
  };
  const [isTaken] = await Promise.all([store.swap(keys.chain(id), chain.rev, step), saveToken(access, grant, id, iat)]);
  if (!isTaken) return refused('invalid_grant');
  // After the response, and no response waits for it.
  setImmediate(
    () => void store.swap(keys.chain(id), step.rev, { ...step, rev: randomText(16), done: String(iat) } as Chain),
  );
  return { status: 200, body: bodyOf(access, grant.scope, next) };
}

/** A token that is live, and its grant unless it is a client's own. */
async function liveToken(token: string): Promise<{ readonly record: Token; readonly sub: string } | undefined> {
  const isOfGrant = token.length > 43;
  const key = keys.token(token);
  const read = isOfGrant
    ? await store.getMany(key, keys.grant(token.slice(0, ID_LENGTH)), keys.connection(token))
    : await store.getMany(key);
  const [record, grant, connection] = read as [Token?, Grant?, Connection?];
  if (record === undefined || record.exp <= now()) return undefined;
  if (record.grant === null) return { record, sub: `client:${record.client_id}` };
  return grant !== undefined && grant.connection === connection?.generation ? { record, sub: grant.sub } : undefined;
}

async function introspect(token: string): Promise<MinimumAnswer> {
  const found = await liveToken(token);
  if (found === undefined) return { status: 200, body: '{"active":false}' };
  const { record, sub } = found;
  const { client_id, scope, iat, exp } = record;
  const [aud, iss] = ['http://127.0.0.1', 'http://127.0.0.1'];
  const body = { active: true, sub, client_id, scope, aud, iss, exp, iat, token_type: 'Bearer' };
  return { status: 200, body: JSON.stringify(body) };
}

async function post(path: string, authorization: string | undefined, body: string): Promise<MinimumAnswer> {
  const form = fieldsOf(body);
  const client_id = clientOf(authorization);
  if (client_id === undefined) return { status: 401, body: '{"error":"invalid_client"}' };
  if (path === PATHS.introspect) return introspect(form.get('token') ?? '');
  switch (form.get('grant_type') ?? '') {
    case 'client_credentials':
      return ownToken(client_id, form.get('scope') ?? SCOPE);
    case 'authorization_code':
      return redeem(client_id, form);
    case 'refresh_token':
      return refresh(client_id, form);
    default:
      return refused('unsupported_grant_type');
  }
}

const connectionKey = keys.connection(connectionIdOf(OWNER, WEB.client_id));
const consentKey = keys.consent(OWNER, WEB.client_id);
const FOREVER = now() + 2 * GRANT_LIFETIME;
const generation = randomText(9);
await store.add(
  connectionKey,
  { rev: randomText(16), generation, client_id: WEB.client_id, scope: SCOPE, exp: FOREVER },
  [`owner-connections:${keyOf(OWNER)}`, `client-connections:${keyOf(WEB.client_id)}`],
);
await store.add(consentKey, { connection: generation, scope: SCOPE, exp: FOREVER });

/** The generation of a connection in which the owner has allowed this. */
async function approved(client_id: string, scope: string): Promise<string | undefined> {
  const [consent, connection] = (await Promise.all([
    store.getMany(keys.consent(OWNER, client_id)),
    store.getMany(keys.connection(connectionIdOf(OWNER, client_id))),
  ]).then((read) => read.flat())) as [{ connection: string; scope: string }?, Connection?];
  return consent?.connection === connection?.generation && consent?.scope === scope
    ? connection?.generation
    : undefined;
}

async function authorize(url: string): Promise<string> {
  const query = new URLSearchParams(url.slice(url.indexOf('?') + 1));
  const client_id = query.get('client_id') ?? '';
  const redirect_uri = query.get('redirect_uri') ?? '';
  if (client_id !== WEB.client_id || redirect_uri !== REDIRECT_URI) return '/error';
  const answer = new URLSearchParams({ state: query.get('state') ?? '' });
  const challenge = query.get('code_challenge') ?? '';
  const scope = query.get('scope') ?? SCOPE;
  const isRight = query.get('response_type') === 'code' && scope === SCOPE && challenge.length === 43;
  const connection = isRight ? await approved(client_id, scope) : undefined;
  if (query.get('code_challenge_method') !== 'S256' || connection === undefined) {
    answer.set('error', 'invalid_request');
    return `${redirect_uri}?${answer.toString()}`;
  }
  const id = connectionIdOf(OWNER, client_id) + randomText(7);
  const code = id + randomText(32);
  const iat = now();
  const exp = iat + GRANT_LIFETIME;
  const chain: Chain = {
    rev: randomText(16),
    exp,
    code: [keyOf(code), iat + LIFETIMES.code, challenge, redirect_uri].join(' '),
    taken: null,
    current: null,
    last: null,
    done: null,
  };
  const grant: Grant = { connection, client_id, sub: OWNER, scope, iat, exp };
  const listedIn = [`owner-grants:${keyOf(OWNER)}`, `client-grants:${keyOf(client_id)}`];
  await Promise.all([store.add(keys.chain(id), chain), store.add(keys.grant(id), grant, listedIn)]);
  // The approval may have been taken back meanwhile.
  if ((await approved(client_id, scope)) !== connection) {
    await endGrant(id);
    answer.set('error', 'access_denied');
    return `${redirect_uri}?${answer.toString()}`;
  }
  answer.set('code', code);
  return `${redirect_uri}?${answer.toString()}`;
}

async function isAllowed(authorization: string | undefined): Promise<boolean> {
  if (authorization?.startsWith('Bearer ') !== true) return false;
  const found = await liveToken(authorization.slice('Bearer '.length));
  return found?.record.scope.split(' ').includes(SCOPE) === true;
}

export const minimumPlusProtocol: Protocol = { post, authorize, isAllowed };
