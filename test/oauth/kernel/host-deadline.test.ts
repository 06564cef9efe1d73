import { createPublicKey } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { query } from '../../../src/core/query/index.js';
import { type Answer, basic, bearer, Client, hostFor, type HostOptions } from '../../hosts.js';
import { Browser, formOf, responseOf } from '../support/browser.js';
import { CLIENTS, fixture } from '../support/fixture.js';
import { newKey } from '../support/jwt.js';
import { refusal } from '../support/tokens.js';

const never = (): Promise<never> => new Promise(() => undefined);
/**
 * Five eighths of a request's 160 ms are those of a function. They are over at once; those of a request never are, because a busy machine
 * may take longer for one.
 */
const DEADLINES = {
  timeout: 160,
  runtime: {
    timer: (run: () => void, milliseconds: number) => {
      const started = milliseconds === 100 ? setImmediate(run) : undefined;
      return () => clearImmediate(started);
    },
  },
};

/** The errors in `onError`, with their causes. */
const reasons = (errors: readonly unknown[]): readonly string[] =>
  errors.map((error) => (error instanceof Error ? `${error.message} ${String(error.cause ?? '')}` : String(error)));

const expectUnavailable = (answer: Answer): void => {
  expect(refusal(answer)).toEqual([503, 'temporarily_unavailable']);
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
};

describe.each(hostFor(import.meta.url))('$name, if a function of the application never responds', ({ start }) => {
  /** A server with options of which one hangs. */
  const hanging = async (changes: Omit<HostOptions, 'clients'>) => {
    const set = fixture({ ...DEADLINES, ...changes });
    const host = await start({ options: set.options });
    return { ...set, host, http: new Client(host.base) };
  };
  const token = (http: Client): Promise<Answer> =>
    http.post('/oauth/token', 'grant_type=client_credentials', basic('service', 'service-secret'));

  test('clients.find: 503 at the endpoints and the guard, a page for users', async () => {
    let isAway = false;
    const find = (id: string) =>
      isAway ? never() : Promise.resolve(CLIENTS.find(({ client_id }) => client_id === id));
    const { options, errors } = fixture(DEADLINES);
    const host = await start({ options: { ...options, clients: { find } } });
    const http = new Client(host.base);
    const { access_token } = (await token(http)).json;
    isAway = true;
    expectUnavailable(await token(http));
    expectUnavailable(await http.post('/oauth/device', { client_id: 'tv' }));
    expectUnavailable(await new Client(host.origin).get('/guarded/profile', bearer(String(access_token))));
    const page = await new Browser(host).authorize({ response_type: 'code', client_id: 'web' });
    expect([page.status, page.headers['content-type']]).toEqual([503, 'text/html; charset=utf-8']);
    expect(reasons(errors)).toHaveLength(4);
    for (const reason of reasons(errors)) expect(reason).toMatch(/options.clients.find .*100 ms/);
    isAway = false;
    expect((await token(http)).status).toBe(200);
  });

  test('jwt, and the sign of an external key: 503, and the reason is named', async () => {
    const keys = never;
    const source = await hanging({ jwt: keys });
    expectUnavailable(await token(source.http));
    expectUnavailable(await source.http.get('/oauth/jwks'));
    expect(reasons(source.errors).join()).toMatch(/options.jwt .*100 ms/);
    await source.host.close();

    const publicKey = { ...createPublicKey(newKey()).export({ format: 'jwk' }) };
    for (const vault of [[{ key: { publicKey, sign: never } }], async () => [{ key: { publicKey, sign: never } }]]) {
      const { http, errors } = await hanging({ jwt: vault });
      expectUnavailable(await token(http));
      expect(reasons(errors).join()).toMatch(/sign of a key of options.jwt/);
    }
  });

  test('users.authenticate and users.isActive: an error for the client, or a page with 503; no attempt counts as a failure', async () => {
    let isAway = true;
    const users = {
      authenticate: (username: string) => (isAway ? never() : Promise.resolve({ sub: username })),
      isActive: () => (isAway ? never() : Promise.resolve(true)),
    };
    const { host, errors } = await hanging({ users });
    const browser = new Browser(host);
    const page = await browser.authorize({ response_type: 'code', client_id: 'web' });
    expect('password' in formOf(page).fields).toBe(true);
    const typed = { username: 'alice', password: 'wonderland' };
    for (let n = 0; n < 12; n += 1)
      expect(responseOf(await browser.submit(page, typed))['error']).toBe('temporarily_unavailable');
    expect(reasons(errors).join()).toMatch(/options.users.authenticate .*100 ms/);
    isAway = false;
    const consent = await browser.signIn(page);
    expect(consent.status).toBe(200);
    isAway = true;
    expect((await browser.open(`${host.base.slice(host.origin.length)}/oauth/device`)).status).toBe(503);
    expect(reasons(errors).join()).toMatch(/options.users.isActive .*100 ms/);
  });

  test('owner: the client receives an error, as for every failure after validation (RFC 6749 §4.1.2.1)', async () => {
    const { options, errors } = fixture(DEADLINES);
    const { users: _, ...rest } = options;
    const host = await start({ options: { ...rest, owner: never, loginUrl: '/login' } });
    const answer = await new Browser(host).authorize({ response_type: 'code', client_id: 'web' });
    expect(responseOf(answer)['error']).toBe('temporarily_unavailable');
    expect(reasons(errors).join()).toMatch(/options.owner .*100 ms/);
  });

  test('validateGrant: 503, and the refresh token still works afterwards', async () => {
    let isAway = false;
    const { host, http, errors } = await hanging({
      validateGrant: () => (isAway ? never() : Promise.resolve(true)),
    });
    const { code = '' } = responseOf(await new Browser(host).authorizeFor({ response_type: 'code', client_id: 'web' }));
    const web = basic('web', 'web-secret');
    const tokens = await http.post('/oauth/token', { grant_type: 'authorization_code', code }, web);
    const refresh = { grant_type: 'refresh_token', refresh_token: String(tokens.json['refresh_token']) };
    isAway = true;
    expectUnavailable(await http.post('/oauth/token', refresh, web));
    expect(reasons(errors).join()).toMatch(/options.validateGrant .*100 ms/);
    isAway = false;
    expect((await http.post('/oauth/token', refresh, web)).status).toBe(200);
  });

  test('query.rights: the query API responds with 503', async () => {
    const { http, errors } = await hanging({ features: [query({ rights: never })] });
    const { access_token } = (await token(http)).json;
    const answer = await http.get('/api?action=query&meta=userinfo&format=json', bearer(String(access_token)));
    expect(refusal(answer)).toEqual([503, expect.objectContaining({ code: 'temporarily_unavailable' })]);
    expect(reasons(errors).join()).toMatch(/query: options.rights .*100 ms/);
  });
});
