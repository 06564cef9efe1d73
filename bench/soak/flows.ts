import { createHash, randomBytes } from 'node:crypto';
import { ISSUER } from './cluster.js';
import type { Answer } from './pool.js';
import { expectThat, type Visitor, Wrong } from './visitor.js';

/** A task of a client, from its first request to its last, with every response checked. */
export interface Flow {
  readonly name: string;
  /** How often it is chosen, relative to the others. */
  readonly weight: number;
  /** Minimum of milliseconds between two starts by any client, for tasks that people do occasionally. */
  readonly pause?: number;
  run(visitor: Visitor): Promise<void>;
}

interface Owner {
  readonly username: string;
  readonly password: string;
}

const OWNERS = [
  { username: 'alice', password: 'wonderland' },
  { username: 'bob', password: 'builder' },
] as const satisfies readonly Owner[];
const REDIRECT_URI = 'http://127.0.0.1:49152/callback';
const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code';
const SCOPE = 'profile content.read';

type Credentials = {
  readonly headers: Readonly<Record<string, string>>;
  readonly form: Readonly<Record<string, string>>;
};

const basic = (id: string): Credentials => ({
  headers: { authorization: `Basic ${Buffer.from(`${id}:${id}-secret`).toString('base64')}` },
  form: {},
});
const publicClient = (client_id: string): Credentials => ({ headers: {}, form: { client_id } });
const WEB = basic('web');
const NATIVE = publicClient('native');
const SERVICE = basic('service');
const API = basic('api');

const pick = <T>(items: readonly [T, T]): T => items[Math.random() < 0.5 ? 0 : 1];

const textOf = (answer: Answer, name: string): string => {
  const value = answer.json[name];
  if (typeof value !== 'string' || value === '')
    throw new Wrong(`An answer must have a ${name}: got ${answer.status} ${answer.text}`);
  return value;
};

const post = (
  visitor: Visitor,
  operation: string,
  path: string,
  client: Credentials,
  form: Readonly<Record<string, string>>,
) => visitor.ask(operation, { path, headers: client.headers, form: { ...client.form, ...form } });

const get = (visitor: Visitor, path: string, token: string): Promise<Answer> =>
  visitor.ask('guarded GET', { path, headers: { authorization: `Bearer ${token}` } });

const expectTokens = (answer: Answer, scope: string, refreshable: boolean): void => {
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

const expectError = (answer: Answer, status: number, error: string, promise: string): void =>
  expectThat(answer.status === status && answer.json['error'] === error, promise, answer);

const expectOwner = async (visitor: Visitor, token: string, sub: string, client_id: string): Promise<void> => {
  const me = await get(visitor, '/me', token);
  const { json } = me;
  expectThat(
    me.status === 200 && json['sub'] === sub && json['client_id'] === client_id,
    `A token of ${sub} must open /me`,
    me,
  );
};

const expectDead = async (visitor: Visitor, token: string, why: string): Promise<void> => {
  const me = await get(visitor, '/me', token);
  expectThat(me.status === 401, `The guard must refuse ${why}`, me);
  const inspected = await post(visitor, 'introspect', '/oauth/introspect', API, { token });
  const isInactive = inspected.status === 200 && inspected.text === '{"active":false}';
  expectThat(isInactive, `Introspection must return active: false for ${why}`, inspected);
};

const clientCredentials: Flow = {
  name: 'client credentials, introspection, revocation',
  weight: 25,
  run: async (visitor) => {
    const answer = await post(visitor, 'token: client credentials', '/oauth/token', SERVICE, {
      grant_type: 'client_credentials',
    });
    expectTokens(answer, 'content.read highvolume', false);
    const token = textOf(answer, 'access_token');
    for (let n = 0; n < 3; n += 1) {
      const content = await get(visitor, '/content', token);
      expectThat(content.status === 200 && content.text === '{"ok":true}', 'A live token must open /content', content);
    }
    const me = await get(visitor, '/me', token);
    expectError(me, 403, 'insufficient_scope', 'A token without the scope must not open /me');
    const inspected = await post(visitor, 'introspect', '/oauth/introspect', API, { token });
    const { json } = inspected;
    expectThat(
      json['active'] === true &&
        json['sub'] === 'client:service' &&
        json['client_id'] === 'service' &&
        json['iss'] === ISSUER,
      'Introspection must return a live token as active',
      inspected,
    );
    const revoked = await post(visitor, 'revoke', '/oauth/revoke', SERVICE, { token });
    expectThat(revoked.status === 200, 'Revocation must succeed', revoked);
    await expectDead(visitor, token, 'a revoked token');
  },
};

/** What the redirect returns to the client. */
interface Returned {
  readonly parameters: URLSearchParams;
  readonly verifier: string;
  readonly sub: string;
}

/** A visit of an owner: a new browser, the request with PKCE, the sign-in form, the consent form, back to the client. */
const visit = async (visitor: Visitor, client_id: string, decision: 'approve' | 'deny'): Promise<Returned> => {
  const owner = pick<Owner>(OWNERS);
  const verifier = randomBytes(32).toString('base64url');
  const state = randomBytes(8).toString('base64url');
  const query = new URLSearchParams({
    response_type: 'code',
    client_id,
    state,
    redirect_uri: REDIRECT_URI,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  visitor.forgetCookies();
  const signIn = await visitor.ask('authorize', { path: `/oauth/authorize?${query.toString()}` });
  expectThat(
    signIn.status === 200 && signIn.text.includes('name="password"'),
    'An unknown visitor must get the sign-in form',
    signIn,
  );
  const signedIn = await visitor.submit('sign-in form', signIn, { ...owner });
  expectThat(signedIn.status === 303, 'The right password must lead on', signedIn);
  const consent = await visitor.ask('consent page', { path: signedIn.headers.location ?? '/' });
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

const redeem = (visitor: Visitor, client: Credentials, { parameters, verifier }: Returned): Promise<Answer> =>
  post(visitor, 'token: code', '/oauth/token', client, {
    grant_type: 'authorization_code',
    code: parameters.get('code') ?? '',
    redirect_uri: REDIRECT_URI,
    code_verifier: verifier,
  });

const codeReplay: Flow = {
  name: 'code with PKCE, then the same code again',
  weight: 10,
  run: async (visitor) => {
    const returned = await visit(visitor, 'web', 'approve');
    const answer = await redeem(visitor, WEB, returned);
    expectTokens(answer, SCOPE, true);
    const token = textOf(answer, 'access_token');
    await expectOwner(visitor, token, returned.sub, 'web');
    expectError(await redeem(visitor, WEB, returned), 400, 'invalid_grant', 'A used code must be refused');
    await expectDead(visitor, token, 'a token whose code was used twice');
  },
};

const denial: Flow = {
  name: 'the owner denies access',
  weight: 3,
  run: async (visitor) => {
    const { parameters } = await visit(visitor, 'native', 'deny');
    if (parameters.get('error') !== 'access_denied' || parameters.has('code'))
      throw new Wrong(`A denial must be access_denied: got ${parameters.toString()}`);
  },
};

const CHAIN = 6;

const refreshChain: Flow = {
  name: 'code with PKCE, a chain of refreshes, a replay',
  weight: 10,
  run: async (visitor) => {
    const [client_id, client] = pick([
      ['web', WEB],
      ['native', NATIVE],
    ] as const);
    const returned = await visit(visitor, client_id, 'approve');
    const refresh = (refresh_token: string): Promise<Answer> =>
      post(visitor, 'token: refresh', '/oauth/token', client, { grant_type: 'refresh_token', refresh_token });
    let answer = await redeem(visitor, client, returned);
    expectTokens(answer, SCOPE, true);
    const first = textOf(answer, 'refresh_token');
    for (let n = 0; n < CHAIN; n += 1) {
      const presented = textOf(answer, 'refresh_token');
      answer = await refresh(presented);
      expectTokens(answer, SCOPE, true);
      const again = await refresh(presented);
      const isSame =
        again.json['access_token'] === answer.json['access_token'] &&
        again.json['refresh_token'] === answer.json['refresh_token'];
      expectThat(isSame, 'Within the grace a refresh must be repeated', again);
      await expectOwner(visitor, textOf(answer, 'access_token'), returned.sub, client_id);
    }
    expectError(await refresh(first), 400, 'invalid_grant', 'A rotated refresh token must be refused');
    await expectDead(visitor, textOf(answer, 'access_token'), 'a token of a family with a replay');
    expectError(
      await refresh(textOf(answer, 'refresh_token')),
      400,
      'invalid_grant',
      'A revoked family must stay revoked',
    );
  },
};

const device: Flow = {
  name: 'a device and its owner',
  weight: 10,
  pause: 1_000,
  run: async (visitor) => {
    const owner = pick<Owner>(OWNERS);
    const tv = publicClient('tv');
    const started = await post(visitor, 'device: start', '/oauth/device', tv, {});
    expectThat(
      started.status === 200 && started.json['verification_uri'] === `${ISSUER}/oauth/device`,
      'A device must get its codes',
      started,
    );
    const device_code = textOf(started, 'device_code');
    const poll = (): Promise<Answer> =>
      post(visitor, 'device: poll', '/oauth/token', tv, { grant_type: DEVICE_CODE, device_code });
    expectError(await poll(), 400, 'authorization_pending', 'An undecided device must wait');
    visitor.forgetCookies();
    const signIn = await visitor.ask('device: page', { path: '/oauth/device' });
    const signedIn = await visitor.submit('sign-in form', signIn, { ...owner });
    const page = await visitor.ask('device: page', { path: signedIn.headers.location ?? '/' });
    const shown = await visitor.submit('device: user code', page, { user_code: textOf(started, 'user_code') });
    expectThat(shown.status === 200 && shown.text.includes('A television'), 'A user code must show its device', shown);
    const done = await visitor.submit('device: decision', shown, { decision: 'approve' });
    expectThat(done.status === 200 && done.text.includes('connected'), 'A device must be allowed', done);
    const answer = await poll();
    expectTokens(answer, SCOPE, true);
    await expectOwner(visitor, textOf(answer, 'access_token'), owner.username, 'tv');
    expectError(await poll(), 400, 'invalid_grant', 'A used device code must be refused');
  },
};

const ask = (visitor: Visitor, query: string, token?: string): Promise<Answer> =>
  visitor.ask('query', {
    path: `/api?action=query&format=json&formatversion=2&${query}`,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });

const query: Flow = {
  name: 'queries with and without a token',
  weight: 25,
  run: async (visitor) => {
    const list = await ask(visitor, 'list=allpages&aplimit=5');
    const { allpages } = Object(list.json['query']) as { allpages?: unknown };
    expectThat(
      list.status === 200 && Array.isArray(allpages) && allpages.length === 5,
      'allpages must list five pages',
      list,
    );
    const search = await ask(visitor, 'generator=search&gsrsearch=rope&prop=extracts&exintro&explaintext');
    const { pages } = Object(search.json['query']) as { pages?: unknown };
    expectThat(search.status === 200 && Array.isArray(pages) && pages.length > 0, 'A search must find pages', search);
    const answer = await post(visitor, 'token: client credentials', '/oauth/token', SERVICE, {
      grant_type: 'client_credentials',
    });
    const info = await ask(visitor, 'meta=userinfo|siteinfo', textOf(answer, 'access_token'));
    const { userinfo } = Object(info.json['query']) as { userinfo?: { name?: unknown; anon?: unknown } };
    expectThat(
      info.status === 200 && userinfo !== undefined && userinfo.anon === undefined,
      'A token must name its user',
      info,
    );
    const stranger = await ask(visitor, 'meta=userinfo', 'x'.repeat(43));
    expectThat(
      Object(stranger.json['error'])['code'] === 'mwoauth-invalid-authorization',
      'A wrong token must be refused',
      stranger,
    );
  },
};

export const FLOWS: readonly Flow[] = [clientCredentials, codeReplay, denial, refreshChain, device, query];
