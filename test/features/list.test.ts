import { adminPages } from 'oauth-query/admin';
import { storedClients } from 'oauth-query/clients';
import { dpop } from 'oauth-query/dpop';
import { feature, featureMaker, json } from 'oauth-query/feature';
import { oauthQuery } from 'oauth-query/fetch';
import { jwtVerifier } from 'oauth-query/guard';
import { openIdConnect, profileResource } from 'oauth-query/openid';
import { pushedRequests } from 'oauth-query/par';
import { personalTokens } from 'oauth-query/personal-tokens';
import { query } from 'oauth-query/query';
import { stepUp } from 'oauth-query/step-up';
import { memoryStore } from 'oauth-query/stores/memory';
import { expect, test } from 'vitest';
import { everyRow } from '../rows.js';

const ISSUER = 'http://127.0.0.1:3000';
const store = memoryStore();
const serverWith = (features: unknown, more: object = {}) =>
  oauthQuery({
    issuer: ISSUER,
    secret: 'a secret of this test with 32 characters',
    users: [],
    store,
    onWarning: () => undefined,
    features: features as never,
    ...more,
  });

const plain = (name: string, more: object = {}) => feature({ name, ...more });
const base = featureMaker('base', () => plain('base'));
const path = (name: string) =>
  plain(name, { start: () => ({ routes: [{ path: '/same', GET: () => json(200, {}) }] }) });
const claim = (name: string) => plain(name, { claims: { names: ['tenant'], of: () => ({}) } });
const grant = (name: string) =>
  plain(name, { grantTypes: ['urn:a:b'], start: () => ({ grants: { 'urn:a:b': { handle: () => ({}) } } }) });
const parameter = (name: string) => plain(name, { start: () => ({ authorization: { parameters: { memo: 'text' } } }) });

test('what cannot stand in the list is an error at the start, which names the feature and the remedy', () =>
  everyRow(
    [
      ['no list', { query: {} }, /options\.features must be an array of features/],
      ['no feature', [{ start: () => [] }], /options\.features\[0\] must be a feature, such as query\(/],
      ['nothing', [undefined], /options\.features\[0\] must be a feature/],
      ['a function', [query], /options\.features\[0\] is a function, not a feature\. Call it/],
      ['a promise', [Promise.resolve(stepUp())], /options\.features\[0\] is a promise: await it first/],
      ['another port', [{ name: 'old', port: 0, '~definition': { name: 'old' } }], /version 0 of the port/],
      ['twice', [stepUp(), stepUp()], /two features named "step-up"/],
      ['excluded', [stepUp(), openIdConnect()], /openid and step-up exclude each other: .*leave stepUp\(\) out/],
      ['one path', [path('one'), path('two')], /Two endpoints have the path \/same/],
      ['one claim', [claim('one'), claim('two')], /one and two both have the claim "tenant"/],
      ['one grant', [grant('one'), grant('two')], /one and two both have the grant "urn:a:b"/],
      ['one parameter', [parameter('one'), parameter('two')], /one and two both have the parameter "memo"/],
      [
        'one scope',
        [plain('one', { scopes: { read: 'Read' } }), plain('two', { scopes: { read: 'Read' } })],
        /one and two both have the scope "read"/,
      ],
      ['a need', [plain('needy', { needs: [base] })], /needy needs base\. Add the feature base to the list/],
      [
        'a circle',
        [plain('one', { needs: [{ feature: 'two' }] }), plain('two', { needs: [{ feature: 'one' }] })],
        /one needs two needs one, which is a circle/,
      ],
      ['an unmarked need', [plain('one', { needs: [() => base()] })], /marked by featureMaker/],
      ['no part', [plain('one', { start: () => ({ metdata: 1 }) })], /start returned metdata, which is no part/],
      ['a start that waits', [plain('one', { start: async () => ({}) })], /not a promise/],
      [
        'a grant without a name',
        [plain('one', { start: () => ({ grants: { 'urn:a:b': {} } }) })],
        /must be in its grantTypes/,
      ],
      [
        'a name without a grant',
        [plain('one', { grantTypes: ['urn:a:b'], start: () => ({}) })],
        /did not return the grant/,
      ],
      [
        'a reserved claim',
        [plain('one', { claims: { names: ['sub'], of: () => ({}) } })],
        /"sub", which is a name of the protocol/,
      ],
    ],
    ([, features, message]) => {
      expect(() => serverWith(features)).toThrow(message);
    },
  ));

test('members of a definition, and its name, are checked where it is made', () => {
  expect(() => feature({ name: 'one', pahts: [] } as never)).toThrow(/feature one: pahts is unknown/);
  expect(() => feature({ name: '' })).toThrow(/name must be/);
});

test('a verifier takes what checks tokens or describes them, and nothing else', () => {
  const options = { issuer: 'https://a.example', resource: 'https://a.example/api' };
  expect(() => jwtVerifier({ ...options, features: [claim('one'), dpop()] })).not.toThrow();
  expect(() => jwtVerifier({ ...options, features: [pushedRequests()] })).toThrow(/par does nothing in a verifier/);
});

test('options that were slots say where they have gone', () => {
  for (const name of ['query', 'openid', 'profile', 'admin', 'dpop', 'par', 'stepUp', 'customGrants'])
    expect(() => serverWith([], { [name]: {} })).toThrow(
      new RegExp(`options\\.${name} is now an element of options\\.features`),
    );
});

test('the order of the list changes nothing', async () => {
  const all = [
    openIdConnect(),
    dpop(),
    pushedRequests(),
    profileResource({ claims: () => ({}) }),
    adminPages({ clients: storedClients(store), isAdmin: () => false }),
    query({}),
    base(),
    plain('needy', { needs: [base] }),
  ];
  const documentOf = async (features: readonly unknown[]): Promise<string> => {
    const { handler } = serverWith(features, { clients: [storedClients(store)] });
    return (await handler(new Request(`${ISSUER}/.well-known/openid-configuration`))).text();
  };
  const first = await documentOf(all);
  for (let at = 1; at < all.length; at += 1)
    expect(await documentOf([...all.slice(at), ...all.slice(0, at)].reverse())).toBe(first);
});

test('a claim that is no JSON, is not named or is too long issues no token, and the sentence names its source', async () => {
  const told: unknown[] = [];
  const issue = (claims: object) =>
    serverWith([], {
      claims: { names: ['tenant'], of: () => claims },
      clients: [{ client_id: 'web', redirect_uris: ['https://a.example/cb'] }],
      scopes: { read: 'Read' },
      onError: (error: unknown) => told.push(error),
    }).issue({ sub: 'alice', client_id: 'web' });
  await expect(issue({ tenant: new Date() })).rejects.toThrow(/options\.claims: tenant must be a value that JSON has/);
  await expect(issue({ tennant: 'red' })).rejects.toThrow(/"tennant", which is not in its names/);
  await expect(issue({ tenant: 'x'.repeat(5000) })).rejects.toThrow(/more than 4096 bytes: tenant/);
  const entries = [...(store as unknown as { entries(): Iterable<unknown> }).entries()];
  expect(entries).toEqual([]);
  expect((await issue({ tenant: ['red', { of: 1 }] })).access_token).toBeDefined();
});

test('the clients that a feature gets are those of the application, without the one of personal tokens', () => {
  let listed: readonly string[] = [];
  const reading = feature({
    name: 'reading',
    start: ({ clients }) => {
      listed = [...clients.listed.keys()];
      return {};
    },
  });
  serverWith([reading, personalTokens()], {
    clients: [{ client_id: 'web', redirect_uris: ['https://web.example/cb'] }],
  });
  expect(listed).toEqual(['web']);
});

test('close closes each feature once, those that others need last, and reports what fails', async () => {
  const closed: string[] = [];
  const closing = (name: string, more: object = {}) =>
    plain(name, {
      ...more,
      start: () => ({
        close: async () => {
          closed.push(name);
          if (name === 'b') throw new Error('b is stuck');
        },
      }),
    });
  const errors: unknown[] = [];
  const needed = featureMaker('z', () => closing('z'));
  const all = [needed(), closing('a', { needs: [needed] }), closing('b'), plain('c')];
  const { close } = serverWith(all, { onError: (error: unknown) => errors.push(error) });
  await Promise.all([close(), close()]);
  await close();
  expect(closed).toEqual(['b', 'a', 'z']);
  expect(errors.map(String)).toEqual(['Error: b is stuck']);
});
