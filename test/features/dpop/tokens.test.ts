import { describe, expect, test } from 'vitest';
import { oauthQuery } from '../../../src/adapters/node/index.js';
import { customGrant } from '../../../src/core/index.js';
import { dpop } from '../../../src/features/dpop/index.js';
import { jwtVerifier } from '../../../src/resource-server/index.js';
import { Client, hostFor } from '../../hosts.js';
import { DEVICE_CODE, fixture } from '../../oauth/support/fixture.js';
import { read } from '../../oauth/support/jwt.js';
import { Flows, refusal, type TokenSet } from '../../oauth/support/tokens.js';
import { ProofMaker } from './keys.js';
import { BOUND_CLIENTS, SECRET, useSite } from './site.js';

const HOST = hostFor(import.meta.url)[0];

const VOUCHER = customGrant('urn:example:voucher', {
  handle: () => ({ sub: 'alice', username: 'alice', refresh: true }),
});

describe.each(['opaque', 'jwt'] as const)('tokens that are bound to a key, %s', (format) => {
  const key = new ProofMaker();
  const thief = new ProofMaker();

  const site = useSite(
    HOST,
    { replay: 'none' },
    {
      ...(format === 'jwt' && { jwt: true }),
      features: [VOUCHER],
      grants: ['authorization_code', 'client_credentials', 'refresh_token', 'device_code', 'password', 'implicit'],
      clients: [
        ...BOUND_CLIENTS,
        { client_id: 'voucher', grant_types: ['urn:example:voucher'], scope: 'profile', refresh: 'rotating' },
        { client_id: 'old', grant_types: ['password'], scope: 'profile' },
      ],
    },
  );

  const prove = (by = key) => ({ dpop: site.tokenProof(by) });

  const expectBound = async ({ access_token, token_type }: TokenSet, by = key, route = 'profile') => {
    expect(token_type).toBe('DPoP');
    const { json } = await site.flows.introspect(access_token);
    expect(json).toMatchObject({ active: true, token_type: 'DPoP', cnf: { jkt: by.jkt } });
    if (route === 'profile') {
      expect((await site.ask(access_token, by)).status).toBe(200);
      expect((await site.ask(access_token)).json['error']).toBe('invalid_token');
      expect((await site.ask(access_token, thief)).json['error']).toBe('invalid_dpop_proof');
    }
  };

  test('DP3, DP18 each grant binds its token to the key of the request', async () => {
    await expectBound(await site.tokens('web', key));
    const native = await site.tokens('native', key);
    await expectBound(native);
    if (format === 'jwt') {
      const withoutDpop = jwtVerifier({ issuer: site.running.base, clock: site.fixture.clock });
      expect((await withoutDpop.check.any(native.access_token)).refused?.error).toBe('invalid_token');
    }
    const own = await site.token('service', { grant_type: 'client_credentials' }, prove());
    await expectBound(own.json as unknown as TokenSet, key, 'none');
    const voucher = await site.token('voucher', { grant_type: 'urn:example:voucher' }, prove());
    await expectBound(voucher.json as unknown as TokenSet);
    const password = await site.token(
      'old',
      { grant_type: 'password', username: 'alice', password: 'wonderland' },
      prove(),
    );
    await expectBound(password.json as unknown as TokenSet);

    const codes = await site.flows.device('tv');
    const { device_code } = codes;
    const poll = (by: ProofMaker) => site.token('tv', { grant_type: DEVICE_CODE, device_code }, prove(by));
    expect((await poll(thief)).json['error']).toBe('authorization_pending');
    await site.flows.decide(codes, 'approve');
    await expectBound((await poll(key)).json as unknown as TokenSet);
  });

  test('DP4 without a proof, tokens are bearer tokens as before', async () => {
    const tokens = await site.tokens('native', undefined);
    expect(tokens.token_type).toBe('Bearer');
    expect((await site.flows.introspect(tokens.access_token)).json).not.toHaveProperty('cnf');
    expect((await site.ask(tokens.access_token)).status).toBe(200);
  });

  test('#113 DP5 a client with dpop_bound_access_tokens needs a proof, and the code is not used up without one', async () => {
    const code = await site.flows.code('bound');
    const form = site.flows.redemption('bound', code);
    const refused = await site.token('bound', form);
    expect(refusal(refused)).toEqual([400, 'invalid_dpop_proof']);
    expect((await site.token('bound', form, prove())).json['token_type']).toBe('DPoP');
  });

  test('DP11 dpop_jkt binds the code: no other key redeems it, and it survives a wrong key', async () => {
    const code = await site.flows.code('native', { dpop_jkt: key.jkt });
    const form = site.flows.redemption('native', code);
    for (const headers of [{}, prove(thief)]) {
      const answer = await site.token('native', form, headers);
      expect(refusal(answer)).toEqual([400, 'invalid_grant']);
    }
    expect((await site.token('native', form, prove())).json['token_type']).toBe('DPoP');
    expect((await site.token('native', form, prove(thief))).json['error']).toBe('invalid_grant');

    const worn = site.flows.redemption('native', await site.flows.code('native', { dpop_jkt: key.jkt }));
    for (let attempt = 0; attempt < 3; attempt += 1) await site.token('native', worn, prove(thief));
    expect((await site.token('native', worn, prove())).json['error']).toBe('invalid_grant');

    const malformed = await site.flows.authorize('native', { dpop_jkt: 'x' });
    expect(new URL(malformed.headers.location ?? '').searchParams.get('error')).toBe('invalid_request');
  });

  test('DP12, DP16 the refresh token of a public client is bound, and a stolen one destroys nothing', async () => {
    const first = await site.tokens('native', key);
    for (const by of [undefined, thief]) {
      const refused = await site.refresh('native', first.refresh_token, by);
      expect(refusal(refused)).toEqual([400, 'invalid_grant']);
    }
    const second = (await site.refresh('native', first.refresh_token, key)).json as unknown as TokenSet;
    await expectBound(second);
    const broken = await site.token(
      'native',
      { grant_type: 'refresh_token', refresh_token: second.refresh_token },
      { dpop: 'x.y.z' },
    );
    expect(broken.json['error']).toBe('invalid_dpop_proof');
    expect((await site.flows.introspect(second.refresh_token, 'native')).status).toBe(401);
    expect((await site.refresh('native', second.refresh_token, key)).status).toBe(200);
  });

  test('DP13, DP22 the refresh token of a confidential client is not bound and has no token_type, and its next access token follows the request', async () => {
    const first = await site.tokens('web', key);
    expect((await site.flows.introspect(first.refresh_token, 'web')).json).not.toHaveProperty('token_type');
    const other = new ProofMaker('Ed25519');
    const second = (await site.refresh('web', first.refresh_token, other)).json as unknown as TokenSet;
    await expectBound(second, other);
    const third = (await site.refresh('web', second.refresh_token)).json as unknown as TokenSet;
    expect(third.token_type).toBe('Bearer');
    expect((await site.ask(third.access_token)).status).toBe(200);
  });

  test('DP14 a used refresh token without the key ends nothing; with the key and after the window it ends the grant', async () => {
    const first = await site.tokens('native', key);
    const second = (await site.refresh('native', first.refresh_token, key)).json as unknown as TokenSet;
    await site.refresh('native', second.refresh_token, key);
    site.fixture.advance(200);
    for (const by of [undefined, thief]) await site.refresh('native', first.refresh_token, by);
    expect((await site.ask(second.access_token, key)).status).toBe(200);
    expect((await site.refresh('native', first.refresh_token, key)).json['error']).toBe('invalid_grant');
    expect((await site.ask(second.access_token, key)).json['error']).toBe('invalid_token');
    expect(site.fixture.events.filter(({ type }) => type === 'replay.detected')).toHaveLength(1);
  });

  test('DP15 a repeated refresh with the same key gets the same tokens', async () => {
    const first = await site.tokens('native', key);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => site.refresh('native', first.refresh_token, key)),
    );
    const sets = answers.map(({ json }) => json as unknown as TokenSet);
    expect(new Set(sets.map(({ refresh_token }) => refresh_token)).size).toBe(1);
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    await expectBound(sets[0] as TokenSet);
    expect((await site.refresh('native', first.refresh_token, thief)).json['error']).toBe('invalid_grant');
  });

  test('DP15 workers of a confidential client that refresh one token with keys of their own: one is refused, and the grant stays', async () => {
    const first = await site.tokens('web', key);
    const before = site.fixture.events.length;
    const second = (await site.refresh('web', first.refresh_token, key)).json as unknown as TokenSet;
    for (const by of [new ProofMaker('Ed25519'), undefined])
      expect((await site.refresh('web', first.refresh_token, by)).json['error']).toBe('invalid_grant');
    expect((await site.ask(second.access_token, key)).status).toBe(200);
    expect((await site.refresh('web', second.refresh_token, key)).status).toBe(200);
    expect(site.fixture.events.slice(before).map(({ type }) => type)).not.toContain('replay.detected');
  });

  test('DP17 a public client may keep its refresh token once it is bound to a key', async () => {
    const { refresh_token } = await site.tokens('keeper', key);
    for (let count = 0; count < 3; count += 1) {
      const { json } = await site.refresh('keeper', refresh_token, key);
      expect(json).not.toHaveProperty('refresh_token');
      await expectBound(json as unknown as TokenSet);
    }
    for (const by of [undefined, thief]) expect((await site.refresh('keeper', refresh_token, by)).status).toBe(400);
  });

  test('DP19 no jti is kept at the token endpoint: the same proof fails with the used code, and works for client credentials', async () => {
    const headers = prove();
    const form = site.flows.redemption('native', await site.flows.code('native'));
    expect((await site.token('native', form, headers)).status).toBe(200);
    expect((await site.token('native', form, headers)).json['error']).toBe('invalid_grant');
    for (let count = 0; count < 2; count += 1)
      expect((await site.token('service', { grant_type: 'client_credentials' }, headers)).status).toBe(200);
  });

  test('DP21 introspection and revocation need no proof, but introspection by a bound token does', async () => {
    const own = (await site.token('api', { grant_type: 'client_credentials' }, prove())).json as unknown as TokenSet;
    const url = `${site.running.base}/oauth/introspect`;
    const ask = (headers: Readonly<Record<string, string>>) =>
      site.flows.client.post('/oauth/introspect', { token: own.access_token }, headers);
    expect((await ask({ authorization: `Bearer ${own.access_token}` })).json['error']).toBe('invalid_token');
    const proof = key.proof({ method: 'POST', url, iat: site.now, token: own.access_token });
    expect((await ask({ authorization: `DPoP ${own.access_token}`, dpop: proof })).json['active']).toBe(true);
    const tokens = await site.tokens('native', key);
    expect((await site.flows.revoke('native', tokens.access_token)).status).toBe(200);
    expect((await site.ask(tokens.access_token, key)).json['error']).toBe('invalid_token');
  });

  test('DP23 a process without dpop accepts no bound token, refreshes none and redeems no bound code', async () => {
    const tokens = await site.tokens('native', key);
    const code = await site.flows.code('native', { dpop_jkt: key.jkt });
    // No version before these marks takes them for a token or a code of its own: these were its patterns.
    const before = { token: /^[\w-]{43}(?:[\w-]{22})?$/, refresh: /^[\w-]{22}[0-9a-z]{7}[\w-]{22}[\w-]{43}$/ };
    const payload = format === 'jwt' ? read(tokens.access_token).claims : undefined;
    expect(payload?.['jti'] ?? tokens.access_token).not.toMatch(before.token);
    expect(code).not.toMatch(before.token);
    expect(tokens.refresh_token).not.toMatch(before.refresh);
    if (payload !== undefined) expect(payload['cnf']).toEqual({ jkt: key.jkt });

    const { features: _, ...without } = site.fixture.options;
    const other = await HOST.start({ options: { ...without, features: [VOUCHER], issuer: site.running.base } });
    const neighbour = new Client(other.origin);
    for (const headers of [
      { authorization: `Bearer ${tokens.access_token}` },
      { authorization: `DPoP ${tokens.access_token}`, dpop: site.tokenProof(key) },
    ])
      expect((await neighbour.get('/guarded/profile', headers)).status).toBe(401);
  });
});

describe('DP1 without the option', () => {
  test('headers, parameters and dpop_bound_access_tokens change nothing', async () => {
    const all = fixture({ secret: SECRET });
    const running = await HOST.start({ options: all.options });
    const flows = new Flows(running);
    const key = new ProofMaker();
    const code = await flows.code('native', { dpop_jkt: 'x' });
    const answer = await flows.client.post(
      '/oauth/token',
      { ...flows.redemption('native', code), client_id: 'native' },
      { dpop: 'nonsense' },
    );
    expect(answer.json['token_type']).toBe('Bearer');
    expect(answer.headers['dpop-nonce']).toBeUndefined();
    const { json, headers } = await flows.client.get('/.well-known/oauth-authorization-server');
    expect(JSON.stringify([json, headers])).not.toMatch(/dpop/i);
    const { access_token } = answer.json as unknown as TokenSet;
    const refused = await new Client(running.origin).get('/guarded/profile', {
      authorization: `DPoP ${access_token}`,
      dpop: key.proof({ method: 'GET', url: 'https://x.example', iat: 0 }),
    });
    expect([refused.status, refused.headers['www-authenticate']]).toEqual([401, 'Bearer realm="oauth"']);
  });

  test('DP2 dpop needs an issuer and a secret', async () => {
    const onWarning = (): void => undefined;
    expect(() => oauthQuery({ features: [dpop()], secret: SECRET, onWarning })).toThrow(
      /dpop\(\) needs options\.issuer/,
    );
    expect(() => oauthQuery({ features: [dpop()], issuer: 'http://127.0.0.1:3000', onWarning })).toThrow(
      /dpop\(\) needs options\.secret/,
    );
    expect(() => oauthQuery({ features: [dpop as never], onWarning })).toThrow(
      /features\[0\] is a function, not a feature/,
    );
    expect(() => dpop({ maxAge: 301 })).toThrow(/maxAge/);
    const oauth = oauthQuery({ issuer: 'http://127.0.0.1:3000', secret: SECRET, onWarning });
    expect(() => oauth.guard.any({ dpop: 'required' })).toThrow(/oauth-query\/dpop/);
    expect(() => jwtVerifier({ issuer: 'https://a.example', features: [dpop()] })).toThrow(/origins/);
  });
});
