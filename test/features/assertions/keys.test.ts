import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AssertionIssuer, assertions, type AssertionOptions } from 'oauth-query/assertions';
import { featureServer } from 'oauth-query/testing';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { JWT_BEARER, Signer } from './support.js';

const owner = () => ({ sub: 'alice' });

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A server with metadata and keys, which a test may change. */
const startPublisher = async () => {
  const publisher = { keys: [] as object[], issuer: '', fails: false, asked: [] as string[] };
  const http = createServer(({ url = '' }, response) => {
    publisher.asked.push(url);
    response.statusCode = publisher.fails ? 500 : 200;
    response.setHeader('content-type', 'application/json');
    const { keys, issuer } = publisher;
    response.end(JSON.stringify(url === '/keys' ? { keys } : { issuer, jwks_uri: `${issuer}/keys` }));
  });
  await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve));
  publisher.issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  closing.push(async () => {
    const closed = once(http, 'close');
    http.close().closeAllConnections();
    await closed;
  });
  return publisher;
};

const site = async (issuers: AssertionOptions['issuers']) => {
  const server = await featureServer({ scopes: { read: 'Read' }, features: [assertions({ issuers })] });
  closing.push(() => server.close());
  let ahead = 0;
  const send = async (signer: Signer, changes: Record<string, unknown> = {}, header: Record<string, unknown> = {}) => {
    const claims = { ...signer.claims(server.issuer, Date.now() / 1000 + ahead), jti: randomUUID(), ...changes };
    const form = { grant_type: JWT_BEARER, assertion: await signer.sign(claims, header) };
    const { status, json, headers } = await server.post('/oauth/token', form);
    return { status, error: json?.['error'], retryAfter: headers.get('retry-after') };
  };
  const pass = (seconds: number): void => {
    ahead += seconds;
    server.advance(seconds);
  };
  return { server, send, pass };
};

describe('fetched keys', () => {
  test.each([
    ['the metadata of the issuer', (): Partial<AssertionIssuer> => ({})],
    ['jwksUri', (issuer: string): Partial<AssertionIssuer> => ({ jwksUri: `${issuer}/keys` })],
  ])(
    'of %s are kept, found again after a rotation, and a flood of unknown names fetches twice a minute',
    async (_name, more) => {
      const publisher = await startPublisher();
      const { issuer } = publisher;
      const [first, second] = [await Signer.make(issuer, 'ES256', 'one'), await Signer.make(issuer, 'ES256', 'two')];
      publisher.keys = [first.jwk];
      const { send, pass } = await site([{ issuer, owner, ...more(issuer) }]);
      const fetches = (): number => publisher.asked.filter((url) => url === '/keys').length;
      expect(await send(first)).toMatchObject({ status: 200 });
      expect(await send(first)).toMatchObject({ status: 200 });
      expect(fetches()).toBe(1);
      pass(31);
      publisher.keys = [second.jwk];
      expect(await send(second)).toMatchObject({ status: 200 });
      expect(fetches()).toBe(2);
      for (let count = 0; count < 8; count += 1) {
        pass(7);
        expect((await send(second, {}, { kid: `unknown ${count}` })).status).toBe(400);
      }
      expect(fetches()).toBeLessThanOrEqual(4);
      expect(await send(first)).toMatchObject({ status: 400, error: 'invalid_grant' });
    },
  );

  test('that cannot be fetched are 503 with Retry-After, and the last ones serve for an hour', async () => {
    const publisher = await startPublisher();
    const { issuer } = publisher;
    const signer = await Signer.make(issuer);
    publisher.keys = [signer.jwk];
    publisher.fails = true;
    const { server, send, pass } = await site([{ issuer, owner }]);
    const away = { status: 503, error: 'temporarily_unavailable', retryAfter: expect.stringMatching(/^\d+$/) };
    expect(await send(signer)).toMatchObject(away);
    publisher.fails = false;
    pass(31);
    expect(await send(signer)).toMatchObject({ status: 200 });
    publisher.fails = true;
    pass(3000);
    expect(await send(signer)).toMatchObject({ status: 200 });
    pass(4000);
    expect(await send(signer)).toMatchObject(away);
    expect(server.errors.length).toBeGreaterThan(0);
  });

  test('of a function are read again for an unknown name, and its failure is 503', async () => {
    const signer = await Signer.make('https://cluster.example');
    let answer: () => Awaited<ReturnType<NonNullable<AssertionIssuer['keys']>>> = () => {
      throw new Error('The cluster is away.');
    };
    let asked = 0;
    const keys = () => {
      asked += 1;
      return answer();
    };
    const { server, send, pass } = await site([{ issuer: signer.issuer, owner, keys }]);
    expect(await send(signer)).toMatchObject({ status: 503 });
    answer = () => ({ keys: [{ ...signer.jwk }] });
    pass(31);
    expect(await send(signer)).toMatchObject({ status: 200 });
    for (let count = 0; count < 5; count += 1) await send(signer, {}, { kid: 'unknown' });
    expect(asked).toBeLessThanOrEqual(3);
    expect(server.errors.length).toBeGreaterThan(0);
  });
});

describe('a function that finds issuers', () => {
  let signer: Signer;
  beforeAll(async () => {
    signer = await Signer.make('https://customer.example');
  });

  test('is asked once a minute, and what it does not know is refused', async () => {
    const asked: string[] = [];
    const find = (issuer: string) => {
      asked.push(issuer);
      return issuer === signer.issuer ? signer.entry({ owner }) : undefined;
    };
    const { send, pass } = await site({ find });
    for (let count = 0; count < 3; count += 1) expect(await send(signer)).toMatchObject({ status: 200 });
    expect(asked).toEqual([signer.issuer]);
    for (let count = 0; count < 2; count += 1)
      expect(await send(signer, { iss: 'https://unknown.example' })).toMatchObject({
        status: 400,
        error: 'invalid_grant',
      });
    expect(asked).toEqual([signer.issuer, 'https://unknown.example']);
    pass(61);
    expect(await send(signer)).toMatchObject({ status: 200 });
    expect(asked).toHaveLength(3);
  });

  test.each([
    ['another issuer', () => signer.entry({ owner, issuer: 'https://other.example' })],
    ['an issuer without anybody', () => signer.entry({})],
    ['a misspelt member', () => ({ ...signer.entry({ owner }), maxLifeTime: 5 })],
    ['something else', () => 'https://customer.example' as never],
    ['an error', () => Promise.reject(new Error('The database is away.'))],
  ])('and returns %s: 503, and the mistake is reported', async (_name, answer) => {
    const { server, send } = await site({ find: answer });
    expect(await send(signer)).toMatchObject({ status: 503, error: 'temporarily_unavailable' });
    expect(server.errors).toHaveLength(1);
  });
});
