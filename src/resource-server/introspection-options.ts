import {
  type Checked,
  ENVIRONMENT,
  fail,
  fromEnvironment,
  object,
  oneLine,
  oneOf,
  orElse,
  required,
  type Schema,
  text,
  wholeNumber,
} from '../core/base/schema.js';
import { COMMON_OPTIONS, type CommonOptions, verifierOptions, issuer, url } from './option-checks.js';

const METHODS = ['client_secret_basic', 'client_secret_post', 'bearer'] as const;

/** The resource server's credentials at the authorization server. */
export interface IntrospectionCredentials {
  /** The client_id of the resource server. */
  readonly client_id: string;
  /** Its secret; it is form-encoded when sent, as RFC 6749 §2.3.1 requires. `undefined`, as from an unset environment variable, is rejected. */
  readonly client_secret: string | undefined;
  /**
   * How it authenticates at the introspection endpoint: with its secret in the header (the default) or in the body, or
   * with a bearer token that it requests and renews automatically.
   */
  readonly method?: (typeof METHODS)[number];
  /** The scope of that bearer token; default: `introspect`. */
  readonly scope?: string;
}

/** Options of `introspectionVerifier`. `issuer` or `endpoint` is required. */
export interface IntrospectionVerifierOptions extends CommonOptions {
  /** The authorization server's issuer: its endpoints are discovered (RFC 8414), and tokens of other issuers are rejected. */
  readonly issuer?: string;
  /** The introspection endpoint, if it cannot be discovered. */
  readonly endpoint?: string;
  /** The token endpoint, together with `endpoint`, for the method `bearer`. */
  readonly tokenEndpoint?: string;
  /** Credentials of a client that may introspect. */
  readonly credentials: IntrospectionCredentials;
  /** Seconds for which an answer is cached, never beyond the token's expiry: default 10, at most 30; with 0 every request is introspected. */
  readonly cacheSeconds?: number;
}

const credentials = {
  client_id: required(text('the client_id of a client that may introspect')),
  client_secret: fromEnvironment(required(oneLine(text('the secret of the client', /^[^]+$/, ENVIRONMENT)))),
  method: orElse(oneOf(...METHODS), 'client_secret_basic'),
  scope: orElse(text('a scope'), 'introspect'),
} satisfies Schema<IntrospectionCredentials>;

const INTROSPECTION_OPTIONS = {
  issuer,
  endpoint: url,
  tokenEndpoint: url,
  credentials: required(object(credentials), 'set it to { client_id, client_secret } of a client that may introspect'),
  cacheSeconds: wholeNumber(10, 0, 30, 'seconds'),
  ...COMMON_OPTIONS,
} satisfies Schema<IntrospectionVerifierOptions>;

/** Options, validated and completed. */
export type ResolvedOptions = Checked<typeof INTROSPECTION_OPTIONS>;

const read = verifierOptions('introspectionVerifier', INTROSPECTION_OPTIONS);

/** @throws TypeError with a sentence that names the option and the remedy. */
export const resolveOptions = (given: IntrospectionVerifierOptions): ResolvedOptions => {
  const options = read(given);
  if (options.issuer !== undefined) return options;
  if (options.endpoint === undefined) {
    return fail(
      'introspectionVerifier: set options.issuer, the authorization server, or options.endpoint, its introspection endpoint.',
    );
  }
  if (options.credentials.method === 'bearer' && options.tokenEndpoint === undefined) {
    return fail(
      'introspectionVerifier: options.tokenEndpoint is missing. The method bearer requests its token there, and without an issuer it cannot be discovered.',
    );
  }
  return options;
};
