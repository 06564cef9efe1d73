import { beforeAll, describe, expect, test } from 'vitest';
import { oauthQuery } from '../../../src/adapters/node/index.js';
import { authInfo } from '../../../src/core/base/auth-info.js';
import { query } from '../../../src/core/query/index.js';
import { Replays } from '../../../src/features/dpop/replays.js';
import { stepUp } from '../../../src/features/step-up/index.js';
import { mcp } from '../../../src/mcp/index.js';
import { Client, eachFramework, hostFor, oneHostEach } from '../../hosts.js';
import { fixture } from '../../oauth/support/fixture.js';
import { ProofMaker } from './keys.js';
import { type Site, startSite, useSite } from './site.js';

const key = new ProofMaker();
const thief = new ProofMaker();

describe.each(eachFramework)('DP32, DP33, DP34, DP35, DP37 a guard on $name', (host) => {
  let bound: string;
  let free: string;
  const guarded = {
    profile: { scope: 'profile' },
    strict: { scope: 'profile', dpop: 'required' },
    write: { scope: 'content.write' },
  } as const;
  const site = useSite(host, {}, { resources: { '/notes': { scopes: ['profile'] } } }, { guarded });
  beforeAll(async () => {
    bound = (await site.tokens('native', key)).access_token;
    free = (await site.tokens('native', undefined)).access_token;
  });

  const told = async (answer: ReturnType<Site['ask']>) => {
    const { status, json } = await answer;
    return [status, json['error']];
  };

  test('#108 a bound token passes with a fresh proof of its key, and only so', async () => {
    const answer = await site.ask(bound, key);
    expect(answer.status).toBe(200);
    expect(answer.json['auth']).toMatchObject({ token_type: 'DPoP', cnf: { jkt: key.jkt }, client_id: 'native' });
    const header = {
      authorization: `dPoP ${bound}`,
      dpop: key.proof({ method: 'GET', url: site.guardedUrl(), iat: site.now, token: bound }),
    };
    expect((await site.client.get('/guarded/profile?x=1', header)).status).toBe(200);
    expect(await told(site.client.get('/guarded/profile?x=1', header))).toEqual([401, 'invalid_dpop_proof']);
    expect(await told(site.ask(bound))).toEqual([401, 'invalid_token']);
    expect(await told(site.client.get('/guarded/profile', { authorization: `DPoP ${bound}` }))).toEqual([
      401,
      'invalid_dpop_proof',
    ]);
    expect(await told(site.ask(bound, thief))).toEqual([401, 'invalid_dpop_proof']);
    expect(await told(site.ask(bound, key, { method: 'POST' }))).toEqual([401, 'invalid_dpop_proof']);
    expect(await told(site.ask(bound, key, { url: `${site.guardedUrl()}/` }))).toEqual([401, 'invalid_dpop_proof']);
    expect(await told(site.ask(bound, key, {}, 'write'))).toEqual([403, 'insufficient_scope']);
  });

  test('an unbound token passes as Bearer, also with a proof, but not as DPoP, and not where a bound one is required', async () => {
    expect(await told(site.ask(free))).toEqual([200, undefined]);
    const proof = key.proof({ method: 'GET', url: site.guardedUrl(), iat: site.now, token: free });
    expect(await told(site.client.get('/guarded/profile', { authorization: `Bearer ${free}`, dpop: proof }))).toEqual([
      200,
      undefined,
    ]);
    expect(await told(site.ask(free, key))).toEqual([401, 'invalid_token']);
    expect(await told(site.client.get('/guarded/strict', { authorization: `Bearer ${free}` }))).toEqual([
      401,
      'invalid_token',
    ]);
    expect(await told(site.ask(bound, key, {}, 'strict'))).toEqual([200, undefined]);
  });

  test('a 401 names both schemes in one header, Bearer first', async () => {
    const { headers } = await site.client.get('/guarded/profile');
    expect(headers['www-authenticate']).toBe('Bearer realm="oauth", DPoP algs="ES256 ES384 EdDSA Ed25519 PS256 RS256"');
    const two = await site.client.get('/guarded/profile', { authorization: [`DPoP ${bound}`, `DPoP ${bound}`] });
    expect(two.status).toBe(400);
    const dpopHeaders = ['one', 'two'].map((jti) =>
      key.proof({ method: 'GET', url: site.guardedUrl(), iat: site.now, token: bound, payload: { jti } }),
    );
    const proofs = { authorization: `DPoP ${bound}`, dpop: dpopHeaders };
    expect(await told(site.client.get('/guarded/profile', proofs))).toEqual([400, 'invalid_request']);
  });
});

describe('the rest of a resource', () => {
  let bound: string;
  const host = hostFor(import.meta.url)[0];
  const guarded = { profile: { scope: 'profile' }, notes: { scope: 'profile', resource: '/notes' } } as const;
  const site = useSite(host, {}, { resources: { '/notes': { scopes: ['profile'] } } }, { guarded });
  beforeAll(async () => {
    bound = (await site.tokens('native', key)).access_token;
  });

  test('DP36 the metadata of a resource lists the algorithms, and requires bound tokens only where they are required', async () => {
    const { json } = await site.client.get('/.well-known/oauth-protected-resource/notes');
    expect(json).toMatchObject({ dpop_signing_alg_values_supported: expect.arrayContaining(['ES256']) });
    expect(json).not.toHaveProperty('dpop_bound_access_tokens_required');
    const strict = await startSite(host, { required: true }, { resources: { '/notes': {} } });
    const metadata = await strict.client.get('/.well-known/oauth-protected-resource/notes');
    expect(metadata.json['dpop_bound_access_tokens_required']).toBe(true);
    const refused = await strict.token('service', { grant_type: 'client_credentials' });
    expect(refused.json['error']).toBe('invalid_dpop_proof');
  });

  test('DP35 the challenge of a resource has its metadata in the first scheme, and the error in that which was used', async () => {
    const { headers } = await site.ask(bound, thief, {}, 'notes');
    expect(headers['www-authenticate']).toMatch(
      /^Bearer resource_metadata="[^"]+", scope="profile", DPoP error="invalid_dpop_proof", error_description="[^"]+", algs="ES256 /,
    );
  });

  test('DP35, SU2 both schemes name the sign-in that a route requires (RFC 9470 §3)', async () => {
    const strong = { recent: { scope: 'profile', maxAge: 300 } } as const;
    const other = await startSite(host, {}, { features: [stepUp()] }, { guarded: strong });
    const { access_token } = await other.tokens('native', key);
    other.fixture.advance(301);
    const { headers, json } = await other.ask(access_token, key, {}, 'recent');
    expect(json['error']).toBe('insufficient_user_authentication');
    expect(headers['www-authenticate']).toMatch(/^Bearer .*max_age="300", DPoP .*max_age="300"/);
    await other.close();
  });

  test('DP39, DP41 a proof works once, for its own key; a token over its share is refused, and no other', async () => {
    const one = new ProofMaker();
    const [mine, other] = await Promise.all([site.tokens('native', one), site.tokens('native', key)]);
    const same = { payload: { jti: 'the same' } };
    expect((await site.ask(mine.access_token, one, same)).status).toBe(200);
    expect((await site.ask(mine.access_token, one, same)).json['error']).toBe('invalid_dpop_proof');
    expect((await site.ask(other.access_token, key, same)).status).toBe(200);
    let refused = await site.ask(mine.access_token, one);
    for (let count = 0; count < 260 && refused.status === 200; count += 1)
      refused = await site.ask(mine.access_token, one);
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '30']);
    expect((await site.ask(other.access_token, key)).status).toBe(200);
    expect((await site.ask(other.access_token, key, same)).json['error']).toBe('invalid_dpop_proof');
    site.fixture.advance(120);
    expect((await site.ask(mine.access_token, one)).status).toBe(200);
  });

  test('DP39 the memory of proofs is bounded, and empties with time', () => {
    let now = 0;
    const replays = new Replays(() => now);
    for (let token = 0; token < 400; token += 1)
      for (let proof = 0; proof < 250; proof += 1) replays.add(`${token}-${proof}`, `${token}`, now + 60_000);
    expect(replays.add('more', 'new token', now + 60_000)).toBe('too_many');
    expect(replays.add('0-0', '0', now + 60_000)).toBe('replay');
    now += 120_000;
    expect(replays.add('0-0', '0', now + 60_000)).toBe('new');
  });

  test('DP40 with the store, a proof works once over all processes; without the store it is a 503', async () => {
    const first = await startSite(host, { replay: 'store' });
    let isAway = false;
    const { store } = first.fixture;
    const wavering = {
      ...store,
      add: (...record: Parameters<typeof store.add>) =>
        isAway && record[0].includes('proof:') ? Promise.reject(new Error('away')) : store.add(...record),
      get: (...record: Parameters<typeof store.get>) => store.get(...record),
      swap: (...record: Parameters<typeof store.swap>) => store.swap(...record),
      delete: (...record: Parameters<typeof store.delete>) => store.delete(...record),
    };
    const second = await host.start({
      options: { ...first.fixture.options, store: wavering, issuer: first.running.base },
    });
    const { access_token } = await first.tokens('native', key);
    const headers = () => ({
      authorization: `DPoP ${access_token}`,
      dpop: key.proof({ method: 'GET', url: first.guardedUrl(), iat: first.now, token: access_token }),
    });
    const used = headers();
    const other = new Client(second.origin);
    const path = '/guarded/profile';
    expect((await first.client.get(path, used)).status).toBe(200);
    expect((await other.get(path, used)).json['error']).toBe('invalid_dpop_proof');
    isAway = true;
    expect((await other.get(path, headers())).status).toBe(503);
  });

  test('DP28, DP43 the query API refuses in its own format, with the challenge in the header, and offers a new nonce with success', async () => {
    const wiki = await startSite(oneHostEach[0], {}, { features: [query({})] });
    const { access_token } = await wiki.tokens('native', key);
    const path = '/api?action=query&meta=userinfo&format=json&maxage=60';
    const ask = (by: ProofMaker | undefined) =>
      wiki.client.get(path, {
        authorization: `${by === undefined ? 'Bearer' : 'DPoP'} ${access_token}`,
        ...(by && {
          dpop: by.proof({ method: 'GET', url: `${wiki.running.origin}/api`, iat: wiki.now, token: access_token }),
        }),
      });
    const { json, headers } = await ask(key);
    expect(json).toMatchObject({ query: { userinfo: { name: 'alice' } } });
    expect([headers['cache-control'], headers['dpop-nonce']]).toEqual(['no-store', expect.any(String)]);
    for (const by of [undefined, thief]) {
      const refused = await ask(by);
      expect(refused.status).toBe(401);
      expect(refused.json).toMatchObject({ error: { code: 'mwoauth-invalid-authorization' } });
      expect(refused.headers['www-authenticate']).toContain('DPoP ');
    }
  });

  test('a public MCP server reads a bound token too, and refuses it without a proof of its key', async () => {
    const wiki = await startSite(oneHostEach[0], {}, { features: [query(), mcp()] });
    const url = `${wiki.running.origin}/mcp`;
    const form = wiki.flows.redemption('native', await wiki.flows.code('native', { resource: url }));
    const { json } = await wiki.token('native', form, { dpop: wiki.tokenProof(key) });
    const token = String(json['access_token']);
    const ask = (by: ProofMaker) =>
      wiki.client.request('/mcp', {
        method: 'POST',
        headers: {
          ...{ authorization: `DPoP ${token}`, accept: 'application/json, text/event-stream' },
          'content-type': 'application/json',
          dpop: by.proof({ method: 'POST', url, iat: wiki.now, token }),
        },
        body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
      });
    expect([(await ask(key)).status, (await ask(thief)).status]).toEqual([200, 401]);
  });

  test('DP30 scripts of other origins send proofs to the query API and to the MCP server, and read nonces and challenges', async () => {
    const origin = 'https://app.example';
    const api = [query({ cors: [origin] }), mcp({ anonymous: false })];
    const wiki = await startSite(oneHostEach[0], { nonce: 'required' }, { features: api });
    const plain = fixture({ features: api });
    const without = await oneHostEach[0].start({ options: plain.options });
    const preflight = (client: Client, path: string) =>
      client.request(path, {
        method: 'OPTIONS',
        headers: {
          ...{ origin, 'access-control-request-method': 'POST' },
          'access-control-request-headers': 'authorization, dpop',
        },
      });
    const path = `/api?action=query&format=json&origin=${origin}`;
    for (const [address, resource] of [
      [path, '/api'],
      ['/mcp', '/mcp'],
    ] as const) {
      const { headers } = await preflight(wiki.client, address);
      expect(headers['access-control-allow-headers']).toMatch(/\bdpop\b/);
      expect(
        (await preflight(new Client(without.origin), address)).headers['access-control-allow-headers'] ?? '',
      ).not.toMatch(/dpop/);
      const url = wiki.running.origin + resource;
      const form = wiki.flows.redemption(
        'native',
        await wiki.flows.code('native', resource === '/mcp' ? { resource: url } : {}),
      );
      const { headers: given } = await wiki.token('native', form, { dpop: wiki.tokenProof(key) });
      const proof = { dpop: wiki.tokenProof(key, { nonce: String(given['dpop-nonce']) }) };
      const token = String((await wiki.token('native', form, proof)).json['access_token']);
      const ask = (nonce?: string) =>
        wiki.client.request(address, {
          method: 'POST',
          headers: {
            ...{ origin, authorization: `DPoP ${token}`, accept: 'application/json, text/event-stream' },
            'content-type': resource === '/mcp' ? 'application/json' : 'application/x-www-form-urlencoded',
            dpop: key.proof({ method: 'POST', url, iat: wiki.now, token, nonce }),
          },
          body: resource === '/mcp' ? '{"jsonrpc":"2.0","id":1,"method":"ping"}' : 'meta=userinfo',
        });
      const refused = await ask();
      expect([refused.status, refused.headers['www-authenticate']]).toEqual([
        401,
        expect.stringContaining('error="use_dpop_nonce"'),
      ]);
      expect(refused.headers['access-control-expose-headers']).toMatch(/dpop-nonce, www-authenticate/);
      expect((await ask(String(refused.headers['dpop-nonce']))).status).toBe(200);
      wiki.fixture.advance(31);
      const renewed = await ask(String(refused.headers['dpop-nonce']));
      expect(renewed.status).toBe(200);
      if (resource === '/mcp') expect(renewed.headers['dpop-nonce']).toMatch(/^[\w-]{22}$/);
    }
  });

  test('DP44 authInfo has the token of both schemes', async () => {
    const auth = (await site.ask(bound, key)).json['auth'] as never;
    expect(authInfo({ auth, headers: { authorization: `DPoP ${bound}` } })).toMatchObject({
      token: bound,
      extra: { token_type: 'DPoP' },
    });
  });

  test('oauth.check takes the proof, for the upgrade request of a WebSocket', async () => {
    const oauth = oauthQuery({ ...(site.fixture.options as object), issuer: site.running.base });
    const url = 'https://sockets.example/';
    const jwt = key.proof({ method: 'GET', url, iat: site.now, token: bound });
    const check = (proof: { jwt: string | undefined; method: string; url: string } | undefined) =>
      oauth.check(bound, { scope: 'profile', ...(proof && { proof }) });
    expect((await check({ jwt, method: 'GET', url })).authorization).toMatchObject({ cnf: { jkt: key.jkt } });
    expect((await check({ jwt, method: 'GET', url })).refused?.error).toBe('invalid_dpop_proof');
    expect((await check({ jwt: undefined, method: 'GET', url })).refused?.error).toBe('invalid_dpop_proof');
    expect((await check({ jwt: {} as never, method: 'GET', url })).refused?.error).toBe('invalid_dpop_proof');
    expect((await check(undefined)).refused?.error).toBe('invalid_token');
    const free = (await site.tokens('native', undefined)).access_token;
    expect((await oauth.check.any(free, { proof: { jwt: 'x', method: 'GET', url } })).authorization).toBeDefined();
  });
});
