import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { type JWTPayload, jwtVerify } from 'jose';
import { openIdConnect, type OpenIdOptions } from 'oauth-query/openid';
import type { ClientRegistration } from '../../../src/core/oauth/clients/client.js';
import type { RunningHost } from '../../hosts.js';
import { type AuthorizationParameters, PKCE } from '../../oauth/support/browser.js';
import { type Fixture, fixture, START } from '../../oauth/support/fixture.js';
import { Flows } from '../../oauth/support/tokens.js';
import { rsaPair } from '../../rsa.js';

/** One key of each kind, made once. */
export const RSA: KeyObject = rsaPair().privateKey;
export const P256: KeyObject = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
export const ED25519: KeyObject = generateKeyPairSync('ed25519').privateKey;

const scope = 'openid profile email address phone groups content.read content.write';

/** Applications that sign users in. */
export const RPS = [
  { client_id: 'rp', client_secret: 'rp-secret', redirect_uris: ['https://rp.example/cb'], scope },
  { client_id: 'post', client_secret: 'post-secret', redirect_uris: ['https://post.example/cb'], scope },
  { client_id: 'app', redirect_uris: ['http://127.0.0.1/cb'], refresh: 'rotating', scope },
  { client_id: 'tele', grant_types: ['device_code'], refresh: 'rotating', scope },
  {
    client_id: 'es',
    client_secret: 'es-secret',
    redirect_uris: ['https://es.example/cb'],
    scope,
    id_token_signed_response_alg: 'ES256',
  },
  {
    client_id: 'ed',
    client_secret: 'ed-secret',
    redirect_uris: ['https://ed.example/cb'],
    scope,
    id_token_signed_response_alg: 'EdDSA',
  },
] as const satisfies readonly ClientRegistration[];

/** Everything about Alice, also what must not be passed on. */
export const ALICE = {
  name: 'Alice Liddell',
  email: 'alice@rabbit-hole.example',
  email_verified: true,
  groups: ['readers'],
  address: { country: 'England' },
  phone_number: '+44 1234',
  phone_number_verified: false,
  preferred_username: 'alice',
  updated_at: 1_700_000_000,
} as const;

/** A server with OpenID Connect. */
export const openIdFixture = (
  own: OpenIdOptions = {},
  { clients = [], scopes = {}, features = [], ...more }: Parameters<typeof fixture>[0] & object = {},
): Fixture =>
  fixture({
    clients: [...RPS, ...clients],
    scopes: {
      'content.read': 'Read your content',
      'content.write': 'Change your content',
      highvolume: 'Read a lot',
      introspect: 'Look at tokens',
      groups: 'See your groups',
      ...scopes,
    },
    features: [
      openIdConnect({
        keys: [{ key: RSA }, { key: P256 }, { key: ED25519 }],
        scopes: { address: true, phone: true, groups: ['groups'] },
        claims: (_sub, names) => Object.fromEntries(Object.entries(ALICE).filter(([name]) => names.includes(name))),
        ...own,
      }),
      ...features,
    ],
    ...more,
  });

/** Plays the applications. */
export const rpsAt = (running: RunningHost): Flows => new Flows(running, RPS);

/** A verified ID token. */
export interface Verified {
  readonly claims: JWTPayload & Readonly<Record<string, unknown>>;
  readonly header: Readonly<Record<string, unknown>>;
}

const KEYS: Readonly<Record<string, KeyObject>> = { RS256: RSA, ES256: P256, EdDSA: ED25519 };

/** Verifies as a strict client does. */
export const verified = async (
  id_token: unknown,
  { issuer, audience, now = START }: { readonly issuer: string; readonly audience: string; readonly now?: number },
): Promise<Verified> => {
  const { payload, protectedHeader } = await jwtVerify(
    String(id_token),
    ({ alg }) => createPublicKey(KEYS[alg] ?? RSA),
    {
      issuer,
      audience,
      currentDate: new Date(now),
      requiredClaims: ['exp', 'iat', 'sub'],
      algorithms: ['RS256', 'ES256', 'EdDSA'],
    },
  );
  return { claims: payload, header: protectedHeader };
};

/** The whole sign-in of an application: the answer of the token endpoint. */
export const signInto = async (
  flows: Flows,
  client_id: string,
  parameters: AuthorizationParameters = {},
): Promise<Readonly<Record<string, unknown>>> => {
  const code = await flows.code(client_id, { scope: 'openid', ...parameters });
  const { status, json, text } = await flows.redeem(client_id, code);
  if (status !== 200) throw new Error(text);
  return json;
};

export { PKCE };
