import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { UnavailableError } from '../../src/core/base/errors.js';
import { systemTimer } from '../../src/core/base/system.js';
import { type FetchJson, PublishedKeys } from '../../src/outbound/published-keys.js';
import { everyRow } from '../rows.js';

const jwk = (kid: string) => ({
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }),
  kid,
});
const [ONE, TWO] = [jwk('one'), jwk('two')];
const ISSUER = 'https://idp.example/tenant';
const URI = 'https://idp.example/keys';
const has =
  (kid: string) =>
  (keys: readonly object[]): boolean =>
    !keys.some((key) => 'kid' in key && key.kid === kid);

type Answers = Record<string, { readonly json: unknown; readonly seconds?: number } | Error>;

/** Documents by address, which a test may change, and what was fetched. */
const world = (answers: Answers) => {
  let now = Date.UTC(2026, 0, 1);
  const fetched: string[] = [];
  const errors: unknown[] = [];
  const fetch: FetchJson = async (url) => {
    fetched.push(url.href);
    const answer = answers[url.href] ?? new Error('It returns status 404 instead of 200.');
    if (answer instanceof Error) throw answer;
    return { seconds: undefined, ...answer };
  };
  const keys = new PublishedKeys({
    clock: () => now,
    timer: systemTimer,
    onError: (error) => errors.push(error),
    fetch,
  });
  return { answers, fetched, errors, keys, pass: (seconds: number) => (now += seconds * 1000) };
};

describe('A34: keys of another server', () => {
  test('are fetched once for all who need them, and again when they are no longer fresh', async () => {
    const { answers, fetched, keys, pass } = world({ [URI]: { json: { keys: [ONE] } } });
    const [a, b] = await Promise.all([keys.of({ jwksUri: URI }), keys.of({ jwksUri: URI })]);
    expect([a, b, fetched]).toEqual([[ONE], [ONE], [URI]]);
    pass(299);
    await keys.of({ jwksUri: URI });
    expect(fetched).toHaveLength(1);
    answers[URI] = { json: { keys: [TWO] }, seconds: 5 };
    pass(1);
    expect(await keys.of({ jwksUri: URI })).toEqual([TWO]);
    pass(59); // What a server says counts between a minute and an hour.
    await keys.of({ jwksUri: URI });
    expect(fetched).toHaveLength(2);
    answers[URI] = { json: { keys: [TWO] }, seconds: 86_400 };
    pass(1);
    await keys.of({ jwksUri: URI });
    pass(3599);
    await keys.of({ jwksUri: URI });
    expect(fetched).toHaveLength(3);
    pass(1);
    await keys.of({ jwksUri: URI });
    expect(fetched).toHaveLength(4);
  });

  test('are fetched again for an unknown key, at most twice in a minute, whatever callers name', async () => {
    const { answers, fetched, keys, pass } = world({ [URI]: { json: { keys: [ONE] } } });
    await keys.of({ jwksUri: URI });
    answers[URI] = { json: { keys: [ONE, TWO] } };
    expect(await keys.of({ jwksUri: URI }, has('two'))).toEqual([ONE]);
    for (let second = 0; second < 60; second += 1) {
      for (let n = 0; n < 20; n += 1) await keys.of({ jwksUri: URI }, has(`unknown ${n}`));
      pass(1);
    }
    expect(fetched).toHaveLength(2);
    expect(await keys.of({ jwksUri: URI }, has('two'))).toEqual([ONE, TWO]);
  });

  test('A35: a failure is not the absence of a key; the last copy serves for an hour', async () => {
    const { answers, fetched, errors, keys, pass } = world({ [URI]: new Error('It is away.') });
    await expect(keys.of({ jwksUri: URI })).rejects.toThrow(UnavailableError);
    await expect(keys.of({ jwksUri: URI })).rejects.toThrow(UnavailableError);
    expect([fetched.length, errors.length]).toEqual([1, 1]);
    pass(30);
    answers[URI] = { json: { keys: [ONE] } };
    expect(await keys.of({ jwksUri: URI })).toEqual([ONE]);
    answers[URI] = new Error('It is away.');
    pass(300);
    expect(await keys.of({ jwksUri: URI }, has('one'))).toEqual([ONE]);
    await expect(keys.of({ jwksUri: URI }, has('two'))).rejects.toThrow('cannot be fetched again');
    pass(3299);
    expect(await keys.of({ jwksUri: URI })).toEqual([ONE]);
    pass(1);
    await expect(keys.of({ jwksUri: URI })).rejects.toThrow(UnavailableError);
  });

  test('A33: the metadata names them, at the place of OpenID Connect or of RFC 8414, and must name the issuer itself', async () => {
    const openid = `${ISSUER}/.well-known/openid-configuration`;
    const oauth = 'https://idp.example/.well-known/oauth-authorization-server/tenant';
    const named = (issuer: unknown, jwks_uri: unknown = URI) => ({ json: { issuer, jwks_uri } });
    await everyRow(
      [
        [{ [openid]: named(ISSUER) }, [openid, URI]],
        [{ [oauth]: named(ISSUER) }, [openid, oauth, URI]],
        [{ [openid]: named(`${ISSUER}/`), [oauth]: named(ISSUER) }, [openid, oauth, URI]],
        [{ [openid]: named('https://evil.example') }, [openid, oauth], 'fails'],
        [{ [openid]: named(ISSUER, 'http://idp.example/keys') }, [openid, oauth], 'fails'],
        [{ [openid]: named(ISSUER, 'http://127.0.0.1:8080/admin') }, [openid, oauth], 'fails'],
        [{ [openid]: named(ISSUER, 'https://localhost/keys') }, [openid, oauth], 'fails'],
        [{ [openid]: named(ISSUER, ['x']) }, [openid, oauth], 'fails'],
        [{ [openid]: { json: [] } }, [openid, oauth], 'fails'],
      ] as const,
      async ([answers, fetches, fails]) => {
        const { fetched, keys } = world({ [URI]: { json: { keys: [ONE] } }, ...answers });
        const found = keys.of({ issuer: ISSUER });
        if (fails === undefined) expect(await found).toEqual([ONE]);
        else await expect(found).rejects.toThrow(UnavailableError);
        expect(fetched).toEqual(fetches);
      },
    );
  });

  test('a function of the application is as good, and its failure too', async () => {
    const { keys, pass } = world({});
    let answer: () => unknown = () => ({ keys: [ONE] });
    let calls = 0;
    const from = { name: ISSUER, read: () => ((calls += 1), answer()) };
    expect([await keys.of(from), await keys.of(from), calls]).toEqual([[ONE], [ONE], 1]);
    answer = () => Promise.reject(new Error('secret detail'));
    pass(3600);
    await expect(keys.of(from)).rejects.toThrow(UnavailableError);
  });

  test('unusable sets are none: too many keys, private ones, weak ones, none at all', async () => {
    const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' });
    const secret = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
    await everyRow(
      [
        { keys: Array.from({ length: 101 }, () => ONE) },
        { keys: [ONE, secret] },
        { keys: [ONE, { kty: 'oct', k: 'AAAA' }] },
        { keys: [weak] },
        { keys: [{ ...ONE, use: 'enc' }] },
        { keys: [] },
        { keys: ONE },
        [],
        null,
      ],
      async (json) => {
        await expect(world({ [URI]: { json } }).keys.of({ jwksUri: URI })).rejects.toThrow(UnavailableError);
      },
    );
    expect(await world({ [URI]: { json: { keys: [weak, ONE] } } }).keys.of({ jwksUri: URI })).toEqual([ONE]);
  });
});

test('a server on this machine is reached if its own address says so, and no other address of this machine', async () => {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ keys: [ONE] }));
  }).listen(0, '127.0.0.1');
  try {
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const keys = new PublishedKeys({ clock: Date.now, timer: systemTimer, onError: () => undefined });
    expect(await keys.of({ jwksUri: `http://127.0.0.1:${port}/keys` })).toEqual([ONE]);
    expect(await keys.of({ jwksUri: `http://localhost:${port}/keys` })).toEqual([ONE]);
    await expect(keys.of({ jwksUri: `http://127.0.0.2:${port}/keys` })).rejects.toThrow(UnavailableError);
  } finally {
    server.close();
  }
});
