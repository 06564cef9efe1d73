import { describe, expect, test } from 'vitest';
import { oauthQuery } from '../../../src/adapters/express/index.js';
import { basic, Client, eachFramework, oneHostEach, sendRaw, useHost } from '../../hosts.js';
import { everyRow } from '../../rows.js';
import { responseOf } from '../support/browser.js';
import { fixture } from '../support/fixture.js';
import { Flows } from '../support/tokens.js';

/** Headers with which a proxy, or an attacker, names another address. */
const SPOOFED = {
  host: 'evil.example',
  'x-forwarded-host': 'evil.example',
  'x-forwarded-proto': 'https',
  'x-forwarded-port': '444',
  'x-forwarded-prefix': '/evil',
  'x-original-url': '/evil',
  forwarded: 'for=1.2.3.4;host=evil.example;proto=https',
  origin: 'https://evil.example',
};

describe.each(eachFramework)('$name', ({ start }) => {
  const { options } = fixture();

  const host = useHost({ start }, { options });
  const client = new Client(() => host.base);

  test('#9 no header changes the URLs in metadata, pages, redirects, device codes and introspection (RFC 9700 §4.13, RFC 9207 §2)', async () => {
    const path = '/.well-known/oauth-authorization-server';
    const [usual, spoofed] = [await client.get(path), await client.get(path, SPOOFED)];
    expect(spoofed.text).toBe(usual.text);
    expect(usual.json).toMatchObject({ issuer: host.base, token_endpoint: `${host.base}/oauth/token` });
    expect(spoofed.text).not.toContain('evil');

    const device = await client.post('/oauth/device', 'client_id=tv', SPOOFED);
    expect(device.json['verification_uri']).toBe(`${host.base}/oauth/device`);

    const mounted = host.base.slice(host.origin.length);
    const page = await client.get('/oauth/authorize?client_id=web&response_type=code', SPOOFED);
    expect(page.text).toContain(`action="${mounted}/oauth/authorize"`);
    expect(page.text).not.toContain('evil');
    const sent = await client.post('/oauth/authorize', 'client_id=web&response_type=code', SPOOFED);
    expect(sent.headers.location?.startsWith(`${mounted}/oauth/authorize?resume=`)).toBe(true);

    const denied = await client.get('/oauth/authorize?client_id=web&response_type=nonsense', SPOOFED);
    expect(responseOf(denied)).toMatchObject({ error: 'unsupported_response_type', iss: host.base });
    const { access_token } = await new Flows(host).tokens('spa');
    const asking = { ...basic('api', 'api-secret'), ...SPOOFED };
    const seen = await client.post('/oauth/introspect', { token: access_token }, asking);
    expect(seen.json).toMatchObject({ active: true, iss: host.base, aud: host.base });
  });

  test('#9 a URL in the request line does not change the URLs (RFC 9700 §4.13)', async () => {
    const path = `${host.base.slice(host.origin.length)}/.well-known/oauth-authorization-server`;
    const answer = await sendRaw(
      host.origin,
      `GET http://evil.example${path} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).not.toContain('evil');
    // Frameworks differ in whether they route such a request; who does shows the usual document.
    if (answer.startsWith('HTTP/1.1 200')) expect(answer).toContain(`"issuer":"${host.base}"`);
    else expect(answer).toMatch(/^HTTP\/1\.1 404/);
  });
});

const build = (issuer: string) => () => oauthQuery({ issuer, onWarning: () => undefined });

test('#10 an issuer that is not a plain https URL is rejected at construction (RFC 8414 §2)', () =>
  everyRow(
    [
      ['https://example.org?x=1', 'neither a query nor a fragment'],
      ['https://example.org?', 'neither a query nor a fragment'],
      ['https://example.org#x', 'neither a query nor a fragment'],
      ['https://example.org#', 'neither a query nor a fragment'],
      ['http://example.org', 'must begin with https://'],
      ['http://127.0.0.1.example.org', 'must begin with https://'],
      ['http://10.0.0.1', 'must begin with https://'],
      ['ftp://example.org', 'must begin with https://'],
      ['https://user:password@example.org', 'neither a user name nor a password'],
      ['https://example.org/', 'must not end with a slash'],
      ['https://example.org/auth/', 'must not end with a slash'],
      ['example.org', 'must be an absolute URL'],
      ['/auth', 'must be an absolute URL'],
      ['', 'must be an absolute URL'],
    ],
    ([issuer, reason]) => {
      expect(build(issuer)).toThrow(TypeError);
      expect(build(issuer)).toThrow(reason);
    },
  ));

test('#10 an issuer may have a port and a path, and may use http on loopback (RFC 8414 §2)', () =>
  everyRow(
    [
      'https://example.org',
      'https://example.org/auth',
      'https://example.org:8443',
      'http://127.0.0.1:3000',
      'http://localhost:3000',
      'http://[::1]:3000/auth',
    ],
    (issuer) => {
      expect(build(issuer)).not.toThrow();
    },
  ));

test('#9 without an issuer, the Host header determines it, and must be a loopback address (RFC 9700 §4.13)', async () => {
  const { options, errors } = fixture();
  const [anyHost] = oneHostEach;
  const host = await anyHost!.start({ options, withoutIssuer: true });
  const path = '/.well-known/oauth-authorization-server';
  const metadata = (name: string) => new Client(host.base).get(path, { host: name });
  expect((await metadata('localhost:1')).json['issuer']).toBe('http://localhost:1');
  expect(errors).toEqual([]);
  const names = ['evil.example', 'evil.example:1', '127.0.0.1.evil.example', '10.0.0.1', 'evil.example/127.0.0.1'];
  await everyRow(names, async (name) => {
    const { status, text } = await metadata(name);
    expect([status, text.includes('evil')]).toEqual([500, false]);
    expect(errors.splice(0).map(String)).toEqual([expect.stringContaining('options.issuer is missing')]);
  });
});
