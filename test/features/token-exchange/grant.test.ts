import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { afterAll, describe, expect, test } from 'vitest';
import { introspectionVerifier, jwtVerifier } from '../../../src/resource-server/index.js';
import { oneHostEach } from '../../hosts.js';
import { refusal } from '../../oauth/support/tokens.js';
import { ProofMaker } from '../dpop/keys.js';
import { ACCESS_TOKEN, at, EXCHANGE, service, TYPE, useExchange } from './support.js';

const insecure = { [oauth.allowInsecureRequests]: true } as const;
const WANTED = { grant_type: EXCHANGE, subject_token_type: ACCESS_TOKEN } as const;

describe.each(oneHostEach)('token exchange on $name', (host) => {
  const site = useExchange(host);
  afterAll(() => expect(site.fixture.errors).toEqual([]));

  test('a service gets a token of the same user, for one resource, without a refresh token', async () => {
    const token = await site.ofAlice('notes');
    const { status, json } = await site.exchange('notes', token, { resource: at('search'), scope: 'content.read' });
    expect(status).toBe(200);
    expect(json).toEqual({
      access_token: expect.any(String),
      issued_token_type: ACCESS_TOKEN,
      token_type: 'Bearer',
      expires_in: expect.any(Number),
      scope: 'content.read',
    });
    const { access_token } = json;
    expect(await site.introspect(String(access_token))).toMatchObject({
      active: true,
      sub: 'alice',
      client_id: 'notes',
      aud: at('search'),
      act: { sub: 'client:notes', client_id: 'notes' },
    });
    const guarded = await site.flows.guarded('search', String(access_token));
    expect(guarded).toMatchObject({ status: 200, json: { auth: { sub: 'alice', act: { client_id: 'notes' } } } });
    expect(refusal(await site.flows.guarded('people', String(access_token)))).toEqual([403, 'insufficient_scope']);
    expect((await site.flows.guarded('people', await site.ofAlice('search'))).status).toBe(200);
    const issued = site.fixture.events.find((event) => event.type === 'token.issued' && event.grant_type === EXCHANGE);
    const { grants } = await site.running.grants.list({ sub: 'alice' });
    expect(issued).toMatchObject({ client_id: 'notes', sub: 'alice', actors: ['notes'] });
    expect(grants.map(({ client_id, grant_id }) => [client_id, grant_id])).toContainEqual([
      'web',
      Reflect.get(issued ?? {}, 'grant_id'),
    ]);
    expect(grants.every(({ client_id }) => client_id === 'web')).toBe(true);
  });

  test('the next service adds itself, and the last one is for decisions', async () => {
    const second = await site.exchanged('notes', await site.ofAlice('notes'), 'search');
    const third = await site.exchanged('search', second, 'mail');
    const { act, client_id } = await site.introspect(third);
    expect({ act, client_id }).toEqual({
      client_id: 'search',
      act: { sub: 'client:search', client_id: 'search', act: { sub: 'client:notes', client_id: 'notes' } },
    });
    const fourth = await site.exchanged('files', await site.exchanged('mail', third, 'files'), 'notes');
    expect(refusal(await site.exchange('notes', fourth, { resource: at('mail') }))).toEqual([400, 'invalid_request']);
    expect(site.fixture.events.at(-2)).toMatchObject({ type: 'exchange.refused', reason: 'depth', client_id: 'notes' });
  });

  test('in another process, introspection shows who acts', async () => {
    const verifier = introspectionVerifier({
      issuer: site.running.base,
      audience: at('search'),
      credentials: { client_id: 'api', client_secret: 'api-secret' },
      clock: site.fixture.clock,
    });
    const token = await site.exchanged('notes', await site.ofAlice('notes'), 'search');
    expect((await verifier.check.any(token)).authorization?.act).toEqual({ sub: 'client:notes', client_id: 'notes' });
    expect((await verifier.check.any(token, { act: 'refuse' })).refused).toMatchObject({ status: 403 });
    verifier.close();
  });

  test('openid-client 6, unmodified', async () => {
    const config = await openid.discovery(new URL(site.running.base), 'notes', 'notes-secret', undefined, {
      execute: [openid.allowInsecureRequests],
    });
    const subject_token = await site.ofAlice('notes');
    const form = { subject_token, subject_token_type: ACCESS_TOKEN, resource: at('search') };
    const tokens = await openid.genericGrantRequest(config, EXCHANGE, form);
    expect(await site.isLive(tokens.access_token)).toBe(true);
    expect(tokens.refresh_token).toBeUndefined();
  });

  test('oauth4webapi, unmodified, with a key', async () => {
    const url = new URL(site.running.base);
    const as = await oauth.processDiscoveryResponse(
      url,
      await oauth.discoveryRequest(url, { algorithm: 'oauth2', ...insecure }),
    );
    expect(as.grant_types_supported).toContain(EXCHANGE);
    const client = { client_id: 'notes', [oauth.clockSkew]: Math.floor((site.fixture.clock() - Date.now()) / 1000) };
    const DPoP = oauth.DPoP(client, await oauth.generateKeyPair('ES256'));
    const form = { ...WANTED, subject_token: await site.ofAlice('notes'), audience: at('search') };
    const response = await oauth.genericTokenEndpointRequest(
      as,
      client,
      oauth.ClientSecretBasic('notes-secret'),
      EXCHANGE,
      form,
      { DPoP, ...insecure },
    );
    const tokens = await oauth.processGenericTokenEndpointResponse(as, client, response);
    expect(tokens.token_type).toBe('dpop');
    expect(await site.introspect(tokens.access_token)).toMatchObject({
      active: true,
      cnf: { jkt: expect.any(String) },
    });
  });
});

describe.each(oneHostEach)('signed tokens on $name', (host) => {
  const site = useExchange(host, { jwt: true });

  test('name who acts, in every process, and end with their ancestors', async () => {
    const token = await site.ofAlice('notes');
    const next = await site.exchanged('notes', token, 'search', { requested_token_type: `${TYPE}jwt` });
    const last = await site.exchanged('search', next, 'mail');
    const verifier = jwtVerifier({ issuer: site.running.base, clock: site.fixture.clock, audience: at('mail') });
    const { authorization } = await verifier.check.any(last);
    expect(authorization).toMatchObject({ sub: 'alice', act: { client_id: 'search', act: { client_id: 'notes' } } });
    expect(authorization).not.toHaveProperty('claims');
    expect((await verifier.check.any(last, { act: 'refuse' })).refused).toMatchObject({ status: 403 });
    verifier.close();
    expect(await site.isLive(last)).toBe(true);
    await site.flows.revoke('web', token);
    expect(await site.isLive(last)).toBe(false);
    expect(await site.isLive(next)).toBe(false);
  });
});

describe('what a client is allowed', () => {
  const [host] = oneHostEach;
  const own = { resources: [at('search')], own: true } as const;
  const site = useExchange(
    host,
    {
      clients: [
        service('gateway', { audience: at('notes') }),
        service('quiet', { audience: at('notes') }),
        service('translator', { audience: at('notes'), scope: 'content.read profile' }),
        service('row', { audience: at('notes'), exchange_resources: [at('mail')] }),
      ],
    },
    {
      depth: 2,
      from: {
        gateway: own,
        quiet: { resources: [at('search')], impersonate: true },
        translator: { resources: [at('search')], translate: { 'content.write': ['profile'] } },
      },
    },
  );

  test('a token of its own only with own, and a bound one with its key', async () => {
    const token = await site.ofService('gateway');
    const next = await site.exchanged('gateway', token, 'search');
    expect(await site.introspect(next)).toMatchObject({ sub: 'client:gateway', act: { client_id: 'gateway' } });
    expect(refusal(await site.exchange('search', await site.ofService('search')))).toEqual([400, 'invalid_request']);
    const key = new ProofMaker();
    const bound = await site.ofService('gateway', undefined, key);
    expect((await site.exchange('gateway', bound, {}, key)).status).toBe(200);
    expect((await site.exchange('gateway', bound)).status).toBe(400);
    expect((await site.exchange('gateway', bound, {}, new ProofMaker())).status).toBe(400);
  });

  test('its only resource, if the request names none; those of its registration too', async () => {
    const token = await site.ofAlice('notes');
    const { json } = await site.exchange('gateway', token);
    expect(await site.introspect(String(json['access_token']))).toMatchObject({ aud: at('search') });
    expect((await site.exchange('row', token, { resource: at('mail') })).status).toBe(200);
    expect(refusal(await site.exchange('row', token, { resource: at('search') }))).toEqual([400, 'invalid_target']);
  });

  test('to hide that it acts: the event says so, and who acted before stays', async () => {
    const token = await site.ofAlice('notes');
    const hidden = await site.exchanged('quiet', token, 'search');
    expect(await site.introspect(hidden)).not.toHaveProperty('act');
    expect(site.fixture.events.filter(({ type }) => type === 'token.issued').at(-1)).toMatchObject({
      impersonated: true,
      client_id: 'quiet',
    });
    const mail = await site.exchanged('mail', await site.ofAlice('mail'), 'notes');
    const after = await site.exchanged('quiet', mail, 'search');
    expect((await site.introspect(after))['act']).toEqual({ sub: 'client:mail', client_id: 'mail' });
    expect(refusal(await site.exchange('search', after, { resource: at('mail') }))).toEqual([400, 'invalid_request']);
  });

  test('other names of scopes by a translation, within its registration', async () => {
    const wide = await site.exchange('translator', await site.ofAlice('notes'));
    expect(wide.json['scope']).toBe('content.read profile');
    const narrow = await site.exchange('translator', await site.ofAlice('notes', 'content.read'));
    expect(narrow.json['scope']).toBe('content.read');
    const refused = await site.exchange('translator', await site.ofAlice('notes', 'content.read'), {
      scope: 'profile',
    });
    expect(refusal(refused)).toEqual([400, 'invalid_scope']);
  });
});
