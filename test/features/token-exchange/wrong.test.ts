import { createHmac, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { oauthQuery } from 'oauth-query/fetch';
import { describe, expect, test } from 'vitest';
import { basic } from '../../hosts.js';
import { es256, forgeries, mint, newKey, read } from '../../oauth/support/jwt.js';
import { ACCESS_TOKEN, at, EXCHANGE, exchangeFixture } from './support.js';

const ISSUER = 'https://auth.example';
const KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const PEM = KEY.export({ type: 'pkcs8', format: 'pem' }).toString();

/** A server, and what it answers a token that somebody wants to exchange. */
const site = (options: Parameters<typeof exchangeFixture>[0] = {}) => {
  const all = exchangeFixture(options);
  const oauth = oauthQuery({ ...all.options, issuer: ISSUER });
  const exchange = async (name: string, subject_token: string, target: string) => {
    const form = { grant_type: EXCHANGE, subject_token, subject_token_type: ACCESS_TOKEN, resource: at(target) };
    const init = { method: 'POST', headers: basic(name, `${name}-secret`), body: new URLSearchParams(form) };
    const response = await oauth.handler(new Request(`${ISSUER}/oauth/token`, init));
    return { status: response.status, text: await response.text() };
  };
  const first = async (): Promise<string> =>
    (await oauth.issue({ sub: 'alice', client_id: 'web', scope: ['content.read'] as never, resource: at('notes') }))
      .access_token;
  const next = async (name: string, token: string, target: string): Promise<string> =>
    String(JSON.parse((await exchange(name, token, target)).text)['access_token']);
  return { all, exchange, first, next };
};

const other = (letter = ''): string => (letter === 'A' ? 'B' : 'A');

/** A text with one place changed, lost or doubled, at each place; and pieces of it. */
const changed = (token: string, step = 1): readonly string[] =>
  Array.from({ length: Math.ceil(token.length / step) }, (_, index) => index * step).flatMap((place) => [
    token.slice(0, place) + other(token[place]) + token.slice(place + 1),
    token.slice(0, place) + token.slice(place + 1),
    token.slice(0, place) + token.slice(place, place + 1) + token.slice(place),
    token.slice(0, place),
  ]);

/** Whether two signed tokens have the same bytes: base64url leaves bits at its end that say nothing. */
const isSame = (one: string, two: string): boolean =>
  one.length === two.length && one.slice(0, -1) === two.slice(0, -1) && bytesOf(one).equals(bytesOf(two));
const bytesOf = (token: string): Buffer => Buffer.from(token.slice(token.lastIndexOf('.')), 'base64url');

/** What is wrong, and nothing but that: the answer to each is that to a text which is no token, and nothing is left of it. */
const checkAll = async (
  wrong: ReadonlySet<string>,
  { all, exchange }: ReturnType<typeof site>,
  client: string,
): Promise<void> => {
  const unknown = await exchange(client, 'x', 'files');
  expect(unknown.status).toBe(400);
  const kept = [...all.store.entries()].map(([key]) => key);
  const failures = [];
  for (const token of wrong) {
    const { status, text } = await exchange(client, token, 'files');
    // Without any, the parameter is missing.
    if (status !== 400 || (token !== '' && text !== unknown.text)) failures.push({ token, status, text });
  }
  expect(failures).toEqual([]);
  expect([...all.store.entries()].map(([key]) => key)).toEqual(kept);
  expect(all.events.filter(({ type }) => type === 'exchange.refused')).toHaveLength(wrong.size + 1);
};

describe('tokens that are nearly right', () => {
  test('opaque ones, exchanged or not: each place changed, lost, doubled, or the last', async () => {
    const here = site();
    const first = await here.first();
    const second = await here.next('notes', first, 'search');
    const plain = new Set(changed(first));
    plain.delete(first);
    expect(plain.size).toBeGreaterThan(230);
    await checkAll(plain, here, 'notes');
    here.all.events.length = 0;
    const derived = new Set(changed(second));
    derived.delete(second);
    expect(derived.size).toBeGreaterThan(370);
    await checkAll(derived, here, 'search');
    console.log(`Wrong tokens: ${plain.size + derived.size}`);
    expect((await here.exchange('notes', first, 'files')).status).toBe(200);
    expect((await here.exchange('search', second, 'files')).status).toBe(200);
    expect(here.all.errors).toEqual([]);
  });

  test('signed ones: each place of it, forgeries, and each claim of another type signed by another key', async () => {
    const here = site({ jwt: [{ key: PEM }] });
    const first = await here.first();
    const second = await here.next('notes', first, 'search');
    for (const [client, token] of [
      ['notes', first],
      ['search', second],
    ] as const) {
      const { header, claims } = read(token);
      const stranger = es256(newKey());
      const spki = createPublicKey(KEY).export({ type: 'spki', format: 'pem' }).toString();
      const hmac = (data: Buffer): Buffer => createHmac('sha256', spki).update(data).digest();
      const values = [null, true, 0, -1, 1e300, '', 'text', [], ['a'], {}];
      const wrong = new Set([
        ...changed(token, 3),
        ...Object.values(forgeries(token, KEY)),
        ...Object.keys(claims).flatMap((name) =>
          values.map((value) => mint(header, { ...claims, [name]: value }, stranger)),
        ),
        ...Object.keys(claims).map((name) => mint({ ...header, alg: 'HS256' }, { ...claims, [name]: 'text' }, hmac)),
        ...['none', 'HS256', 'RS256', 'ES384', '', null, 1].map((alg) => mint({ ...header, alg }, claims, es256(KEY))),
        ...['JWT', 'dpop+jwt', 'logout+jwt', 'token-introspection+jwt', 'oauth-id-jag+jwt', undefined, 1].map((typ) =>
          mint({ ...header, typ }, claims, es256(KEY)),
        ),
      ]);
      for (const one of wrong) if (isSame(one, token)) wrong.delete(one);
      console.log(`Wrong signed tokens: ${wrong.size}`);
      expect(wrong.size).toBeGreaterThan(600);
      await checkAll(wrong, here, client);
      here.all.events.length = 0;
      expect((await here.exchange(client, token, 'files')).status).toBe(200);
    }
    expect(here.all.errors).toEqual([]);
  });
});

test.each([
  ['opaque', {}],
  ['signed', { jwt: [{ key: PEM }] }],
])('the clock moves across the end of a token, %s: not a second longer', async (_kind, options) => {
  const here = site(options);
  const first = await here.first();
  const second = await here.next('notes', first, 'search');
  here.all.advance(3600 - 3);
  for (let left = 3; left > -3; left -= 1) {
    const expected = left > 0 ? 200 : 400;
    expect([left, (await here.exchange('notes', first, 'files')).status]).toEqual([left, expected]);
    expect([left, (await here.exchange('search', second, 'files')).status]).toEqual([left, expected]);
    here.all.advance(1);
  }
});
