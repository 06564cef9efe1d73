import { selfRegistration } from 'oauth-query/self-registration';
import { describe, expect, test } from 'vitest';
import { readDocument } from '../../../src/clients/documents/client-document.js';
import { Client, hostFor, type RunningHost, useHost } from '../../hosts.js';
import { Browser, formOf, locationOf, PKCE, responseOf } from '../../oauth/support/browser.js';
import { fixture } from '../../oauth/support/fixture.js';
import { openIdFixture, RSA } from './support.js';

const OURS = 'https://app.example/bye?x=1';
const REDIRECTS = ['https://app.example/cb', 'http://127.0.0.1/cb'];

/** Everything that a client may try to say. */
const GIVEN = {
  redirect_uris: REDIRECTS,
  post_logout_redirect_uris: [
    OURS,
    'http://localhost:4711/bye',
    'https://other.example/bye',
    'https://app.example:8443/bye',
    'https://app.example.other.example/bye',
    'javascript:alert(1)',
    'cursor://bye',
    7,
  ],
  backchannel_logout_uri: 'https://app.example/told',
  id_token_signed_response_alg: 'ES256',
  default_max_age: 600,
  require_auth_time: true,
  subject_type: 'pairwise',
};
const KEPT = [OURS, 'http://localhost:4711/bye'];

const register = ({ base }: RunningHost) =>
  new Client(base).request('/oauth/register', {
    ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(GIVEN) },
  });

describe.each(hostFor(import.meta.url))('clients that describe themselves, on $name', (host) => {
  const { options, errors } = openIdFixture(
    { keys: [{ key: RSA }] },
    {
      features: [selfRegistration()],
      clients: [],
    },
  );
  // These need keys that this server does not have.
  const clients = (options.clients as readonly { client_id: string }[]).filter(
    ({ client_id }) => !/^e[sd]$/.test(client_id),
  );
  const running = useHost(host, { options: { ...options, clients: clients as never } }, errors);

  test('O86: logout leads to their own hosts only, nobody tells them of a logout, and what is answered is what holds', async () => {
    const { status, json } = await register(running);
    expect(status).toBe(201);
    expect(json).toMatchObject({
      ...{ post_logout_redirect_uris: KEPT, default_max_age: 600, require_auth_time: true, subject_type: 'public' },
    });
    // ES256 has no key here, so the default holds.
    expect(json).not.toHaveProperty('id_token_signed_response_alg');
    expect(json).not.toHaveProperty('backchannel_logout_uri');
    const client_id = String(json['client_id']);
    const browser = new Browser(running);
    const answer = await browser.authorizeFor({
      ...{ client_id, response_type: 'code', redirect_uri: REDIRECTS[0] ?? '', scope: 'openid', ...PKCE.request },
    });
    const { code = '' } = responseOf(answer);
    const tokens = await new Client(running.base).post('/oauth/token', {
      ...{ grant_type: 'authorization_code', client_id, code, redirect_uri: REDIRECTS[0] ?? '' },
      code_verifier: PKCE.verifier,
    });
    const [head = '', payload = ''] = String(tokens.json['id_token'])
      .split('.')
      .map((part) => Buffer.from(part, 'base64url').toString());
    expect([JSON.parse(head).alg, JSON.parse(payload)]).toMatchObject(['RS256', { auth_time: expect.any(Number) }]);
    expect(JSON.parse(payload)).not.toHaveProperty('sid');
    const out = (address: string) =>
      new Client(running.base).get(
        `/oauth/logout?${new URLSearchParams({ client_id, post_logout_redirect_uri: address }).toString()}`,
      );
    // Nothing shows that a user of this client is on the way: anyone can register, and link to this page (RFC 9700 §4.11.2).
    expect(locationOf(await out(OURS))).toBe('/');
    // What the question carries can be copied into a link too.
    const asked = `/oauth/logout?${new URLSearchParams({ client_id, post_logout_redirect_uri: OURS }).toString()}`;
    const { resume = '' } = formOf(await browser.open(`${running.base}${asked}`)).fields;
    expect(resume).not.toBe('');
    for (const reader of [new Browser(running), browser])
      expect(locationOf(await reader.open(`${running.base}/oauth/logout?resume=${resume}`))).toBe('/');
    expect(locationOf(await new Client(running.base).post('/oauth/logout', { resume }))).toBe('/');
    const ending = `/oauth/logout?${new URLSearchParams({ client_id, post_logout_redirect_uri: OURS, id_token_hint: String(tokens.json['id_token']) }).toString()}`;
    expect(locationOf(await browser.open(`${running.base}${ending}`))).toBe(OURS);
    expect(locationOf(await out('https://other.example/bye'))).toBe('/');
  });

  test('O1, O86: without the feature, such members are ignored', async () => {
    const off = fixture({ features: [selfRegistration()] });
    const plain = await host.start({ options: off.options });
    const { json } = await register(plain);
    expect(Object.keys(json).filter((name) => /logout|max_age|auth_time|alg|subject/.test(name))).toEqual([]);
  });
});

test('O86: the document of a client is read in the same way', () => {
  const address = 'https://app.example/client.json';
  const document = readDocument(address, { ...GIVEN, client_id: address, client_name: 'App' });
  expect(document).toMatchObject({ post_logout_redirect_uris: KEPT, id_token_signed_response_alg: 'ES256' });
  expect(document).not.toHaveProperty('backchannel_logout_uri');
  const wrong = readDocument(address, {
    ...{ client_id: address, client_name: 'App', redirect_uris: REDIRECTS },
    ...{
      post_logout_redirect_uris: 'x',
      default_max_age: -1,
      require_auth_time: 'yes',
      id_token_signed_response_alg: 'none',
    },
  });
  expect(Object.keys(wrong).filter((name) => /logout|max_age|auth_time|alg/.test(name))).toEqual([]);
});
