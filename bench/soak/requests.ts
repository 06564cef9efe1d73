import { createHash, randomBytes } from 'node:crypto';
import type { Answer } from './pool.js';
import { ISSUER, type Owner, OWNERS, REDIRECT_URI, secretOf } from './site.js';
import { expectThat, type Visitor, Wrong } from './visitor.js';

/** What most flows request. */
export const SCOPE = 'profile content.read';

export type Credentials = {
  readonly headers: Readonly<Record<string, string>>;
  readonly form: Readonly<Record<string, string>>;
};

const basic = (id: string): Credentials => ({
  headers: { authorization: `Basic ${Buffer.from(`${id}:${secretOf(id)}`).toString('base64')}` },
  form: {},
});
export const publicClient = (client_id: string): Credentials => ({ headers: {}, form: { client_id } });
export const WEB = basic('web');
export const NATIVE = publicClient('native');
export const SERVICE = basic('service');
export const API = basic('api');

export const anyOwner = (): Owner => {
  const owner = OWNERS[Math.floor(Math.random() * OWNERS.length)];
  if (owner === undefined) throw new Error('There are no owners.');
  return owner;
};

export const textOf = (answer: Answer, name: string): string => {
  const value = answer.json[name];
  if (typeof value !== 'string' || value === '')
    throw new Wrong(`An answer must have a ${name}: got ${answer.status} ${answer.text}`);
  return value;
};

export const post = (
  visitor: Visitor,
  operation: string,
  path: string,
  client: Credentials,
  form: Readonly<Record<string, string>>,
) => visitor.ask(operation, { path, headers: client.headers, form: { ...client.form, ...form } });

export const get = (visitor: Visitor, path: string, token: string): Promise<Answer> =>
  visitor.ask('guarded GET', { path, headers: { authorization: `Bearer ${token}` } });

export const expectTokens = (answer: Answer, scope: string, refreshable: boolean): void => {
  const { json, headers } = answer;
  const isRight =
    json['token_type'] === 'Bearer' &&
    json['expires_in'] === 3600 &&
    json['scope'] === scope &&
    typeof json['access_token'] === 'string' &&
    (typeof json['refresh_token'] === 'string') === refreshable;
  expectThat(
    answer.status === 200 && isRight && headers['cache-control'] === 'no-store',
    'A grant must give tokens',
    answer,
  );
};

export const expectError = (answer: Answer, status: number, error: string, promise: string): void =>
  expectThat(answer.status === status && answer.json['error'] === error, promise, answer);

export const expectOwner = async (visitor: Visitor, token: string, sub: string, client_id: string): Promise<void> => {
  const me = await get(visitor, '/me', token);
  const { json } = me;
  expectThat(
    me.status === 200 && json['sub'] === sub && json['client_id'] === client_id,
    `A token of ${sub} must open /me`,
    me,
  );
};

export const expectDead = async (visitor: Visitor, token: string, why: string): Promise<void> => {
  const me = await get(visitor, '/me', token);
  expectThat(me.status === 401, `The guard must refuse ${why}`, me);
  const inspected = await post(visitor, 'introspect', '/oauth/introspect', API, { token });
  const isInactive = inspected.status === 200 && inspected.text === '{"active":false}';
  expectThat(isInactive, `Introspection must return active: false for ${why}`, inspected);
};

/** What the redirect returns to the client. */
export interface Returned {
  readonly parameters: URLSearchParams;
  readonly verifier: string;
  readonly sub: string;
}

type Parameters = Readonly<Record<string, string>>;

/** A new browser opens a page and signs in; the page that the sign-in leads to. */
export const signIn = async (visitor: Visitor, path: string, { username, password }: Owner): Promise<Answer> => {
  visitor.forgetCookies();
  const form = await visitor.ask('page before sign-in', { path });
  expectThat(
    form.status === 200 && form.text.includes('name="password"'),
    'An unknown visitor must get the sign-in form',
    form,
  );
  const signedIn = await visitor.submit('sign-in form', form, { username, password });
  expectThat(signedIn.status === 303, 'The right password must lead on', signedIn);
  return visitor.ask('page after sign-in', { path: signedIn.headers.location ?? '/' });
};

interface Visit {
  readonly decision?: 'approve' | 'deny';
  /** What the request has in addition to the usual parameters. */
  readonly parameters?: Parameters;
  /** Hands the request over first; the parameters that stand for it. */
  readonly push?: (parameters: Parameters) => Promise<Parameters>;
}

/** A visit of an owner: a new browser, the request with PKCE, the sign-in form, the consent form, back to the client. */
export const visit = async (
  visitor: Visitor,
  client_id: string,
  { decision = 'approve', parameters: more, push = async (given) => given }: Visit = {},
): Promise<Returned> => {
  const owner = anyOwner();
  const verifier = randomBytes(32).toString('base64url');
  const state = randomBytes(8).toString('base64url');
  const query = await push({
    response_type: 'code',
    client_id,
    state,
    redirect_uri: REDIRECT_URI,
    scope: SCOPE,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...more,
  });
  const consent = await signIn(visitor, `/oauth/authorize?${new URLSearchParams(query).toString()}`, owner);
  expectThat(
    consent.status === 200 && consent.text.includes('value="approve"'),
    'The owner must get the consent form',
    consent,
  );
  const back = await visitor.submit('consent form', consent, { decision });
  const address = back.headers.location ?? '';
  expectThat(
    back.status === 303 && address.startsWith(`${REDIRECT_URI}?`),
    'A decision must lead back to the client',
    back,
  );
  const parameters = new URL(address).searchParams;
  expectThat(
    parameters.get('state') === state && parameters.get('iss') === ISSUER,
    'state and iss must come back',
    back,
  );
  expectThat(parameters.has('code') === (decision === 'approve'), 'Only an approval must return a code', back);
  return { parameters, verifier, sub: owner.username };
};

export const redeem = (visitor: Visitor, client: Credentials, { parameters, verifier }: Returned): Promise<Answer> =>
  post(visitor, 'token: code', '/oauth/token', client, {
    grant_type: 'authorization_code',
    code: parameters.get('code') ?? '',
    redirect_uri: REDIRECT_URI,
    code_verifier: verifier,
  });
