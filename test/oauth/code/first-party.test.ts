import { checkClient, type ClientRegistration } from 'oauth-query';
import { describe, expect, test } from 'vitest';
import { hostFor, type HostOptions } from '../../hosts.js';
import { formOf, PKCE, responseOf } from '../support/browser.js';
import { CLIENTS, fixture } from '../support/fixture.js';
import { limitsOfTest } from '../support/limits.js';
import { Flows, refusal } from '../support/tokens.js';

const [WEB] = CLIENTS;
const OWN = { ...WEB, client_id: 'own', client_secret: 'own-secret', consent: 'skip' } as const;
const QUICK = {
  ...WEB,
  client_id: 'quick',
  client_secret: 'quick-secret',
  access_token_lifetime: 60,
  refresh_token_idle_lifetime: 600,
  refresh_token_lifetime: 1000,
  refresh_grace: 0,
} as const;

describe.each(hostFor(import.meta.url))('a first-party client, $name', ({ start }) => {
  const serve = async (more: HostOptions = {}) => {
    const { clients: _, ...others } = more;
    const set = fixture({ clients: [OWN, QUICK], ...others });
    const host = await start({ options: set.options });
    return { ...set, host, flows: new Flows(host, [OWN, QUICK]) };
  };
  const redirect_uri = 'https://app.example/cb';
  const asked = { response_type: 'code', client_id: 'own', scope: 'profile', redirect_uri, ...PKCE.request } as const;

  test('skips the consent page; its owner must still sign in, and the event says so', async () => {
    const { flows, events } = await serve();
    const browser = flows.browser();
    const login = await browser.authorize(asked);
    expect(formOf(login).fields).toHaveProperty('password');
    expect(String(login.headers['content-security-policy']), 'the form may lead to the client').not.toContain(
      'form-action',
    );
    expect(responseOf(await browser.signIn(login))).toHaveProperty('code');
    const again = responseOf(await browser.authorize(asked));
    expect((await flows.redeem('own', String(again['code']))).status).toBe(200);
    const created = events.filter(({ type }) => type === 'grant.created');
    expect(created).toEqual(Array(2).fill(expect.objectContaining({ client_id: 'own', sub: 'alice', silent: true })));
    const other = await browser.authorize({ ...asked, client_id: 'web' });
    expect(formOf(other).buttons, 'others are asked about').toContain('decision=approve');
  });

  test('shows the consent page if another page opens the URL repeatedly', async () => {
    limitsOfTest({ silentApprovals: 1 });
    const { flows } = await serve();
    const browser = flows.browser();
    expect(responseOf(await browser.signIn(await browser.authorize(asked)))).toHaveProperty('code');
    expect(formOf(await browser.authorize(asked)).buttons).toContain('decision=approve');
  });

  test('has its own lifetimes', async () => {
    const { flows, advance } = await serve();
    const usual = await flows.tokens('web');
    expect(usual.expires_in).toBe(3600);
    const first = await flows.tokens('quick');
    expect(first.expires_in).toBe(60);
    advance(500);
    const second = (await flows.refresh('quick', first.refresh_token)).json;
    expect(second['expires_in']).toBe(60);
    advance(470);
    const third = (await flows.refresh('quick', String(second['refresh_token']))).json;
    expect(third['expires_in'], 'until the grant ends').toBe(30);
    advance(30);
    expect(refusal(await flows.refresh('quick', String(third['refresh_token'])))).toEqual([400, 'invalid_grant']);
    const idle = await flows.tokens('quick');
    advance(600);
    expect(refusal(await flows.refresh('quick', idle.refresh_token))).toEqual([400, 'invalid_grant']);
    expect((await flows.refresh('web', usual.refresh_token)).status).toBe(200);
  });

  test('may disable the grace window', async () => {
    const { flows, events } = await serve();
    for (const [client_id, status] of [
      ['web', 200],
      ['quick', 400],
    ] as const) {
      const { refresh_token } = await flows.tokens(client_id);
      await flows.refresh(client_id, refresh_token);
      expect((await flows.refresh(client_id, refresh_token)).status, client_id).toBe(status);
    }
    expect(events.filter(({ type }) => type === 'replay.detected')).toHaveLength(1);
  });

  test('cannot have JWTs that outlive their verification keys', async () => {
    const { options } = fixture({ issuer: 'http://127.0.0.1', jwt: true });
    const clients = [{ ...OWN, access_token_lifetime: 3601 }];
    await expect(start({ options: { ...options, clients } })).rejects.toThrow(
      'Client "own": access_token_lifetime must be at most 3600, the value of options.lifetimes.accessToken',
    );
  });
});

describe('consent: skip', () => {
  const spa = { client_id: 'x', redirect_uris: ['https://x.example/cb'], consent: 'skip' } as const;
  const local = { ...spa, redirect_uris: [...spa.redirect_uris, 'http://127.0.0.1/cb'] };
  const secret = { client_secret: 's' };
  test.each<[string, ClientRegistration, boolean]>([
    ['a public client with https addresses', spa, true],
    ['a public client on loopback', local, false],
    ['a public client with a scheme', { ...spa, redirect_uris: ['com.example.app:/cb'] }, false],
    ['a confidential client on loopback', { ...local, ...secret }, true],
    ['the implicit grant on loopback', { ...local, ...secret, grant_types: ['implicit'] }, false],
    ['the implicit grant with https addresses', { ...spa, ...secret, grant_types: ['implicit'] }, true],
  ])('%s', (_what, registration, isFine) => {
    expect(checkClient(registration)).toEqual(
      isFine ? [] : [expect.stringContaining(`consent 'skip' requires redirect URIs that belong to the client alone`)],
    );
  });
});
