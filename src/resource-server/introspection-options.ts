import {
  type Checked,
  condition,
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
  readonly method?: (typeof METHODS)[number] | undefined;
  /** The scope of that bearer token; default: `introspect`. */
  readonly scope?: string | undefined;
}

/** Options of `introspectionVerifier`. `issuer` or `endpoint` is required. */
export interface IntrospectionVerifierOptions extends CommonOptions {
  /** The authorization server's issuer: its endpoints are discovered (RFC 8414), and tokens of other issuers are rejected. */
  readonly issuer?: string | undefined;
  /** The introspection endpoint, if it cannot be discovered. */
  readonly endpoint?: string | undefined;
  /** The token endpoint, together with `endpoint`, for the method `bearer`. */
  readonly tokenEndpoint?: string | undefined;
  /** Credentials of a client that may introspect. */
  readonly credentials: IntrospectionCredentials;
  /** Asks for signed answers (RFC 9701), and takes no others. Needs `issuer`, whose keys are discovered, and credentials with a secret. Default: `false`. */
  readonly signed?: boolean | undefined;
  /** Seconds for which an answer is cached, never beyond the token's expiry: default 10, at most 30; with 0 every request is introspected. */
  readonly cacheSeconds?: number | undefined;
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
  signed: orElse(condition, false),
  cacheSeconds: wholeNumber(10, 0, 30, 'seconds'),
  ...COMMON_OPTIONS,
} satisfies Schema<IntrospectionVerifierOptions>;

/** Options, validated and completed. */
export type ResolvedOptions = Checked<typeof INTROSPECTION_OPTIONS>;

const read = verifierOptions('introspectionVerifier', INTROSPECTION_OPTIONS);

/** @throws TypeError with a sentence that names the option and the remedy. */
export const resolveOptions = (given: IntrospectionVerifierOptions): ResolvedOptions => {
  const options = read(given);
  if (options.signed && (options.issuer === undefined || options.credentials.method === 'bearer'))
    return fail(
      'introspectionVerifier: options.signed needs options.issuer, whose keys verify the answers, and credentials.method client_secret_basic or client_secret_post: only clients with credentials get signed answers.',
    );
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
