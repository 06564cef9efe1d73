import { createPublicKey, randomUUID } from 'node:crypto';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { assertions } from 'oauth-query/assertions';
import { dpop } from 'oauth-query/dpop';
import { fapi2 } from 'oauth-query/fapi';
import { introspectionVerifier, jwtVerifier } from 'oauth-query/guard';
import { oauthQuery } from 'oauth-query/node';
import { openIdConnect } from 'oauth-query/openid';
import { signedIntrospection, type SignedIntrospectionOptions } from 'oauth-query/signed-introspection';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../../src/stores/memory.js';
import { basic, bearer, hostFor, useHost } from '../../hosts.js';
import { PKCE, responseOf } from '../../oauth/support/browser.js';
import { fixture } from '../../oauth/support/fixture.js';
import { mint, newKey, read, es256 } from '../../oauth/support/jwt.js';
import { Flows } from '../../oauth/support/tokens.js';
import { everyRow } from '../../rows.js';
import { ED25519, P256, RSA } from '../openid/support.js';

const TYPE = 'application/token-introspection+jwt';
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const SECRET = 'a secret of the tests, with 32 characters';
const insecure = { [oauth.allowInsecureRequests]: true } as const;
const clientKey = newKey();

const CLIENTS = [
  { client_id: 'signed', client_secret: 'signed-secret', introspect: true, introspection_signed_response_alg: 'ES256' },
  { client_id: 'rp', client_secret: 'rp-secret', redirect_uris: ['https://rp.example/cb'], scope: 'openid' },
  { client_id: 'stranger', client_secret: 'stranger-secret', scope: 'content.read' },
  {
    client_id: 'keys',
    jwks: { keys: [{ ...createPublicKey(clientKey).export({ format: 'jwk' }) }] },
    grant_types: [JWT_BEARER],
    scope: 'content.read',
    introspect: true,
  },
] as const;

const OPEN = { ...fixture({ secret: SECRET }).options.scopes };

const setup = (keys: SignedIntrospectionOptions['keys'], more: object = {}) =>
  fixture({
    secret: SECRET,
    clients: CLIENTS,
    scopes: OPEN,
    jwt: [{ key: P256 }],
    runtime: { clock: Date.now },
    ...more,
    features: [
      signedIntrospection({ keys }),
      openIdConnect({ keys: [{ key: RSA }, { key: P256 }] }),
      dpop(),
      assertions({
        issuers: [
          {
            issuer: 'https://partner.example',
            // As if the partner had our keys, so that only the type tells its statements from ours.
            jwks: { keys: [P256, RSA].map((key) => ({ ...createPublicKey(key).export({ format: 'jwk' }) })) },
            owner: () => ({ sub: 'alice', username: 'alice' }),
          },
        ],
      }),
    ],
  });

describe.each(hostFor(import.meta.url))('signed introspection on $name', (host) => {
  const { options, errors } = setup([{ key: P256 }, { key: RSA }, { key: ED25519 }]);
  const running = useHost(host, { options }, errors);
  const flows = new Flows(running, CLIENTS as never);
  const ask = (token: string, headers: object = {}, who = basic('api', 'api-secret')) =>
    flows.client.post('/oauth/introspect', { token }, { ...who, ...headers });
  const signedFor = async (token: string): Promise<string> => (await ask(token, { accept: TYPE })).text;

  test('a client that accepts the type gets a JWT with the members of the usual response', async () => {
    const { access_token } = await flows.tokens('web');
    const plain = await ask(access_token);
    const answer = await ask(access_token, { accept: TYPE });
    expect([answer.status, answer.headers['content-type'], answer.headers['cache-control']]).toEqual([
      200,
      TYPE,
      'no-store',
    ]);
    const { payload, protectedHeader } = await jwtVerify(
      answer.text,
      createRemoteJWKSet(new URL(`${running.base}/oauth/jwks`)),
      { issuer: running.base, audience: 'api', typ: 'token-introspection+jwt' },
    );
    expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'token-introspection+jwt', kid: expect.any(String) });
    expect(payload).toEqual({
      iss: running.base,
      aud: 'api',
      iat: expect.closeTo(Date.now() / 1000, -1),
      token_introspection: plain.json,
    });
    expect(plain.json['active']).toBe(true);
  });

  test('only a request for the type is answered with it', () =>
    everyRow(
      [
        [undefined, false],
        ['*/*', false],
        ['application/*', false],
        ['application/json', false],
        [`${TYPE};q=0`, false],
        [`${TYPE};q=0.000`, false],
        [`${TYPE}x`, false],
        ['text/html', false],
        [TYPE.toUpperCase(), true],
        [`application/json, ${TYPE}`, true],
        [`${TYPE};q=0.5`, true],
      ] as const,
      async ([accept, isSigned]) => {
        const answer = await ask('unknown', accept === undefined ? {} : { accept });
        expect(answer.headers['content-type']).toBe(isSigned ? TYPE : 'application/json; charset=utf-8');
        if (!isSigned) expect(answer.text).toBe('{"active":false}');
      },
    ));

  test('what a client may not see stays inactive, signed, with no other member', async () => {
    const { access_token } = await flows.tokens('web');
    const answer = await ask(access_token, { accept: TYPE }, basic('stranger', 'stranger-secret'));
    expect(read(answer.text).claims).toEqual({
      iss: running.base,
      aud: 'stranger',
      iat: expect.any(Number),
      token_introspection: { active: false },
    });
  });

  test('a registration may ask for it, with its algorithm', async () => {
    const answer = await ask('unknown', {}, basic('signed', 'signed-secret'));
    expect(read(answer.text).header['alg']).toBe('ES256');
  });

  test('errors stay JSON, and so do responses to the holder of an access token', async () => {
    const wrong = await ask('unknown', { accept: TYPE }, basic('api', 'wrong'));
    expect([wrong.status, wrong.json['error']]).toEqual([401, 'invalid_client']);
    const { access_token } = await flows.ownTokens('api');
    const held = await ask(access_token, { accept: TYPE }, bearer(access_token));
    expect([held.status, held.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
  });

  test('the metadata lists the algorithms, and each key is published once', async () => {
    const metadata = await flows.client.get('/.well-known/oauth-authorization-server');
    expect(metadata.json['introspection_signing_alg_values_supported']).toEqual(['RS256', 'ES256', 'EdDSA']);
    const { keys } = (await flows.client.get('/oauth/jwks')).json as { keys: { alg: string }[] };
    expect(keys.map(({ alg }) => alg).toSorted()).toEqual(['ES256', 'EdDSA', 'RS256']);
  });

  test('a signed response is refused wherever a token is expected, whatever it is about', async () => {
    const { access_token } = await flows.tokens('web');
    const verifier = jwtVerifier({ issuer: running.base, onError: () => undefined });
    const places: readonly (readonly [string, (jwt: string) => Promise<unknown>, unknown])[] = [
      ['a guard', async (jwt) => (await flows.client.get('/guarded/profile', bearer(jwt))).status, 401],
      ['a remote guard', async (jwt) => 'authorization' in (await verifier.check.any(jwt)), false],
      ['userinfo', async (jwt) => (await flows.client.get('/oauth/userinfo', bearer(jwt))).status, 401],
      ['introspection', async (jwt) => (await ask(jwt)).text, '{"active":false}'],
      ['the holder of it at introspection', async (jwt) => (await ask('x', {}, bearer(jwt))).status, 401],
      [
        'a client assertion',
        async (client_assertion) =>
          (
            await flows.client.post('/oauth/introspect', {
              token: 'x',
              client_assertion,
              client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
            })
          ).json['error'],
        'invalid_client',
      ],
      [
        'an assertion',
        async (assertion) => {
          const form = { grant_type: JWT_BEARER, assertion, ...clientAssertion(running.base) };
          return (await flows.client.post('/oauth/token', form)).json['error'];
        },
        'invalid_grant',
      ],
      [
        'a hint of an authorization request',
        async (id_token_hint) =>
          responseOf(
            await flows.browser().authorize({
              client_id: 'rp',
              redirect_uri: 'https://rp.example/cb',
              response_type: 'code',
              scope: 'openid',
              id_token_hint,
              ...PKCE.request,
            }),
          )['error'],
        'invalid_request',
      ],
      [
        'a hint of a sign-out',
        async (id_token_hint) =>
          (await flows.browser().open(`${running.base}/oauth/logout?${new URLSearchParams({ id_token_hint })}`)).status,
        // It asks; a hint of this user would sign out at once.
        200,
      ],
      [
        'a proof',
        async (jwt) => {
          const form = { grant_type: 'client_credentials' };
          const headers = { ...basic('service', 'service-secret'), dpop: jwt };
          return (await flows.client.post('/oauth/token', form, headers)).json['error'];
        },
        'invalid_dpop_proof',
      ],
    ];
    const about = { 'an active token': access_token, 'an inactive token': 'unknown' };
    for (const [what, token] of Object.entries(about)) {
      const jwt = await signedFor(token);
      for (const [place, present, expected] of places)
        expect.soft(await present(jwt), `${place}: ${what}`).toBe(expected);
      // As if one of our keys had signed what a partner says: the type alone differs.
      const now = Math.floor(Date.now() / 1000);
      const statement = { iss: 'https://partner.example', sub: '1', aud: running.base, iat: now, exp: now + 60 };
      const typed = (typ: string) => mint({ alg: 'ES256', typ }, { ...statement, jti: randomUUID() }, es256(P256));
      const redeem = (assertion: string) =>
        flows.client.post('/oauth/token', { grant_type: JWT_BEARER, assertion, ...clientAssertion(running.base) });
      expect.soft((await redeem(typed('token-introspection+jwt'))).json['error'], what).toBe('invalid_grant');
      expect.soft((await redeem(typed('JWT'))).status, what).toBe(200);
    }
    verifier.close();
  });

  test('oauth4webapi: requestJwtResponse, verified with the published keys', async () => {
    const { access_token } = await flows.tokens('web');
    const issuer = new URL(running.base);
    const as = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }),
    );
    for (const client of [{ client_id: 'api' }, { client_id: 'signed', introspection_signed_response_alg: 'ES256' }]) {
      const auth = oauth.ClientSecretBasic(`${client.client_id}-secret`);
      const options = { requestJwtResponse: true, ...insecure };
      const response = await oauth.introspectionRequest(as, client, auth, access_token, options);
      expect(response.headers.get('content-type')).toBe(TYPE);
      const found = await oauth.processIntrospectionResponse(as, client, response);
      expect(found).toMatchObject({ active: true, client_id: 'web', iss: running.base });
      await oauth.validateApplicationLevelSignature(as, response, insecure);
    }
  });

  test('openid-client: a client with introspection_signed_response_alg, verified with the published keys', async () => {
    const { access_token } = await flows.tokens('web');
    for (const [client_id, introspection_signed_response_alg] of [
      ['api', 'RS256'],
      ['signed', 'ES256'],
    ] as const) {
      const types: (string | null)[] = [];
      const execute = [openid.allowInsecureRequests, openid.enableNonRepudiationChecks];
      const metadata = { client_secret: `${client_id}-secret`, introspection_signed_response_alg };
      const config = await openid.discovery(new URL(running.base), client_id, metadata, undefined, { execute });
      config[openid.customFetch] = async (...request) => {
        const response = await fetch(...(request as Parameters<typeof fetch>));
        types.push(response.headers.get('content-type'));
        return response;
      };
      expect(await openid.tokenIntrospection(config, access_token)).toMatchObject({ active: true, client_id: 'web' });
      expect(await openid.tokenIntrospection(config, 'unknown')).toEqual({ active: false });
      // The keys are read between both.
      expect(types.filter((type) => type === TYPE)).toHaveLength(2);
      expect(types).toHaveLength(3);
    }
  });

  test('introspectionVerifier({ signed: true }) takes signed answers only', async () => {
    const { access_token } = await flows.tokens('web', { scope: 'profile' });
    const reports: unknown[] = [];
    const given = { issuer: running.base, onError: (error: unknown) => void reports.push(error) };
    for (const [client_id, method] of [
      ['api', 'client_secret_basic'],
      ['signed', 'client_secret_post'],
    ] as const) {
      const credentials = { client_id, client_secret: `${client_id}-secret`, method };
      const verifier = introspectionVerifier({ ...given, credentials, signed: true });
      const { authorization } = (await verifier.check(access_token, { scope: 'profile' })) as { authorization: object };
      expect(authorization).toMatchObject({ client_id: 'web', scope: 'profile' });
      expect('refused' in (await verifier.check.any('unknown'))).toBe(true);
      verifier.close();
    }
    expect(reports).toEqual([]);
  });
});

test.each([
  ['an RSA key', [{ key: RSA }, { key: P256 }], undefined, undefined],
  ['a function, which must return one', () => [{ key: RSA }], undefined, undefined],
  ['no RSA key', [{ key: P256 }, { key: ED25519 }], undefined, 'ES256'],
  ['an RSA key for another algorithm', [{ key: RSA, alg: 'PS256' }], undefined, 'PS256'],
  ['a profile without RS256', [{ key: P256 }], fapi2(), undefined],
] as const)(
  'S6 with %s, the server says at the start what clients get instead of RS256',
  (_name, keys, profile, usual) => {
    const warnings: string[] = [];
    const server = oauthQuery({
      issuer: 'https://as.example',
      secret: SECRET,
      clients: [],
      store: memoryStore(),
      features: [signedIntrospection({ keys }), ...(profile === undefined ? [] : [profile])],
      onWarning: (sentence, code) => void (code === 'OQ215' && warnings.push(sentence)),
    });
    void server.close();
    const sentence = expect.stringMatching(
      new RegExp(`^signedIntrospection: .*RS256.*they get ${usual}\\..*\\(OQ215\\)$`),
    );
    expect(warnings).toEqual(usual === undefined ? [] : [sentence]);
  },
);

/** Credentials of the client `keys`. */
const clientAssertion = (aud: string) => {
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: 'keys', sub: 'keys', aud, iat: now, exp: now + 60, jti: randomUUID() };
  return {
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: mint({ alg: 'ES256' }, claims, es256(clientKey)),
  };
};
