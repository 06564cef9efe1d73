import { checkClient } from 'oauth-query';
import { type AssertionIssuer, assertions, type AssertionOptions } from 'oauth-query/assertions';
import { oauthQuery } from 'oauth-query/express';
import { featureServer } from 'oauth-query/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { JWT_BEARER, Signer } from './support.js';

const VOUCHED = { client_id: 'batch', token_endpoint_auth_method: 'private_key_jwt' } as const;
const SECRET = 'a secret of the tests, with 32 characters';
const owner = () => ({ sub: 'alice' });
const clients = { sub: 'batch' };

let issuer: Signer;
beforeAll(async () => {
  issuer = await Signer.make('https://issuer.example');
});

const start = async (options: AssertionOptions, listed: readonly object[] = [VOUCHED]): Promise<unknown> => {
  const server = await featureServer({
    scopes: { read: 'Read' },
    clients: listed as readonly (typeof VOUCHED)[],
    features: [assertions(options)],
  });
  await server.close();
  return 'started';
};

const withEntry = (entry: Partial<AssertionIssuer>, listed?: readonly object[]): Promise<unknown> =>
  start({ issuers: [issuer.entry(entry)] }, listed);

describe('an issuer', () => {
  test.each([
    ['a workload', { kind: 'workload', clients }],
    ['a bearer of people', { owner }],
    ['a bearer of programs', { clients: () => 'batch' }],
    ['an ID-JAG', { kind: 'id-jag', owner }],
  ] as const)('that is %s is right', async (_name, entry) => {
    expect(await withEntry(entry, 'clients' in entry ? [VOUCHED] : [])).toBe('started');
  });

  test.each([
    ['a workload without clients', { kind: 'workload' }, 'clients, and not owner'],
    ['a workload with both', { kind: 'workload', clients, owner }, 'clients, and not owner'],
    ['a workload of people', { kind: 'workload', owner }, 'clients, and not owner'],
    ['an ID-JAG without owner', { kind: 'id-jag' }, 'owner, and not clients'],
    ['an ID-JAG of programs', { kind: 'id-jag', clients }, 'owner, and not clients'],
    ['a bearer with neither', {}, 'either owner'],
    ['a bearer with both', { owner, clients }, 'either owner'],
    ['clients without any', { clients: {} }, 'clients lacks a sub'],
    ['a client_id that is none', { clients: { sub: 17 as unknown as string } }, 'clients["sub"] must be a client_id'],
    ['a public client', { clients: { sub: 'page' } }, '"page" is public'],
  ] as const)('that is %s is an error at the start', async (_name, entry, sentence) => {
    const page = { client_id: 'page', redirect_uris: ['https://page.example/'] };
    const batch = { client_id: 'batch', client_secret: SECRET };
    await expect(withEntry(entry, [batch, page])).rejects.toThrow(sentence);
  });

  test.each(['at', 'dpop', 'logout', 'token-introspection', 'secevent', 'client-authentication', 'oauth-id-jag'])(
    'that takes the type %s+jwt, which other tokens have, is an error at the start',
    async (name) => {
      for (const typ of [`${name}+jwt`, `application/${name}+JWT`])
        await expect(withEntry({ owner, types: ['partner+jwt', typ] }, [])).rejects.toThrow(
          'is the type of other tokens',
        );
    },
  );

  test('that vouches for a client that is not there is an error at the start', () => {
    const features = [assertions({ issuers: [issuer.entry({ clients: { sub: 'other' } })] })];
    expect(() => oauthQuery({ issuer: 'https://as.example', clients: [VOUCHED], features })).toThrow(
      'clients["sub"]: the client "other" is not in options.clients',
    );
  });

  test('with the name of a client is an error, at the start or when it is found', async () => {
    const same = { client_id: issuer.issuer, client_secret: SECRET };
    await expect(withEntry({ clients }, [VOUCHED, same])).rejects.toThrow('is the client_id of a client too');
    const server = await featureServer({
      scopes: { read: 'Read' },
      clients: [same],
      features: [assertions({ issuers: { find: () => issuer.entry({ owner }) } })],
    });
    const assertion = await issuer.sign(issuer.claims(server.issuer));
    expect((await server.post('/oauth/token', { grant_type: JWT_BEARER, assertion })).status).toBe(503);
    expect(server.errors.map(String).join()).toContain('is the client_id of a client too');
    await server.close();
  });
});

describe('a client without a secret and keys', () => {
  test('is an error unless an issuer may vouch for it', async () => {
    await expect(withEntry({ owner })).rejects.toThrow(
      'Client "batch": private_key_jwt and jwks, or jwks_uri, require each other. Without keys, an issuer must vouch for the client',
    );
    expect(await start({ issuers: { find: () => undefined } })).toBe('started');
  });

  test.each([
    [{ redirect_uris: ['https://x.example/'] }, 'redirect_uris'],
    [{ grant_types: ['password'] }, 'password'],
    [{ grant_types: ['client_credentials', 'refresh_token'], refresh: 'reusable' }, 'refresh_token'],
    [{ grant_types: ['device_code'] }, 'device_code'],
    [{ grant_types: ['implicit'], redirect_uris: ['https://x.example/'] }, 'redirect_uris'],
  ] as const)('acts for itself, so it cannot have %j', (more, named) => {
    expect(checkClient({ ...VOUCHED, ...more }).join()).toMatch(new RegExp(`acts for itself.*${named}`));
  });

  test('is what checkClient accepts, and neither a public one nor one with keys', () => {
    expect(checkClient({ ...VOUCHED, grant_types: ['client_credentials', JWT_BEARER] })).toEqual([]);
    expect(checkClient(VOUCHED)).toEqual([]);
    expect(checkClient(VOUCHED, { vouchedClients: false })).toHaveLength(1);
    expect(checkClient({ ...VOUCHED, client_secret: SECRET }).join()).toContain(
      'private_key_jwt and jwks, or jwks_uri, require each other',
    );
  });
});

test.each([
  [{ tokenLifetime: 300 }, {}, true],
  [{}, { maxLifetime: 3600 }, true],
  [{}, { maxLifetime: 900 }, false],
  [{ tokenLifetime: 300 }, { use: 'untilExpiry' }, false],
  [{ tokenLifetime: 300 }, { kind: 'bearer' }, false],
] as const)('with %j, an issuer with %j is warned of: %s', (options, entry, isWarned) => {
  const warnings: string[] = [];
  const issuers = [issuer.entry({ kind: 'id-jag', owner, ...entry })];
  oauthQuery({
    issuer: 'https://as.example',
    clients: [],
    features: [assertions({ issuers, ...options })],
    onWarning: (sentence) => void warnings.push(sentence),
  });
  expect(warnings.some((sentence) => sentence.includes('OQ214'))).toBe(isWarned);
});
