/**
 * Signed introspection responses (RFC 9701): `oauthQuery({ features: [signedIntrospection({ keys })] })`, for resource servers that must prove later what they were
 * told.
 *
 * @module oauth-query/signed-introspection
 */

import {
  fail,
  feature,
  type FeatureHost,
  json,
  KEY_SOURCE,
  type KeySource,
  option,
  type Parts,
  type PlainFeature,
} from '../../core/feature/index.js';

/** Options of {@link signedIntrospection}. */
export interface SignedIntrospectionOptions {
  /**
   * The keys that sign, or a function that returns them: RSA of at least 2048 bits, P-256 or Ed25519. They may be those of `jwt` or `openIdConnect`. A function must
   * return a key for RS256; under `fapi2()`, for PS256.
   */
  readonly keys: KeySource;
}

const OPTIONS = option.object(
  {
    keys: option.required(KEY_SOURCE, 'make a key with "npx oauth-query key"'),
  } satisfies option.Schema<SignedIntrospectionOptions>,
  { takes: 'an object of options' },
);

/** RS256 is the default of RFC 9701 §6. */
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const;

const TYPE = 'token-introspection+jwt';

/** In seconds: a response is verified at once, and whoever keeps it as evidence keeps the key with it. */
const PUBLISHED_FOR = 86_400;

const base64url = (given: object): string => Buffer.from(JSON.stringify(given)).toString('base64url');

/** Whether an `Accept` header names the media type (RFC 9110 §12.5.1). A wildcard does not ask for it. */
const isAccepted = (accept: string | undefined): boolean =>
  accept !== undefined &&
  accept.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return type === `application/${TYPE}` && !parameters.some((one) => /^q=0(?:\.0*)?$/.test(one));
  });

/** @throws TypeError for a client with an algorithm without a key. */
const checkClients = ({ clients }: FeatureHost, algorithms: readonly string[]): void => {
  for (const { client_id, introspectionAlgorithm: named } of clients.listed.values())
    if (named !== undefined && !algorithms.includes(named))
      fail(
        `Client ${JSON.stringify(client_id)}: introspection_signed_response_alg is ${named}, and signedIntrospection: options.keys lacks a key for it.`,
      );
};

const startWith = ({ keys: source }: SignedIntrospectionOptions, host: FeatureHost): Parts => {
  const { clock, rules } = host;
  const issuer = host.issuer ?? fail('signedIntrospection() needs options.issuer: every response names it.');
  const allowed = ALGORITHMS.filter((name) => rules.signing?.value.includes(name) !== false);
  const keys = host.signingKeys({
    source,
    algorithms: typeof source === 'function' ? allowed.slice(0, 1) : allowed,
    lifetime: PUBLISHED_FOR,
    option: 'signedIntrospection: options.keys',
  });
  checkClients(host, keys.algorithms);
  const usual = allowed.find((name) => keys.algorithms.includes(name)) ?? 'RS256';
  // Clients of a profile that excludes it do not expect it.
  if (allowed.includes('RS256') && usual !== 'RS256')
    host.onWarning(
      `signedIntrospection: options.keys lacks a key for RS256, which clients that register no algorithm expect: they get ${usual}. Add an RSA key, or register introspection_signed_response_alg for each of them.`,
      'OQ215',
    );
  return {
    introspection: {
      introspected: async ({ request, client, members }) => {
        const algorithm = client.introspectionAlgorithm;
        if (algorithm === undefined && !isAccepted(request.header('accept'))) return undefined;
        const iat = Math.floor(clock() / 1000);
        const payload = base64url({ iss: issuer, aud: client.client_id, iat, token_introspection: members });
        const header = (kid: string, alg: string): string => base64url({ alg, typ: TYPE, kid });
        const body = await keys.sign(header, payload, algorithm ?? usual);
        return { ...json(200, {}, { 'content-type': `application/${TYPE}` }), body };
      },
    },
    metadata: () => ({ introspection_signing_alg_values_supported: keys.algorithms }),
    keys: () => keys.published(),
  };
};

/**
 * Signs the introspection response of a client that asks for it, with `Accept: application/token-introspection+jwt` or in its registration. All others get the
 * usual JSON.
 *
 * @throws TypeError for an invalid option, with a sentence that names it and the remedy.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9701 | RFC 9701}
 */
export const signedIntrospection = (given: SignedIntrospectionOptions): PlainFeature<'signed-introspection'> => {
  const options = OPTIONS.read(given, 'signedIntrospection: options');
  return feature({ name: 'signed-introspection', start: (host) => startWith(options, host) });
};
