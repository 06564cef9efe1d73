import { describe, expect, test } from 'vitest';
import { type Answer, basic, Client, hostFor, useHost } from '../../hosts.js';
import { everyRow } from '../../rows.js';
import { fixture } from '../support/fixture.js';

const SERVICE = basic('service', 'service-secret');
const FRIEND = 'https://spa.example';
const STRANGER = 'https://evil.example';
const METADATA = '/.well-known/oauth-authorization-server';

/** The CORS headers of an answer. */
const corsOf = ({ headers }: Answer) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')));

describe.each(hostFor(import.meta.url))('$name', ({ start }) => {
  const friends = useHost({ start }, fixture({ cors: [FRIEND, 'https://other.example:8443'] }));
  const open = useHost({ start }, fixture({ cors: ['*'] }));
  const closed = useHost({ start }, fixture({}));
  const client = new Client(() => friends.base);

  /** An answer of each kind from each endpoint that scripts may call. */
  const callable = async (from: Client, origin: string): Promise<readonly Answer[]> => [
    await from.post('/oauth/token', 'grant_type=client_credentials', { ...SERVICE, origin }),
    await from.post('/oauth/token', 'grant_type=client_credentials', { origin }),
    await from.post('/oauth/revoke', 'token=x', { ...SERVICE, origin }),
    await from.post('/oauth/revoke', '', { ...SERVICE, origin }),
    await from.get(METADATA, { origin }),
    await from.request('/oauth/token', { method: 'PUT', headers: { origin } }),
  ];

  test('#14 an allowed origin may read the token, revocation and metadata endpoints, never with credentials (RFC 9700 §2.6)', async () => {
    const answers = await callable(client, FRIEND);
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 200, 400, 200, 405]);
    for (const answer of answers) {
      expect(corsOf(answer)).toEqual({ 'access-control-allow-origin': FRIEND });
      expect(answer.headers.vary).toBe('Origin');
    }
  });

  test('#14 any other origin may not, however similar (RFC 9700 §2.6)', () => {
    const similar = [`${FRIEND}.evil.example`, `${FRIEND}:444`, 'http://spa.example', 'https://SPA.example'];
    return everyRow([STRANGER, 'null', '', ...similar], async (origin) => {
      for (const answer of await callable(client, origin)) {
        expect(corsOf(answer)).toEqual({});
        // A cache must not return this answer to the allowed origin, nor the other way round.
        expect(answer.headers.vary).toBe('Origin');
      }
    });
  });

  test('#14 a preflight response lists the methods and headers of the endpoint (RFC 9700 §2.6)', async () => {
    const ask = (path: string, origin: string) =>
      client.request(path, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
      });
    const allowed = await ask('/oauth/token', FRIEND);
    expect([allowed.status, allowed.text]).toEqual([204, '']);
    expect(corsOf(allowed)).toEqual({
      'access-control-allow-origin': FRIEND,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'authorization',
      'access-control-max-age': '600',
    });
    expect(corsOf(await ask('/oauth/revoke', FRIEND))).toMatchObject({ 'access-control-allow-methods': 'POST' });
    expect(corsOf(await ask(METADATA, FRIEND))).toMatchObject({ 'access-control-allow-methods': 'GET, HEAD' });
    expect(corsOf(await ask('/oauth/token', STRANGER))).not.toHaveProperty('access-control-allow-origin');
  });

  test('#14 a preflight response allows the headers that browser clients add', async () => {
    const allowed = async (path: string, names?: string): Promise<string | undefined> => {
      const headers = {
        ...{ origin: FRIEND, 'access-control-request-method': 'POST' },
        ...(names !== undefined && { 'access-control-request-headers': names }),
      };
      return (await client.request(path, { method: 'OPTIONS', headers })).headers['access-control-allow-headers'];
    };
    const added = 'authorization,x-okta-user-agent-extended, traceparent';
    expect(await allowed('/oauth/token', added)).toBe(added);
    expect(await allowed(METADATA, added)).toBe(added);
    for (const wrong of ['x y', 'a;b', 'x,', '', 'ä', 'x'.repeat(2000), undefined])
      expect([wrong, await allowed('/oauth/token', wrong)]).toEqual([wrong, 'authorization, content-type']);
  });

  test('#14 pages, and endpoints for servers, have no CORS headers (RFC 9700 §2.6)', async () => {
    for (const host of [friends, open]) {
      const from = new Client(host.base);
      const headers = { origin: FRIEND };
      for (const answer of [
        await from.get('/oauth/authorize?client_id=web&response_type=code', headers),
        await from.get('/oauth/authorize?client_id=web&response_type=nonsense', headers),
        await from.get('/oauth/authorize', headers),
        await from.post('/oauth/authorize', 'client_id=web&response_type=code', headers),
        await from.request('/oauth/authorize', { method: 'OPTIONS', headers }),
        await from.get('/oauth/device', headers),
        await from.post('/oauth/device', 'client_id=tv', headers),
        await from.request('/oauth/device', { method: 'OPTIONS', headers }),
        await from.post('/oauth/device/verify', 'user_code=x', headers),
        await from.post('/oauth/introspect', 'token=x', { ...headers, ...basic('api', 'api-secret') }),
        await from.request('/oauth/introspect', { method: 'OPTIONS', headers }),
      ]) {
        expect(corsOf(answer)).toEqual({});
      }
    }
  });

  test('#14 with the origin *, every origin may, without credentials (RFC 9700 §2.6)', async () => {
    for (const answer of await callable(new Client(open.base), STRANGER)) {
      expect(corsOf(answer)).toEqual({ 'access-control-allow-origin': '*' });
    }
  });

  test('#14 without the option cors, no origin may (RFC 9700 §2.6)', async () => {
    const from = new Client(closed.base);
    for (const answer of await callable(from, FRIEND)) {
      expect(corsOf(answer)).toEqual({});
      expect(answer.headers.vary).toBeUndefined();
    }
    expect((await from.request('/oauth/token', { method: 'OPTIONS', headers: { origin: FRIEND } })).status).toBe(405);
  });
});
