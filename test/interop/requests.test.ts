import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, Client, hostFor } from '../hosts.js';
import { Browser, formOf, PKCE, responseOf } from '../oauth/support/browser.js';
import { type Place, SECRET, startPlace } from './support.js';

const REDIRECT = 'http://127.0.0.1:49153/callback';

/** Basic credentials in the words of a library, before base64. */
const basicOf = (pair: string) => ({ authorization: `Basic ${Buffer.from(pair).toString('base64')}` });

/** Form-encoding of the most careful kind: everything but letters and digits. */
const careful = (text: string): string =>
  [...Buffer.from(text)]
    .map((byte) =>
      /[A-Za-z0-9]/.test(String.fromCharCode(byte))
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .join('');

describe.each(hostFor(import.meta.url))('common client behaviour at $name', (host) => {
  let place: Place;
  let client: Client;
  beforeAll(async () => {
    place = await startPlace(host);
    client = new Client(place.base);
  });
  afterAll(() => place.close());

  const request = (client_id: string, more: Readonly<Record<string, string>> = {}): string =>
    `${place.base}/oauth/authorize?${new URLSearchParams({ response_type: 'code', client_id, redirect_uri: REDIRECT, ...PKCE.request, ...more })}`;

  const redemption = async (client_id: string, more: Readonly<Record<string, string>> = {}) => {
    const { searchParams } = await place.decide(request(client_id, more));
    return {
      grant_type: 'authorization_code',
      code: searchParams.get('code') ?? '',
      redirect_uri: REDIRECT,
      code_verifier: PKCE.verifier,
    };
  };

  const token = (form: Readonly<Record<string, string>>, headers = {}): Promise<Answer> =>
    client.post('/oauth/token', form, headers);

  const own = { grant_type: 'client_credentials' };

  test.each([
    ['carefully encoded, with %2D for a hyphen', `${careful('web-app')}:${careful(SECRET)}`],
    ['encoded as forms are', `web-app:${new URLSearchParams({ '': SECRET }).toString().slice(1)}`],
    ['encoded as parts of addresses are', `${encodeURIComponent('web-app')}:${encodeURIComponent(SECRET)}`],
  ])('Basic credentials may be sent %s', async (_how, pair) => {
    expect((await token(own, basicOf(pair))).status).toBe(200);
    expect((await token(own, basicOf(`${pair}x`))).status).toBe(401);
  });

  test('a public client may send an empty secret in the body or in Basic, a confidential one may not', async () => {
    const inBody = await token({ ...(await redemption('native-app')), client_id: 'native-app', client_secret: '' });
    expect(inBody.status).toBe(200);
    const inHeader = await token(await redemption('native-app'), basicOf('native-app:'));
    expect(inHeader.status).toBe(200);
    const refresh = { grant_type: 'refresh_token', refresh_token: String(inHeader.json['refresh_token']) };
    const refreshed = await token(refresh, basicOf('native-app:'));
    expect(refreshed.status).toBe(200);
    // okta-auth-js revokes in this way.
    const revocation = { token: String(refreshed.json['refresh_token']) };
    expect((await client.post('/oauth/revoke', revocation, basicOf('native-app'))).status).toBe(200);
    expect((await client.post('/oauth/revoke', revocation, basicOf('web-app'))).status).toBe(401);
    expect((await token({ ...own, client_id: 'web-app', client_secret: '' })).status).toBe(401);
    expect((await token(own, basicOf('web-app:'))).status).toBe(401);
  });

  test('surplus fields change nothing, not even a scope in a code exchange', async () => {
    const fields = await redemption('native-app', { scope: 'profile' });
    const surplus = {
      scope: 'content.write',
      response_type: 'code',
      allow_redirects: 'True',
      'x[]': 'y',
      audience: '',
    };
    const answer = await token({ ...fields, ...surplus, client_id: 'native-app' });
    expect([answer.status, answer.json['scope']]).toEqual([200, 'profile']);
    const refresh = { grant_type: 'refresh_token', refresh_token: String(answer.json['refresh_token']) };
    const refreshed = await token({ ...refresh, scope: 'profile', allow_redirects: 'True', client_id: 'native-app' });
    expect([refreshed.status, refreshed.json['scope']]).toEqual([200, 'profile']);
  });

  test('loopback redirects go to any port, with a 303 after the form, under a policy that allows them', async () => {
    // A page whose referrer policy is no-referrer makes browsers say this of its forms.
    const browser = new Browser(place, { origin: 'null' });
    const consent = await browser.signIn(await browser.open(request('native-app', { state: 's' })));
    expect(consent.headers['referrer-policy']).toBe('no-referrer');
    expect(formOf(consent).buttons).toContain('decision=approve');
    expect(consent.headers['content-security-policy']).not.toContain('form-action');
    const answer = await browser.submit(consent, { decision: 'approve' });
    expect(answer.status).toBe(303);
    expect(answer.headers.location?.startsWith(`${REDIRECT}?`)).toBe(true);
    expect(responseOf(answer)).toMatchObject({ state: 's', iss: place.base, code: expect.any(String) });
  });
});
