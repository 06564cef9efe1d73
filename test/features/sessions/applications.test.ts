import { decodeJwt } from 'jose';
import { sessions } from 'oauth-query/sessions';
import { expect, test } from 'vitest';
import { hostFor } from '../../hosts.js';
import { responseOf } from '../../oauth/support/browser.js';
import { Flows } from '../../oauth/support/tokens.js';
import { openIdFixture } from '../openid/support.js';
import { AGENTS, SessionsPage } from './support.js';

const SHOP = {
  client_id: 'shop',
  client_secret: 'shop-secret',
  redirect_uris: ['https://shop.example/cb'],
  backchannel_logout_uri: 'https://shop.example/logout',
  scope: 'openid',
} as const;

test('an application with back-channel logout is told of the session that was ended, or of all', async () => {
  const told: { readonly sub?: unknown; readonly sid?: unknown }[] = [];
  const { options, errors } = openIdFixture(
    { sendLogoutToken: async (_address, token) => void told.push(decodeJwt(token)) },
    { clients: [SHOP], features: [sessions()] },
  );
  const host = await hostFor(import.meta.url)[0].start({ options });
  const flows = new Flows(host, [SHOP]);
  /** Signs in to the application in a browser: the page there, and the session in the ID token. */
  const signInto = async (agent: string) => {
    const page = new SessionsPage(host, agent);
    await page.signIn();
    const [redirect_uri] = SHOP.redirect_uris;
    const asked = { response_type: 'code', client_id: 'shop', redirect_uri, scope: 'openid' };
    const { code = '' } = responseOf(await page.browser.authorizeFor(asked));
    const { json } = await flows.post('/oauth/token', 'shop', { grant_type: 'authorization_code', code, redirect_uri });
    return { page, sid: decodeJwt(String(json['id_token']))['sid'] };
  };
  const desk = await signInto(AGENTS.firefox);
  const phone = await signInto(AGENTS.phone);
  expect(phone.sid).toEqual(expect.any(String));
  expect(phone.sid).not.toBe(desk.sid);

  await desk.page.end('Safari on iPhone');
  await expect.poll(() => told).toHaveLength(1);
  expect(told[0]).toMatchObject({ sub: 'alice', sid: phone.sid });
  await desk.page.end('others');
  await expect.poll(() => told).toHaveLength(2);
  expect(told[1]?.sub).toBe('alice');
  expect(told[1]).not.toHaveProperty('sid');
  expect(await desk.page.isSignedIn()).toBe(true);
  expect(errors).toEqual([]);
});
