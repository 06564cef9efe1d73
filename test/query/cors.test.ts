import { describe, expect, test } from 'vitest';
import { Client } from '../hosts.js';
import { useStarted } from '../hosts/listen.js';
import { everyRow } from '../rows.js';
import { startQuery } from './fixture.js';

const host = useStarted(() =>
  startQuery({
    cors: ['https://allowed.example', '*.wild.example', 'localhost:*', '127.0.0.1'],
  }),
);

/** A request with header fields that `fetch` would not let us set. */
const send = (query: string, headers: Readonly<Record<string, string>>, method = 'GET') =>
  new Client(host.origin).request(`/api?format=json&action=query&${query}`, { method, headers });

const EXPOSED = 'MediaWiki-API-Error, Retry-After, X-Database-Lag, MediaWiki-Login-Suppressed';

describe('CORS', () => {
  test('origin=* is allowed for all origins, and the caller is anonymous', async () => {
    const { headers, text } = await send('origin=*&assert=user', {
      authorization: 'Bearer alice',
      origin: 'https://any.example',
    });
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-credentials': 'false',
      'access-control-expose-headers': EXPOSED,
      'mediawiki-login-suppressed': 'true',
    });
    expect(headers.vary).not.toContain('Origin');
    expect(text).toContain('assertuserfailed');
  });

  test('crossorigin keeps the bearer token, which browsers never send themselves', async () => {
    const { headers, text } = await send('crossorigin=&assert=user', {
      authorization: 'Bearer alice',
      origin: 'https://any.example',
    });
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(headers['mediawiki-login-suppressed']).toBeUndefined();
    expect(text).not.toContain('error');
  });

  test('matching origins are allowed', () =>
    everyRow(
      [
        'https://allowed.example',
        'https://a.wild.example',
        'https://b.c.wild.example',
        'http://localhost:3000',
        'https://localhost:3000',
        'http://127.0.0.1',
      ],
      async (origin) => {
        const { headers } = await send(`origin=${encodeURIComponent(origin)}`, { origin });
        expect(headers).toMatchObject({
          'access-control-allow-origin': origin,
          'access-control-allow-credentials': 'true',
          'timing-allow-origin': origin,
          'access-control-expose-headers': EXPOSED,
          vary: 'Accept-Encoding, Treat-as-Untrusted, Authorization, Origin',
        });
      },
    ));

  test('other origins are not allowed, but the request is answered', () =>
    everyRow(
      [
        'https://allowed.example:8443',
        'http://allowed.example',
        'https://wild.example.evil.example',
        'https://evilwild.example',
        'http://a.wild.example', // Who stands on the way could be it.
        'http://localhost.evil.example:80',
        'http://127.0.0.1:81',
        'null',
      ],
      async (origin) => {
        const { status, headers, text } = await send(`origin=${encodeURIComponent(origin)}`, { origin });
        expect([status, text]).toEqual([200, '{"batchcomplete":""}']);
        expect(headers['mediawiki-cors-rejection']).toBe('Origin mismatch');
        expect(headers['access-control-allow-origin']).toBeUndefined();
        expect(headers.vary).toContain('Origin');
      },
    ));

  test.each<[string, Readonly<Record<string, string>>, string]>([
    ['origin=https://allowed.example', {}, "'origin' parameter does not match Origin header"],
    ['origin=', { origin: 'https://allowed.example' }, "'origin' parameter does not match Origin header"],
    [
      'origin=https://allowed.example/',
      { origin: 'https://allowed.example' },
      "'origin' parameter does not match Origin header",
    ],
    ['origin=*&crossorigin=', {}, "'origin' and 'crossorigin' parameters cannot be used together"],
  ])('%s is rejected with a sentence', async (query, headers, reason) => {
    const answer = await send(query, headers);
    expect([answer.status, answer.text.trim(), answer.headers['cache-control']]).toEqual([403, reason, 'no-cache']);
    expect(answer.headers['content-type']).toBe('text/html; charset=UTF-8');
  });

  test('a preflight response lists what may be sent, and runs nothing', async () => {
    const origin = 'https://allowed.example';
    const ask = (more: Readonly<Record<string, string>>) =>
      send(
        `origin=${origin}&list=allpages&aplimit=x`,
        { origin, 'access-control-request-method': 'POST', ...more },
        'OPTIONS',
      );
    const plain = await ask({});
    expect([plain.status, plain.text, plain.headers['access-control-allow-methods']]).toEqual([
      200,
      '',
      'POST, GET, HEAD',
    ]);
    expect(
      (await ask({ 'access-control-request-headers': 'Authorization, Content-Type' })).headers[
        'access-control-allow-headers'
      ],
    ).toBe('Authorization, Content-Type');
    const { headers: refused } = await ask({ 'access-control-request-headers': 'X-Evil' });
    expect(refused['mediawiki-cors-rejection']).toBe('Unsupported header requested in preflight');
    expect([refused['access-control-allow-origin'], refused['access-control-allow-credentials']]).toEqual([
      undefined,
      undefined,
    ]);
    expect((await ask({ 'access-control-request-method': 'DELETE' })).headers['mediawiki-cors-rejection']).toBe(
      'Unsupported method requested in preflight',
    );
  });

  test('OPTIONS without a preflight is empty', async () => {
    const { status, text } = await send('list=allpages&aplimit=x', {}, 'OPTIONS');
    expect([status, text]).toEqual([200, '']);
  });

  test('a request with an untrusted origin is anonymous', async () => {
    const { headers, text } = await send('assert=user', { authorization: 'Bearer alice', 'treat-as-untrusted': '1' });
    expect(headers['mediawiki-login-suppressed']).toBe('true');
    expect(text).toContain('assertuserfailed');
  });

  test('an invalid origin is rejected at construction', async () => {
    await expect(startQuery({ cors: ['https://allowed.example/path'] })).rejects.toThrow(/options\.cors/);
  });
});
