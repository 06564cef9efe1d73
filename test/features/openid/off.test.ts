import { oauthQuery } from 'oauth-query/fetch';
import { openIdConnect } from 'oauth-query/openid';
import { expect, test } from 'vitest';
import { basic } from '../../hosts.js';
import { PKCE } from '../../oauth/support/browser.js';
import { formOf } from '../../oauth/support/browser.js';
import { DEVICE_CODE, fixture, START, USERS } from '../../oauth/support/fixture.js';
import { loadedBy, sourceFiles } from '../../source-graph.js';
import { RSA } from './support.js';

const ISSUER = 'https://op.example';

/** Bytes that are the same in every run. */
const countedRandom = () => {
  let count = 0;
  return (length: number) => Uint8Array.from({ length }, () => (count = (count * 31 + 7) % 251));
};

/** What the answers of a server have in common, whatever was sealed with its random bytes. */
const shown = async (response: Response): Promise<string> => {
  const text = (await response.text()).replaceAll(/value="[\w-]{40,}"/g, 'value="…"');
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value.replaceAll(/[\w-]{40,}/g, '…')}`);
  return [response.status, ...headers.filter((line) => !line.startsWith('content-length')), '', text].join('\n');
};

/** Plays every flow with parameters of OpenID Connect at a server, and returns every answer and every record. */
const play = async (more: object): Promise<{ readonly answers: string; readonly records: string }> => {
  const { options, store } = fixture({ ...more });
  const { handler } = oauthQuery({
    ...options,
    runtime: { ...options.runtime, random: countedRandom() },
    issuer: ISSUER,
  });
  const answers: string[] = [];
  let cookie = '';
  const ask = async (path: string, form?: Record<string, string>, headers: Record<string, string> = {}) => {
    const url = path.startsWith('/') ? ISSUER + path : path;
    const body = form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) };
    const response = await handler(new Request(url, { headers: { cookie, ...headers }, ...body }));
    cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie;
    const copy = response.clone();
    answers.push(await shown(response));
    return copy;
  };
  const submit = async (page: Response, typed: Record<string, string>) => {
    const { action, fields } = formOf({ text: await page.text() });
    return ask(action, { ...fields, ...typed });
  };
  const request = {
    ...{
      client_id: 'web',
      response_type: 'code',
      scope: 'profile',
      redirect_uri: 'https://app.example/cb',
      ...PKCE.request,
    },
    ...{
      nonce: 'n',
      prompt: 'none',
      max_age: '0',
      display: 'page',
      login_hint: 'bob',
      id_token_hint: 'x',
    },
    ...{ response_mode: 'fragment', acr_values: 'x' },
  };
  const login = await ask(`/oauth/authorize?${new URLSearchParams(request).toString()}`);
  const signedIn = await submit(login, USERS[0]);
  const consent = await ask(signedIn.headers.get('location') ?? '');
  const done = await submit(consent, { decision: 'approve' });
  const code = new URL(done.headers.get('location') ?? '').searchParams.get('code') ?? '';
  const credentials = basic('web', 'web-secret');
  const redemption = { grant_type: 'authorization_code', code, redirect_uri: 'https://app.example/cb' };
  const tokens = (await (
    await ask('/oauth/token', { ...redemption, code_verifier: PKCE.verifier }, credentials)
  ).json()) as Record<string, string>;
  await ask('/oauth/token', { grant_type: 'refresh_token', refresh_token: tokens['refresh_token'] ?? '' }, credentials);
  await ask('/oauth/introspect', { token: tokens['access_token'] ?? '' }, credentials);
  const service = basic('service', 'service-secret');
  await ask('/oauth/token', { grant_type: 'client_credentials', scope: 'content.read', nonce: 'n' }, service);
  const device = (await (await ask('/oauth/device', { client_id: 'tv', nonce: 'n' })).json()) as {
    device_code: string;
    user_code: string;
  };
  const typed = await submit(await ask('/oauth/device'), { user_code: device.user_code });
  await submit(typed, { decision: 'approve' });
  const polled = { grant_type: DEVICE_CODE, client_id: 'tv', device_code: device.device_code };
  await ask('/oauth/token', polled);
  await ask('/oauth/grants');
  const kept = JSON.stringify([...store.entries()]);
  await ask('/oauth/revoke', { token: tokens['access_token'] ?? '' }, credentials);
  await ask('/oauth/introspect', { token: tokens['access_token'] ?? '' }, credentials);
  // The mark of whoever takes a code, after the time, is random even here.
  const marks = new RegExp(`(?<=\\b${START.toString(36)} )[\\w-]+`, 'g');
  const records = (kept + JSON.stringify([...store.entries()])).replaceAll(marks, '…');
  return { answers: answers.join('\n\n'), records };
};

test('O1, O4: parameters of OpenID Connect change nothing while it is off, nor in a request without openid while it is on', async () => {
  const off = await play({});
  const on = await play({ features: [openIdConnect({ keys: [{ key: RSA }] })] });
  expect(off.answers).not.toMatch(/id_token|login_required|auth_time/);
  expect(off.records).not.toMatch(/auth_time|acr|amr|kept/);
  // Introspection shows when the owner signed in, and the grant keeps it; nothing else differs.
  expect(on.answers.replace(/,"auth_time":\d+/, '')).toBe(off.answers);
  expect(on.records.replaceAll(/,"auth_time":\d+|,"amr":\["pwd"\]/g, '')).toBe(off.records);
  // The code, its refresh, the client's own token and the device; the token that was revoked.
  expect(off.answers.match(/"access_token"/g)).toHaveLength(4);
  expect(off.answers).toContain('"active":false');
});

test('O1: without the feature, openid-configuration and the keys are what they were', async () => {
  const { options } = fixture();
  const { handler } = oauthQuery({ ...options, issuer: ISSUER });
  const [document, keys, userinfo] = await Promise.all(
    ['/.well-known/openid-configuration', '/oauth/jwks', '/oauth/userinfo'].map((path) =>
      handler(new Request(ISSUER + path)),
    ),
  );
  expect(await document?.json()).not.toHaveProperty('userinfo_endpoint');
  expect(document?.headers.get('etag')).toBeNull();
  expect(await keys?.json()).toEqual({ keys: [] });
  expect(userinfo?.status).toBe(404);
  expect(() =>
    oauthQuery({ ...options, issuer: ISSUER, metadata: { userinfo_endpoint: 'https://x.example/me' } }),
  ).not.toThrow();
});

test('O2: no other entry loads its code', () => {
  const files = sourceFiles();
  const entries = [
    'core/index.ts',
    ...['express', 'koa', 'fastify', 'node', 'fetch'].map((name) => `adapters/${name}/index.ts`),
  ];
  expect(entries.flatMap((entry) => [...loadedBy(entry, files)].filter((path) => path.startsWith('openid/')))).toEqual(
    [],
  );
});
