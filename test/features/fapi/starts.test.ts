import { generateKeyPairSync } from 'node:crypto';
import { assertions } from 'oauth-query/assertions';
import { dpop } from 'oauth-query/dpop';
import { fapi2 } from 'oauth-query/fapi';
import { feature } from 'oauth-query/feature';
import { jwtVerifier } from 'oauth-query/guard';
import { oauthQuery, type OAuthQueryOptions } from 'oauth-query/node';
import { openIdConnect } from 'oauth-query/openid';
import { pushedRequests } from 'oauth-query/par';
import { personalTokens } from 'oauth-query/personal-tokens';
import { selfRegistration } from 'oauth-query/self-registration';
import { signedIntrospection } from 'oauth-query/signed-introspection';
import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../../src/stores/memory.js';
import { everyRow } from '../../rows.js';
import { rsaPair } from '../../rsa.js';

const jwk = { ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }) };
const rsa = rsaPair().privateKey;
const ed25519 = generateKeyPairSync('ed25519').privateKey;

const BANK = {
  client_id: 'bank',
  jwks: { keys: [jwk] },
  redirect_uris: ['https://bank.example/cb'],
  scope: 'read',
  default_scope: 'read',
} as const;

const issuers = [
  { issuer: 'https://partner.example', jwks: { keys: [jwk] }, kind: 'bearer', owner: () => undefined },
] as const;

type Options = Omit<OAuthQueryOptions, 'features'>;

const base: Options = {
  issuer: 'https://as.example',
  secret: 'only for tests: a secret of the server',
  clients: [BANK],
  scopes: { read: 'Read your data' },
  users: [{ username: 'alice', password: 'wonderland' }],
  onWarning: () => undefined,
};

const start = (options: Options = {}, features: OAuthQueryOptions['features'] = []) =>
  oauthQuery({ ...base, store: memoryStore(), ...options, features: [fapi2(), ...(features ?? [])] } as never);

const bank = (more: object): Options => ({ clients: [{ ...BANK, ...more } as never] });

const { jwks: _, ...WITHOUT_KEYS } = BANK;

interface Setting {
  readonly name: string;
  /** What contradicts the profile. */
  readonly wrong: () => unknown;
  /** In the error: the option, and the clause. */
  readonly says: readonly [option: string, clause: string];
  /** The nearest setting that is allowed. */
  readonly right: () => unknown;
}

/** Each setting that contradicts the profile, and the nearest one that does not. */
const SETTINGS: readonly Setting[] = [
  {
    name: 'an issuer with http',
    wrong: () => start({ issuer: 'http://as.example' }),
    // The server refuses it with and without the profile.
    says: ['options.issuer', 'https'],
    right: () => start({ issuer: 'http://127.0.0.1:3000' }),
  },
  {
    name: 'no issuer',
    wrong: () => start({ issuer: undefined }),
    says: ['options.issuer', '5.2.1 (1)'],
    right: () => start({ issuer: 'https://as.example/auth' }),
  },
  {
    name: 'access tokens signed with a key of no allowed kind',
    wrong: () => start({ jwt: [{ key: ed25519 }, { key: rsa, kid: 'old' }] }),
    says: ['options.jwt[1]', '5.4.1 (1)'],
    right: () => start({ jwt: [{ key: ed25519 }] }),
  },
  {
    name: 'an RSA key without PS256',
    wrong: () => start({ jwt: [{ key: rsa }] }),
    says: [
      'options.jwt[0] is for RS256, but fapi2() requires keys for PS256, ES256, EdDSA, Ed25519',
      "Add alg: 'PS256'",
    ],
    right: () => start({ jwt: [{ key: rsa, alg: 'PS256' }] }),
  },
  {
    name: 'ID tokens signed with an RSA key without PS256',
    wrong: () => start({}, [openIdConnect({ keys: [{ key: rsa }] })]),
    says: ['openIdConnect: options.keys[0] is for RS256', '5.4.1 (1)'],
    right: () => start({}, [openIdConnect({ keys: [{ key: rsa, alg: 'PS256' }] })]),
  },
  {
    name: 'introspection responses signed with an RSA key without PS256',
    wrong: () => start({}, [signedIntrospection({ keys: [{ key: rsa }] })]),
    says: ['signedIntrospection: options.keys[0] is for RS256', '5.4.1 (1)'],
    right: () => start({}, [signedIntrospection({ keys: [{ key: rsa, alg: 'PS256' }] })]),
  },
  {
    name: 'assertions of an issuer whose clock may be only 9 seconds ahead',
    wrong: () => start({}, [assertions({ issuers, clockTolerance: 9 })]),
    says: ['assertions({ clockTolerance }) is 9', '5.3.2.1 (13)'],
    right: () => start({}, [assertions({ issuers, clockTolerance: 10 })]),
  },
  {
    name: 'the password grant',
    wrong: () => start({ grants: ['authorization_code', 'password'] }),
    says: ['options.grants has password', '5.3.2.1 (2)'],
    right: () => start({ grants: ['authorization_code'] }),
  },
  {
    name: 'the implicit grant',
    wrong: () => start({ grants: ['authorization_code', 'implicit'] }),
    says: ['options.grants has implicit', '5.3.2.2 (1)'],
    right: () => start({ grants: ['authorization_code', 'client_credentials', 'refresh_token', 'device_code'] }),
  },
  {
    name: 'a public client',
    wrong: () => start({ clients: [{ ...WITHOUT_KEYS, client_id: 'spa' }] }),
    says: ['Client "spa": it is a public client', '5.3.2.1 (3, 6)'],
    right: () => start(bank({ token_endpoint_auth_method: 'private_key_jwt' })),
  },
  {
    name: 'a client with a secret',
    wrong: () => start({ clients: [{ ...WITHOUT_KEYS, client_id: 'web', client_secret: 's'.repeat(40) }] }),
    says: ['Client "web": it authenticates with client_secret_basic or client_secret_post', '5.3.2.1 (3, 6)'],
    right: () => start({ clients: [{ client_id: 'api', jwks: { keys: [jwk] }, introspect: true }] }),
  },
  {
    name: 'the challenge method plain',
    wrong: () => start(bank({ code_challenge_methods: ['plain', 'S256'] })),
    says: ['Client "bank": code_challenge_methods has plain', '5.3.2.2 (5)'],
    right: () => start(bank({ code_challenge_methods: ['S256'] })),
  },
  {
    name: 'rotating refresh tokens',
    wrong: () => start(bank({ refresh: 'rotating' })),
    says: ['Client "bank": refresh is \'rotating\'', '5.3.2.1 (9)'],
    right: () => start(bank({ refresh: 'reusable' })),
  },
  {
    name: 'a code that lives longer than a minute',
    wrong: () => start({ lifetimes: { authorizationCode: 61 } }),
    says: ['options.lifetimes.authorizationCode is 61', '5.3.2.1 (11)'],
    right: () => start({ lifetimes: { authorizationCode: 60 } }),
  },
  {
    name: 'a pushed request that lives ten minutes',
    wrong: () => start({}, [pushedRequests({ lifetime: 600 })]),
    says: ['pushedRequests({ lifetime }) is 600', '5.3.2.2 (12)'],
    right: () => start({}, [pushedRequests({ lifetime: 599 })]),
  },
  {
    name: 'requests that need not be pushed',
    wrong: () => start({}, [pushedRequests({ required: false })]),
    says: ['pushedRequests({ required }) is false', '5.3.2.2 (2, 3, 4, 6)'],
    right: () => start({}, [pushedRequests({ required: true, path: '/par' })]),
  },
  {
    name: 'tokens that need no key',
    wrong: () => start({}, [dpop({ required: false })]),
    says: ['dpop({ required }) is false', '5.3.2.1 (4, 5)'],
    right: () => start({}, [dpop({ required: true, nonce: 'required' })]),
  },
  {
    name: 'a clock that may be only 9 seconds ahead',
    wrong: () => start({}, [dpop({ maxAhead: 9 })]),
    says: ['dpop({ maxAhead }) is 9', '5.3.2.1 (13)'],
    right: () => start({}, [dpop({ maxAhead: 10 })]),
  },
  {
    name: 'a clock that may be 61 seconds ahead',
    wrong: () => start({}, [dpop({ maxAhead: 61 })]),
    says: ['dpop({ maxAhead }) is 61', '5.3.2.1 (13)'],
    right: () => start({}, [dpop({ maxAhead: 60 })]),
  },
  {
    name: 'personal tokens',
    wrong: () => start({}, [personalTokens()]),
    says: ['personal-tokens', '5.3.2.1 (4, 5)'],
    right: () => start({}),
  },
  {
    name: 'clients that register themselves',
    wrong: () => start({}, [selfRegistration()]),
    says: ['selfRegistration()', '5.3.2.1 (3, 6)'],
    right: () => start({}),
  },
  {
    name: 'localhost with any port',
    wrong: () => start({ allowLocalhostRedirects: true }),
    says: ['options.allowLocalhostRedirects', '5.3.2.2 (8)'],
    right: () => start({ allowLocalhostRedirects: false, ...bank({ redirect_uris: ['http://127.0.0.1/cb'] }) }),
  },
  {
    name: 'a code that may be used again',
    wrong: () => start({ lifetimes: { codeReplayTolerance: 1 } }),
    says: ['options.lifetimes.codeReplayTolerance is 1', '5.3.2.2 (9)'],
    right: () => start({ lifetimes: { codeReplayTolerance: 0 } }),
  },
  {
    name: 'an ID token with RS256',
    wrong: () => start(bank({ id_token_signed_response_alg: 'RS256' })),
    says: ['id_token_signed_response_alg is RS256', '5.4.1 (1)'],
    right: () => start(bank({ id_token_signed_response_alg: 'PS256' })),
  },
  {
    name: 'assertions with ES384',
    wrong: () => start(bank({ token_endpoint_auth_signing_alg: 'ES384' })),
    says: ['token_endpoint_auth_signing_alg is ES384', '5.4.1 (1)'],
    right: () => start(bank({ token_endpoint_auth_signing_alg: 'PS256' })),
  },
];

describe('FAPI 2.0 Security Profile', () => {
  test('a server does not start with a setting that contradicts the profile, and the error names the option and the clause', () =>
    everyRow(SETTINGS, ({ wrong, says: [option, clause] }) => {
      expect(wrong).toThrow(TypeError);
      expect(wrong).toThrow(option);
      expect(wrong).toThrow(clause);
    }));

  test('a server starts with the nearest setting that the profile allows', () =>
    everyRow(SETTINGS, ({ right }) => expect(right).not.toThrow()));

  test('without the profile, the server starts with all of these settings but an http issuer', () => {
    const features = [pushedRequests({ required: false, lifetime: 600 }), dpop({ required: false, maxAhead: 61 })];
    const client = { ...BANK, refresh: 'rotating', code_challenge_methods: ['plain', 'S256'] };
    const algorithms = { id_token_signed_response_alg: 'RS256', token_endpoint_auth_signing_alg: 'ES384' };
    const clients = [
      { ...client, ...algorithms },
      { ...WITHOUT_KEYS, client_id: 'spa' },
    ] as never;
    const options = {
      ...base,
      clients,
      grants: ['authorization_code', 'password', 'implicit', 'refresh_token'],
      lifetimes: { authorizationCode: 600, codeReplayTolerance: 60 },
      allowLocalhostRedirects: true,
    } as const;
    expect(() =>
      oauthQuery({ ...options, store: memoryStore(), jwt: [{ key: rsa }], features } as never),
    ).not.toThrow();
    expect(() =>
      oauthQuery({
        ...options,
        store: memoryStore(),
        features: [...features, personalTokens(), selfRegistration()],
      } as never),
    ).not.toThrow();
  });

  test('fapi2() takes only options that it knows', () => {
    expect(() => fapi2({ required: false } as never)).toThrow('fapi2: options.required');
    expect(() => fapi2({ secret: 'short' })).toThrow('fapi2: options.secret');
  });

  test('a verifier of another process takes the profile, and its algorithms', () => {
    const features = [fapi2({ secret: 'only for tests: a secret of the server' })];
    const verifier = (algorithms?: readonly string[]) =>
      jwtVerifier({ issuer: 'https://as.example', resource: 'https://api.example', features, algorithms });
    expect(verifier().bindsTokens).toBe(true);
    expect(verifier(['PS256']).bindsTokens).toBe(true);
    expect(() => verifier(['ES256', 'RS256'])).toThrow('jwtVerifier: options.algorithms has RS256, but fapi2()');
    const both = [...features, dpop({ required: false })];
    expect(() => jwtVerifier({ issuer: 'https://as.example', features: both })).toThrow('dpop({ required }) is false');
  });
});

const rules = (name: string, value: object) => feature({ name, rules: value as never });

describe('rules of features', () => {
  const lifetime = (seconds: number) => ({ authorizationCode: { value: seconds, clause: `a clause for ${seconds}` } });

  test('of two features with the same rule, the stricter one counts, whatever their order', () => {
    for (const features of [
      [rules('loose', lifetime(50)), rules('strict', lifetime(30))],
      [rules('strict', lifetime(30)), rules('loose', lifetime(50))],
    ]) {
      expect(() => start({ lifetimes: { authorizationCode: 31 } }, features)).toThrow(
        'options.lifetimes.authorizationCode is 31, but strict() requires at most 30 seconds (a clause for 30)',
      );
      expect(() => start({ lifetimes: { authorizationCode: 30 } }, features)).not.toThrow();
    }
  });

  test('two rules that nothing satisfies are an error that names both features', () => {
    const shared = rules('shared', { clientAuthentication: { value: ['client_secret_basic'], clause: 'our own' } });
    expect(() => start({}, [shared])).toThrow(/fapi2\(\) and shared\(\) have the rule clientAuthentication/);
    const slow = rules('slow', { clockAheadLeast: { value: 61, clause: 'our own' } });
    expect(() => start({}, [slow])).toThrow('slow() accepts clocks that are 61 seconds ahead, and fapi2() at most 60');
  });

  test('an unknown rule, and one without a clause, are errors', () => {
    expect(() => start({}, [rules('odd', { refreshes: { value: 1, clause: 'x' } })])).toThrow(
      'there is no rule refreshes',
    );
    expect(() => start({}, [rules('odd', { refresh: ['reusable'] })])).toThrow('rules.refresh must be an object');
  });

  test('what a feature includes starts with it, and what stands in the list counts instead', () => {
    const started: string[] = [];
    const part = (name: string, told = name) =>
      feature({
        name,
        start: () => {
          started.push(told);
          return {};
        },
      });
    const outer = feature({
      name: 'outer',
      includes: [feature({ name: 'middle', includes: [part('inner')] }), part('other')],
    });
    start({}, [outer]);
    expect(started).toEqual(['inner', 'other']);
    started.length = 0;
    start({}, [part('inner', 'own'), outer]);
    expect(started).toEqual(['own', 'other']);
    expect(() => start({}, [feature({ name: 'wrong', includes: [dpop as never] })])).toThrow(
      'feature wrong: includes[0] is a function',
    );
  });
});

test('clients that get more than they need are warned of, once the profile is there', () => {
  const clients = [
    { ...BANK, default_scope: undefined },
    { ...BANK, client_id: 'own', consent: 'skip' },
  ];
  const warnings = (features: OAuthQueryOptions['features']) => {
    const codes: string[] = [];
    const onWarning: OAuthQueryOptions['onWarning'] = (sentence, code) => codes.push(`${code} ${sentence}`);
    oauthQuery({ ...base, store: memoryStore(), clients, onWarning, features } as never);
    return codes.filter((warning) => warning.startsWith('OQ213'));
  };
  const [unlimited, unasked, ...others] = warnings([fapi2()]);
  expect(unlimited).toContain('"bank" has no default_scope');
  expect(unasked).toContain('The users of "own" are not asked');
  expect(others).toEqual([]);
  expect(warnings([])).toEqual([]);
});
