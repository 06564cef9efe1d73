import { text } from 'node:stream/consumers';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { type Answer, oneHostEach } from '../../../hosts.js';
import { behindTls } from '../../../hosts/behind-tls.js';
import { listen } from '../../../hosts/listen.js';
import type { Browser } from '../../../oauth/support/browser.js';
import { type Fields, OUT, useSuite } from './site.js';

/** Listens like the suite at its back-channel address. */
const received: { readonly type: string | undefined; readonly form: URLSearchParams }[] = [];
const channel = await listen(async (request, response) => {
  received.push({ type: request.headers['content-type'], form: new URLSearchParams(await text(request)) });
  response.writeHead(200).end();
});
afterAll(() => channel.close());
beforeEach(() => void (received.length = 0));

const HOSTS = [...oneHostEach, behindTls];

describe.each(HOSTS)('the modules of RP-initiated and back-channel logout on $name', (host) => {
  const suite = useSuite(host, 'query', {
    backchannel_logout_uri: `${channel.origin}/backchannel_logout`,
    backchannel_logout_session_required: true,
  });

  const leave = (browser: Browser, parameters: Fields): Promise<Answer> => {
    const { pathname } = new URL(`${suite.running.base}/oauth/logout`);
    return browser.open(`${pathname}?${new URLSearchParams(parameters)}`);
  };
  const signedIn = async () => {
    const browser = suite.browser();
    const { id_token = '' } = await suite.tokens({}, browser);
    return { browser, id_token };
  };
  const isSignedIn = async (browser: Browser): Promise<boolean> =>
    (await suite.authorize({ prompt: 'none' }, browser)).response?.['error'] !== 'login_required';

  /** A page of the server, which a person looks at; the browser did not leave. */
  const expectPage = (answer: Answer): void => {
    expect(answer.headers['content-type']).toMatch(/^text\/html/);
    expect([200, 400]).toContain(answer.status);
    expect(answer.headers.location).toBeUndefined();
  };

  test('oidcc-rp-initiated-logout-discovery-endpoint-verification, oidcc-backchannel-logout-discovery-endpoint-verification', async () => {
    const { json } = await suite.http.get('/.well-known/openid-configuration');
    expect(json).toMatchObject({
      end_session_endpoint: `${suite.running.base}/oauth/logout`,
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
    });
  });

  test('oidcc-rp-initiated-logout, oidcc-rp-initiated-logout-no-state', async () => {
    for (const state of ['out and back', undefined]) {
      const { browser, id_token } = await signedIn();
      expect(await isSignedIn(browser)).toBe(true);
      const asked = { id_token_hint: id_token, post_logout_redirect_uri: OUT, ...(state !== undefined && { state }) };
      const { location = '' } = (await leave(browser, asked)).headers;
      const url = new URL(location);
      expect([url.origin + url.pathname, url.searchParams.get('state')]).toEqual([OUT, state ?? null]);
      expect(await isSignedIn(browser)).toBe(false);
    }
  });

  test('oidcc-rp-initiated-logout-bad-post-logout-redirect-uri, oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri: a person looks at the page', async () => {
    for (const post_logout_redirect_uri of [`${OUT}/bad`, `${OUT}?dummy1=lorem`]) {
      const { browser, id_token } = await signedIn();
      expectPage(await leave(browser, { id_token_hint: id_token, post_logout_redirect_uri, state: 'x' }));
    }
  });

  test('oidcc-rp-initiated-logout-modified-id-token-hint, oidcc-rp-initiated-logout-bad-id-token-hint: a person looks at the page', async () => {
    const { browser, id_token } = await signedIn();
    const [head = '', body = '', signature = ''] = id_token.split('.');
    const changed = Buffer.from(body, 'base64url').toString().replace('"sub":"', '"sub":"x');
    const modified = `${head}.${Buffer.from(changed).toString('base64url')}.${signature}`;
    for (const id_token_hint of [modified, `${head}.${body}.${signature.slice(0, -4)}AAAA`, 'not a token']) {
      expectPage(await leave(browser, { id_token_hint, post_logout_redirect_uri: OUT, state: 'x' }));
      expect(await isSignedIn(browser)).toBe(true);
    }
  });

  test('oidcc-rp-initiated-logout-no-id-token-hint, oidcc-rp-initiated-logout-no-params, oidcc-rp-initiated-logout-only-state: a person looks at the page', async () => {
    for (const parameters of [{ post_logout_redirect_uri: OUT, state: 'x' }, {}, { state: 'x' }]) {
      const { browser } = await signedIn();
      expectPage(await leave(browser, parameters));
    }
  });

  test('oidcc-rp-initiated-logout-no-post-logout-redirect-uri: a person looks at the page', async () => {
    const { browser, id_token } = await signedIn();
    const answer = await browser.follow(await leave(browser, { id_token_hint: id_token }));
    expect(answer.status).toBeLessThan(500);
    expect(await isSignedIn(browser)).toBe(false);
  });

  test('oidcc-backchannel-rp-initiated-logout', async () => {
    const { browser, id_token } = await signedIn();
    const { claims } = await suite.verified(id_token);
    expect(claims['sid']).toEqual(expect.any(String));
    const asked = { id_token_hint: id_token, post_logout_redirect_uri: OUT, state: 'x' };
    expect((await leave(browser, asked)).headers.location).toBe(`${OUT}?state=x`);
    await expect.poll(() => received).toHaveLength(1);
    const [{ type, form } = { type: '', form: new URLSearchParams() }] = received;
    expect(type).toMatch(/^application\/x-www-form-urlencoded/);
    const { json } = await suite.http.get('/oauth/jwks');
    const { payload } = await jwtVerify(
      form.get('logout_token') ?? '',
      createLocalJWKSet(json as unknown as JSONWebKeySet),
      {
        ...{ issuer: suite.running.base, audience: 'first', typ: 'logout+jwt', algorithms: ['RS256'] },
        ...{ requiredClaims: ['iat', 'exp', 'jti', 'events'], currentDate: new Date(suite.fixture.clock()) },
      },
    );
    expect(payload).toMatchObject({
      sub: claims.sub,
      sid: claims['sid'],
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    });
    expect(payload).not.toHaveProperty('nonce');
    expect(await isSignedIn(browser)).toBe(false);
  });
});
