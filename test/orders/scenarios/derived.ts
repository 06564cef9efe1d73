import { generateKeyPairSync, sign } from 'node:crypto';
import { assertions } from 'oauth-query/assertions';
import { feature, OAuthError } from 'oauth-query/feature';
import { scenario, type Scenario } from '../explore.js';
import { isSuccess, type Server, textOf, type Use } from '../history.js';
import {
  allowed,
  endGrants,
  introspect,
  OPTIONS,
  revoke,
  SECRET,
  secretOf,
  send,
  type Tokens,
  tokensOf,
} from '../requests.js';
import { ISSUER, type Options, SECOND, START, type World } from '../world.js';

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const PARTNER = 'https://partner.example';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** What a partner says about Alice, once. */
const statementAt = (at: number): string => {
  const iat = Math.floor(at / 1000);
  const claims = { iss: PARTNER, sub: '17', aud: ISSUER, jti: 'one', iat, exp: iat + 60 };
  const text = `${encode({ alg: 'ES256' })}.${encode(claims)}`;
  return `${text}.${sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
};

const VOUCHED: Options = {
  ...OPTIONS,
  clients: [...OPTIONS.clients, { client_id: 'vouched', client_secret: SECRET, scope: 'a', grant_types: [JWT_BEARER] }],
  features: [
    assertions({
      issuers: [
        { issuer: PARTNER, jwks: { keys: [publicKey.export({ format: 'jwk' })] }, owner: () => ({ sub: 'alice' }) },
      ],
    }),
  ],
};

const stated = (server: Server, assertion: string): Promise<unknown> => {
  const form = { ...secretOf('vouched'), grant_type: JWT_BEARER, assertion, scope: 'a' };
  const again = (at: Server): Promise<unknown> => send(at, '/oauth/token', [use, allowed('vouched')], { form });
  const use: Use = { type: 'use', thing: 'assertion', text: assertion, client_id: 'vouched', again };
  return again(server);
};

const setup = async (world: World): Promise<string> => {
  world.now += 50 * SECOND; // Its last seconds.
  return statementAt(START);
};

/** Assertions of an issuer, which give a grant of its owner. */
export const STATEMENTS: readonly Scenario[] = [
  scenario({
    name: 'an assertion of an issuer is redeemed at two processes',
    options: VOUCHED,
    setup,
    succeed: 'one',
    requests: [stated, stated],
  }),
  scenario({
    name: 'an assertion of an issuer is redeemed, and grants.revoke of its owner',
    options: VOUCHED,
    setup,
    succeed: [1],
    requests: [stated, endGrants({ sub: 'alice' })],
  }),
];

const DERIVE = 'urn:example:derive';

const DERIVING: Options = {
  ...OPTIONS,
  clients: OPTIONS.clients.map((client) =>
    client.client_id === 'app' ? { ...client, grant_types: [...client.grant_types, DERIVE] } : client,
  ),
  features: [
    feature({
      name: 'derive',
      grantTypes: [DERIVE],
      start: ({ findToken }) => ({
        grants: {
          [DERIVE]: {
            fields: { token: 'vschar' },
            decide: async ({ form }) => {
              const from = await findToken(form.get('token') ?? '');
              if (from === undefined) throw new OAuthError('invalid_request', 'The token is not live.');
              return { from, scope: ['a'], resources: [] };
            },
          },
        },
      }),
    }),
  ],
};

/** One token is derived from another. */
const derive = (server: Server, token: string): Promise<unknown> =>
  send(server, '/oauth/token', [allowed('app'), { type: 'derive', token }], {
    form: { ...secretOf('app'), grant_type: DERIVE, token },
  });

/** Whatever came first: what came of the token that ended has ended. */
const hasEnded = async ({ outside }: World, derived: unknown, ended: unknown): Promise<readonly string[]> => {
  const token = textOf(derived, 'access_token');
  if (token === undefined || !isSuccess(ended)) return [];
  const answer = await introspect(outside, token);
  return isSuccess(answer) && answer.json['active'] === false
    ? []
    : ['P2: a token is accepted after the one that it was derived from was revoked'];
};

/** Tokens that are derived from others. */
export const DERIVED: readonly Scenario[] = (
  [
    ['that token is revoked', (server: Server, { access_token }: Tokens) => revoke(server, access_token)],
    ['its grant is revoked', (server: Server, { refresh_token }: Tokens) => revoke(server, refresh_token)],
  ] as const
).map(([name, end]) =>
  scenario({
    name: `a token is derived from another, and ${name}`,
    options: DERIVING,
    setup: tokensOf,
    succeed: [1],
    requests: [(server, { access_token }) => derive(server, access_token), end],
    also: (world, _, [derived, ended]) => hasEnded(world, derived, ended),
  }),
);
