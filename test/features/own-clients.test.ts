import { feature, json, type PublicClient, UnavailableError } from 'oauth-query/feature';
import { oauthQuery } from 'oauth-query/node';
import { expect, test } from 'vitest';
import { memoryStore } from '../../src/stores/memory.js';
import { Client, hostFor } from '../hosts.js';
import { Browser, PKCE, wordsOf } from '../oauth/support/browser.js';
import { fixture } from '../oauth/support/fixture.js';

const REDIRECT = 'https://partner.example/cb';
const HOST = hostFor(import.meta.url)[0];

/** Partners are clients, by a table of their own; each is added by a request. */
const partners = (all: Map<string, PublicClient>, isAway: () => boolean) =>
  feature({
    name: 'partners',
    clientPrefix: 'partner.',
    start: (host) => {
      const limit = host.limitByAddress({ name: 'partners', max: 2, message: 'Too many partners.' });
      return {
        clients: {
          find: (client_id) => {
            if (isAway()) throw new UnavailableError('The partners are away.');
            return all.get(client_id);
          },
        },
        routes: [
          {
            path: '/partners',
            POST: async (call) => {
              limit(call);
              const given = await host.readJson(call);
              const metadata = host.selfDescribed.read(given as Record<string, unknown>, ['partner']);
              const client_id = `partner.${all.size}`;
              all.set(client_id, host.selfDescribed.registration(client_id, metadata, ['profile']));
              return json(201, { client_id, ...metadata });
            },
          },
        ],
      };
    },
  });

const started = async () => {
  const all = new Map<string, PublicClient>();
  const asked: string[] = [];
  let isAway = false;
  const find = (client_id: string) => {
    asked.push(client_id);
    return undefined;
  };
  const { options, errors, events } = fixture({
    features: [partners(all, () => isAway)],
    clients: [{ client_id: 'partner.listed', redirect_uris: [REDIRECT], scope: 'profile' }, { find }],
  });
  const host = await HOST.start({ options });
  const http = new Client(host.base);
  const add = (body: unknown, type = 'application/json') =>
    http.request('/partners', { method: 'POST', headers: { 'content-type': type }, body: JSON.stringify(body) });
  const open = async (client_id: string) =>
    new Browser(host).authorize({ response_type: 'code', client_id, redirect_uri: REDIRECT, ...PKCE.request });
  return { all, asked, errors, events, host, http, add, open, away: (is: boolean) => void (isAway = is) };
};

test('a feature knows clients by the beginning of their client_id, and nobody else is asked for them', async () => {
  const { all, asked, host, add, open } = await started();
  const { status, json: added } = await add({ client_name: 'Partner', redirect_uris: [REDIRECT], logo_uri: 'x' });
  expect([status, added]).toEqual([
    201,
    {
      client_id: 'partner.0',
      client_name: 'Partner',
      redirect_uris: [REDIRECT],
      grant_types: ['authorization_code', 'refresh_token'],
    },
  ]);
  expect((await open('partner.0')).status).toBe(200);
  expect((await open('partner.listed')).status).toBe(200);
  expect(await host.grants.revoke({ client_id: 'partner.0' })).toBe(0);
  expect(asked).toEqual([]);

  // One that is none of its own is looked up like any other.
  const unknown = await open('partner.9');
  expect([unknown.status, wordsOf(unknown), asked]).toEqual([
    400,
    expect.stringContaining('no longer known'),
    ['partner.9'],
  ]);
  // A disabled one is unknown, whatever others say.
  const client = all.get('partner.0');
  const long = `partner.${'x'.repeat(1492)}`;
  if (client !== undefined)
    all.set(long, { ...client, client_id: long }).set(`${long}x`, { ...client, client_id: `${long}x` });
  expect([(await open(long)).status, (await open(`${long}x`)).status]).toEqual([200, 400]);
  if (client !== undefined) all.set('partner.0', { ...client, disabled: true });
  expect([(await open('partner.0')).status, asked]).toEqual([400, ['partner.9']]);
});

test('a failure of the feature is no unknown client, and a wrong registration concerns this client alone', async () => {
  const { all, errors, http, away } = await started();
  const refresh = async (client_id: string) =>
    (await http.post('/oauth/token', { grant_type: 'refresh_token', client_id, refresh_token: 'x' })).status;
  all.set('partner.0', { client_id: 'partner.0', redirect_uris: ['javascript:x'] });
  expect(await refresh('partner.0')).toBe(401);
  expect(String(errors.splice(0))).toContain('Client "partner.0"');
  away(true);
  expect(await refresh('partner.0')).toBe(503);
  expect(String(errors.splice(0))).toContain('The partners are away.');
});

test('what the server reads for it is bounded, and refused with the codes of the protocol', async () => {
  const { http, add, events } = await started();
  const codeOf = ({ status, json: { error } }: Awaited<ReturnType<typeof add>>) => [status, error];
  expect(codeOf(await add({ redirect_uris: ['cursor://cb'] }))).toEqual([400, 'invalid_redirect_uri']);
  expect(codeOf(await add({ redirect_uris: ['partner://cb'], client_name: 7 }))).toEqual([
    400,
    'invalid_client_metadata',
  ]);
  const refused = await add({ redirect_uris: [REDIRECT] });
  expect([refused.status, Number(refused.headers['retry-after']) > 0]).toEqual([429, true]);
  expect(events.filter(({ type }) => type === 'limit.reached')).toMatchObject([{ limit: 'partners' }]);
  const { json: metadata } = await http.get('/.well-known/oauth-authorization-server');
  expect(metadata['token_endpoint_auth_methods_supported']).toContain('none');
});

test('a body that is no JSON is invalid_request, unless the feature says otherwise', async () => {
  const { add, host } = await started();
  expect((await add({}, 'text/plain')).json['error']).toBe('invalid_request');
  const latin1 = await fetch(`${host.base}/partners`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: Buffer.from('{"redirect_uris":["https://partner.example/cb"],"client_name":"Caf\u00e9"}', 'latin1'),
  });
  expect([latin1.status, await latin1.json()]).toMatchObject([400, { error: 'invalid_request' }]);
  const other = await started();
  expect((await other.add('x'.repeat(70_000))).status).toBe(413);
});

test('a prefix and what finds its clients require each other, and two features cannot share one', () => {
  const start = (...features: readonly ReturnType<typeof feature>[]) =>
    oauthQuery({ store: memoryStore(), scopes: {}, onWarning: () => undefined, features });
  const find = () => undefined;
  const named = (name: string, clientPrefix: string) =>
    feature({ name, clientPrefix, start: () => ({ clients: { find } }) });
  expect(() => start(named('one', 'a.'), named('two', 'ab.'))).not.toThrow();
  expect(() => start(named('one', 'a.'), named('two', 'a.'))).toThrow(/one.*two|two.*one/);
  for (const wrong of ['', 'a', '.', 'a.b.', 'A.', 'https://'])
    expect(() => start(named('one', wrong)), wrong).toThrow('clientPrefix must be letters and a full stop');
  expect(() => start(feature({ name: 'one', clientPrefix: 'a.' }))).toThrow('clientPrefix and the part clients.find');
  expect(() => start(feature({ name: 'one', start: () => ({ clients: { find } }) }))).toThrow(
    'clientPrefix and the part clients.find',
  );
});
