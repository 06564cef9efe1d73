import { assertions } from 'oauth-query/assertions';
import { featureServer } from 'oauth-query/testing';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { basic, Client } from '../../hosts.js';
import { CLIENTS } from '../../oauth/support/fixture.js';
import { ISSUER, type Node, Nodes } from '../../oauth/support/nodes.js';
import { refusal } from '../../oauth/support/tokens.js';
import { JWT_BEARER, Signer } from './support.js';

let issuer: Signer;
beforeAll(async () => {
  issuer = await Signer.make('https://partner.example');
});

let close: (() => Promise<void>) | undefined;
afterEach(async () => {
  await close?.();
  close = undefined;
});

test('without the feature, the grant is unsupported, and nothing announces it', async () => {
  const server = await featureServer({ scopes: { read: 'Read' } });
  close = () => server.close();
  const form = { grant_type: JWT_BEARER, assertion: await issuer.sign(issuer.claims(server.issuer)) };
  expect(await server.post('/oauth/token', form)).toMatchObject({
    status: 400,
    json: { error: 'unsupported_grant_type' },
  });
  expect((await server.get('/.well-known/oauth-authorization-server')).text).not.toMatch(/jwt-bearer|grant_profiles/);
});

test('what came of an assertion works at a process without the feature, and ends there', async () => {
  const nodes = new Nodes();
  const app = { client_id: 'partner-app', client_secret: 'partner-app-secret', scope: 'content.read' };
  const newer = await nodes.start({
    options: {
      clients: [...CLIENTS, { ...app, grant_types: [JWT_BEARER] }],
      features: [assertions({ issuers: [issuer.entry({ owner: () => ({ sub: 'alice' }) })] })],
    },
  });
  const older = await nodes.start({ options: { clients: [...CLIENTS, app] } });
  const ask = async ({ host }: Node) => {
    const assertion = await issuer.sign(issuer.claims(ISSUER, nodes.shared.clock() / 1000));
    const client = new Client(() => host.base);
    return client.post(
      '/oauth/token',
      { grant_type: JWT_BEARER, assertion },
      basic('partner-app', 'partner-app-secret'),
    );
  };
  const { json } = await ask(newer);
  const token = String(json['access_token']);
  expect((await older.flows.introspect(token)).json).toMatchObject({ active: true, sub: 'alice' });
  expect((await older.host.grants.list({ sub: 'alice' })).grants).toMatchObject([{ issuer: issuer.issuer }]);
  expect(refusal(await ask(older))).toEqual([400, 'unsupported_grant_type']);
  expect(await older.host.grants.revoke({ sub: 'alice' })).toBe(1);
  expect(await newer.flows.isActive(token)).toBe(false);
  expect([...newer.errors, ...older.errors]).toEqual([]);
  await nodes.close();
});

const site = async () => {
  const events: object[] = [];
  const server = await featureServer({
    scopes: { read: 'Read' },
    clients: [{ client_id: 'other', client_secret: 'a secret of the tests, with 32 characters' }],
    features: [assertions({ issuers: [issuer.entry({ owner: () => ({ sub: 'alice' }) })] })],
    onEvent: (event) => void events.push(event),
  });
  close = () => server.close();
  return { server, events };
};

test('a request has one assertion of at most 16,384 characters, and a client that has the grant', async () => {
  const { server } = await site();
  const url = `${server.issuer}/oauth/token`;
  const send = async (fields: readonly (readonly [string, string])[], id = 'other') => {
    const secret = encodeURIComponent('a secret of the tests, with 32 characters');
    const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
    const body = new URLSearchParams([['grant_type', JWT_BEARER], ...fields.map(([name, value]) => [name, value])]);
    const answer = await fetch(url, { method: 'POST', body, headers: { authorization } });
    const { error } = (await answer.json()) as { error: string };
    return `${answer.status} ${error}`;
  };
  const assertion = ['assertion', await issuer.sign(issuer.claims(server.issuer))] as const;
  expect(await send([assertion])).toBe('400 unauthorized_client');
  expect(await send([assertion, assertion])).toBe('400 invalid_request');
  const asWeb = (text: string) => server.post('/oauth/token', { grant_type: JWT_BEARER, assertion: text });
  expect(await asWeb('')).toMatchObject({ status: 400, json: { error: 'invalid_request' } });
  expect(await asWeb('x'.repeat(16_385))).toMatchObject({ status: 413, json: { error: 'invalid_request' } });
  expect(await asWeb('x'.repeat(16_384))).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
});

test('events name the reason and a trusted issuer, and never a claim', async () => {
  const { server, events } = await site();
  const refused = async (changes: Record<string, unknown>) => {
    events.length = 0;
    const assertion = await issuer.sign({ ...issuer.claims(server.issuer), sub: 'secret-sub', ...changes });
    expect((await server.post('/oauth/token', { grant_type: JWT_BEARER, assertion })).status).toBe(400);
    expect(JSON.stringify(events)).not.toMatch(/secret-sub|unknown\.example|eyJ/);
    return events.find((event) => 'type' in event && event.type === 'assertion.refused');
  };
  expect(await refused({ aud: 'https://x.example' })).toMatchObject({
    reason: 'audience',
    issuer: 'https://partner.example',
    client_id: 'web',
  });
  const unknown = await refused({ iss: 'https://unknown.example' });
  expect(unknown).toMatchObject({ reason: 'issuer', client_id: 'web' });
  expect(unknown).not.toHaveProperty('issuer');
});

test('events say that keys, a function of the application, or the store were away, once for each request', async () => {
  const away = () => Promise.reject(new Error('away'));
  const named = (name: string) => Signer.make(`https://${name}.example`);
  const keys = await named('keys');
  const people = await named('people');
  const others = await named('others');
  const programs = await named('programs');
  const events: object[] = [];
  const server = await featureServer({
    scopes: { read: 'Read' },
    features: [
      assertions({
        issuers: [
          { issuer: 'https://keys.example', keys: away, owner: () => ({ sub: 'alice' }) },
          people.entry({ owner: away }),
          others.entry({ owner: () => ({ sub: 'alice' }) }),
          programs.entry({ clients: away }),
        ],
      }),
    ],
    onEvent: (event) => void events.push(event),
  });
  close = () => server.close();
  const told = async (signer: Signer, fields: object = {}, headers?: Record<string, string>) => {
    events.length = 0;
    const assertion = await signer.sign({ ...signer.claims(server.issuer), sub: 'secret-sub' });
    const form = { grant_type: JWT_BEARER, assertion, ...fields };
    const { status } = await server.post('/oauth/token', form, headers);
    expect(JSON.stringify(events)).not.toMatch(/secret-sub/);
    const found = events.filter((event) => 'type' in event && event.type === 'assertion.refused');
    return [status, ...found.map((event) => ('reason' in event ? event : {}))];
  };
  const unavailable = (issuer: string, client_id?: string) => [
    503,
    expect.objectContaining({ reason: 'unavailable', issuer, ...(client_id !== undefined && { client_id }) }),
  ];
  expect(await told(keys)).toEqual(unavailable(keys.issuer, 'web'));
  expect(await told(people)).toEqual(unavailable(people.issuer, 'web'));
  expect(await told(programs, {}, {})).toEqual(unavailable(programs.issuer));
  const client_assertion = await programs.sign(programs.claims(server.issuer));
  const instead = {
    grant_type: 'client_credentials',
    client_assertion,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  };
  expect(await told(programs, instead, {})).toEqual(unavailable(programs.issuer));
  const add = vi.spyOn(server.store, 'add').mockImplementation(away);
  expect(await told(others)).toEqual(unavailable(others.issuer, 'web'));
  add.mockRestore();
  expect(await told(others)).toEqual([200]);
});
