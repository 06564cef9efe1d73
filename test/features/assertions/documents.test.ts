import { createPublicKey, randomUUID } from 'node:crypto';
import { assertions } from 'oauth-query/assertions';
import { feature } from 'oauth-query/feature';
import { afterEach, expect, test } from 'vitest';
import { readDocument } from '../../../src/clients/documents/client-document.js';
import { APP, DOCUMENT, DocumentServers, Publisher, type Visitor } from '../../clients/support/publisher.js';
import type { Answer } from '../../hosts.js';
import { type Claims, es256, mint, newKey } from '../../oauth/support/jwt.js';
import { ISSUER } from '../../oauth/support/nodes.js';
import { refusal } from '../../oauth/support/tokens.js';
import { everyRow } from '../../rows.js';
import { ID_JAG, JWT_BEARER, Signer } from './support.js';

type Options = Parameters<Signer['entry']>[0];

const key = newKey();
const jwk = { ...createPublicKey(key).export({ format: 'jwk' }), kid: 'one' };
const JWKS = 'https://app.example.org/oauth/jwks.json';

/** An assistant that only comes for a company: it needs no redirect URI. */
const ASSISTANT = {
  client_id: APP,
  client_name: 'The Assistant',
  grant_types: [JWT_BEARER],
  token_endpoint_auth_method: 'private_key_jwt',
  jwks: { keys: [jwk] },
} as const;

const running: DocumentServers[] = [];
afterEach(async () => {
  for (const servers of running.splice(0)) {
    await servers.close();
    expect(servers.shared.errors).toEqual([]);
  }
});

/** Processes that trust an identity provider, and a client that nobody registered. */
const site = async (document: object = ASSISTANT, entry: Options = {}, options = {}) => {
  const idp = await Signer.make('https://acme.idp.example');
  const publisher = new Publisher(document);
  publisher.published.set(JWKS, { keys: [jwk] });
  const trusted = idp.entry({ kind: 'id-jag', requireResource: false, owner: () => ({ sub: 'alice' }), ...entry });
  const features = [assertions({ issuers: [trusted] })];
  const servers = new DocumentServers(publisher, options, { features });
  running.push(servers);
  const now = () => Math.floor(servers.shared.clock() / 1000);
  const proof = (signer = key, changes: Claims = {}) => ({
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: mint(
      { alg: 'ES256', kid: 'one' },
      { iss: APP, sub: APP, aud: ISSUER, iat: now(), exp: now() + 60, jti: randomUUID(), ...changes },
      es256(signer),
    ),
  });
  const made = (claims: Record<string, unknown> = {}, header: object = { typ: ID_JAG }) =>
    idp.sign({ ...idp.claims(ISSUER, now()), client_id: APP, ...claims }, { ...header });
  const send = async (
    { http }: Visitor,
    more: Readonly<Record<string, string>> = proof(),
    assertion?: string,
  ): Promise<Answer> =>
    http.post('/oauth/token', { grant_type: JWT_BEARER, assertion: assertion ?? (await made()), ...more });
  return { servers, publisher, proof, made, send };
};

test('a client that only published a document gets a token for an ID-JAG that names it, in whatever process', async () => {
  const { servers, publisher, send } = await site();
  const [visitor, other] = [await servers.open(), await servers.open()];
  const { status, json } = await send(visitor);
  expect([status, json]).toMatchObject([200, { token_type: 'Bearer', expires_in: 900 }]);
  expect(json).not.toHaveProperty('refresh_token');
  publisher.asked.length = 0;
  // A guard never waits for the document: the copy in the store is enough.
  for (const one of [visitor, other]) {
    const answer = await one.guarded(String(json['access_token']));
    expect([answer.status, answer.json]).toMatchObject([200, { auth: { sub: 'alice', client_id: APP } }]);
  }
  expect(publisher.asked).toEqual([]);
});

test('its keys may be at a jwks_uri', async () => {
  const { jwks: _, ...document } = ASSISTANT;
  const { servers, send, proof } = await site({ ...document, jwks_uri: JWKS });
  const visitor = await servers.open();
  expect((await send(visitor)).status).toBe(200);
  expect(refusal(await send(visitor, proof(newKey())))).toEqual([401, 'invalid_client']);
});

test('a client of people may use it too, and still has its own grants only', async () => {
  const both = { ...DOCUMENT, ...ASSISTANT, grant_types: ['authorization_code', JWT_BEARER, 'client_credentials'] };
  const { servers, send, proof } = await site(both);
  const visitor = await servers.open();
  expect((await send(visitor)).status).toBe(200);
  const code = await visitor.code();
  expect((await visitor.redeem(code, proof())).status).toBe(200);
  const own = await visitor.http.post('/oauth/token', { grant_type: 'client_credentials', ...proof() });
  expect(refusal(own)).toEqual([400, 'unauthorized_client']);
});

/** A document, what the request has in place of the client's proof, and the answer. */
const REFUSED: readonly (readonly [
  what: string,
  document: object,
  more: Readonly<Record<string, string>>,
  answer: unknown,
])[] = [
  [
    'a public client',
    { ...DOCUMENT, grant_types: [...DOCUMENT.grant_types, JWT_BEARER] },
    { client_id: APP },
    [400, 'unauthorized_client'],
  ],
  ['a client with keys that proves nothing', ASSISTANT, { client_id: APP }, [401, 'invalid_client']],
  [
    'one that may do either, and proves nothing',
    { ...ASSISTANT, token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'] },
    { client_id: APP },
    [400, 'unauthorized_client'],
  ],
];

test('only with its own key', () =>
  everyRow(REFUSED, async ([, document, more, answer]) => {
    const { servers, send } = await site(document);
    expect(refusal(await send(await servers.open(), more))).toEqual(answer);
  }));

test('only if its document names the grant', async () => {
  const { servers, send } = await site({ ...DOCUMENT, ...ASSISTANT, grant_types: ['authorization_code'] });
  expect(refusal(await send(await servers.open()))).toEqual([400, 'unauthorized_client']);
});

test('only an assertion that names it, and only one of the kind id-jag', async () => {
  const { servers, send, made, proof } = await site();
  const visitor = await servers.open();
  const other = 'https://app.example.org/oauth/client.json?other';
  for (const client_id of [other, `${APP}/`, APP.toUpperCase(), undefined])
    expect(refusal(await send(visitor, proof(), await made({ client_id })))).toEqual([400, 'invalid_grant']);
  const bearer = await site(ASSISTANT, { kind: 'bearer' });
  const typed = await bearer.made({}, {});
  const documentOf = await bearer.servers.open();
  expect(refusal(await bearer.send(documentOf, bearer.proof(), typed))).toEqual([401, 'invalid_client']);
});

test('a bearer issuer next to one of the kind id-jag stays for registered clients', async () => {
  const idp = await Signer.make('https://acme.idp.example');
  const partner = await Signer.make('https://partner.example');
  const owner = () => ({ sub: 'alice' });
  const issuers = [idp.entry({ kind: 'id-jag', requireResource: false, owner }), partner.entry({ owner })];
  const { servers, send, proof } = await site();
  const visitor = await servers.open({ options: { features: [assertions({ issuers })] } });
  const now = servers.shared.clock() / 1000;
  const assertion = await partner.sign(partner.claims(ISSUER, now));
  const answer = await send(visitor, proof(), assertion);
  expect(refusal(answer)).toEqual([400, 'unauthorized_client']);
  expect(answer.json['error_description']).toContain('kind id-jag');
});

test('the application decides about the document, as for every other', async () => {
  const seen: unknown[] = [];
  const trust = ({
    client_id,
    feature_grant_types,
  }: {
    client_id: string;
    feature_grant_types?: readonly string[];
  }) => {
    seen.push([client_id, feature_grant_types]);
    return false;
  };
  const { servers, send } = await site(ASSISTANT, {}, { trust });
  expect(refusal(await send(await servers.open()))).toEqual([401, 'invalid_client']);
  expect(seen).toEqual([[APP, [JWT_BEARER]]]);
});

test('a process without the feature reads the copy of one that has it, and the other way round', async () => {
  const both = { ...DOCUMENT, ...ASSISTANT, grant_types: ['authorization_code', JWT_BEARER] };
  const { servers, send, proof } = await site(both);
  const visitor = await servers.open();
  const { json } = await send(visitor);
  const without = await servers.open({ options: { features: [] } });
  expect((await without.guarded(String(json['access_token']))).status).toBe(200);
  expect(refusal(await send(without))).toEqual([400, 'unsupported_grant_type']);
  const token = (await without.redeem(await without.code(), proof())).json['access_token'];
  const again = await servers.open();
  expect((await again.guarded(String(token))).status).toBe(200);
  expect((await send(again)).status).toBe(200);
});

test('without a feature that allows it, the grant is left out, and nothing else is in the record', () => {
  const both = { ...DOCUMENT, grant_types: [...DOCUMENT.grant_types, JWT_BEARER] };
  expect(readDocument(APP, both)).toEqual(readDocument(APP, DOCUMENT));
  expect(readDocument(APP, both, [JWT_BEARER])).toEqual({
    ...readDocument(APP, DOCUMENT),
    feature_grant_types: [JWT_BEARER],
  });
  expect(() => readDocument(APP, ASSISTANT)).toThrow('grant_types must contain authorization_code');
  expect(() => readDocument(APP, { ...ASSISTANT, redirect_uris: [] }, [JWT_BEARER])).toThrow('redirect_uris');
});

test('a grant of another package says the same', async () => {
  const TICKET = 'urn:example:grant-type:ticket';
  const seen: unknown[] = [];
  const tickets = (allowsDocuments: boolean) =>
    feature({
      name: 'tickets',
      grantTypes: [TICKET],
      allowsDocuments,
      start: () => ({
        grants: {
          [TICKET]: {
            fields: {},
            decide: ({ client, scope = [] }) => {
              seen.push([client.client_id, client.origin, client.public]);
              return { owner: { sub: 'alice' }, scope, resources: [] };
            },
          },
        },
      }),
    });
  const { servers } = await site({ ...DOCUMENT, grant_types: [TICKET, 'authorization_code'] });
  const form = { grant_type: TICKET, client_id: APP, scope: 'profile' };
  const denying = await servers.open({ options: { features: [tickets(false)] } });
  expect(refusal(await denying.http.post('/oauth/token', form))).toEqual([400, 'unauthorized_client']);
  const allowing = await servers.open({ options: { features: [tickets(true)] } });
  const { status, json } = await allowing.http.post('/oauth/token', form);
  expect(status).toBe(200);
  expect((await allowing.guarded(String(json['access_token']))).status).toBe(200);
  expect(seen).toEqual([[APP, 'document', true]]);
});
