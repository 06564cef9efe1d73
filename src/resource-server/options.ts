import { type CommonOptions, isFilledText, OptionChecks, type ResolvedCommonOptions } from './option-checks.js';

const METHODS = ['client_secret_basic', 'client_secret_post', 'bearer'] as const;

/** Who the resource server is to the authorization server. */
export interface IntrospectionCredentials {
  /** The resource server as it is registered at the authorization server. */
  readonly client_id: string;
  /** Its secret; form-encoded on the way, as RFC 6749 §2.3.1 asks. `undefined`, as from the environment, is refused. */
  readonly client_secret: string | undefined;
  /**
   * How it authenticates at the introspection endpoint: with its secret in the header (if absent) or in the body, or
   * with a bearer token that it gets and renews by itself.
   */
  readonly method?: (typeof METHODS)[number];
  /** The scope of that bearer token; `introspect` if absent. */
  readonly scope?: string;
}

/** What `introspectionGuard` can be told. `issuer` or `endpoint` is needed. */
export interface IntrospectionGuardOptions extends CommonOptions {
  /** The authorization server's issuer: its endpoints are discovered (RFC 8414), and every token must be its own. */
  readonly issuer?: string;
  /** The introspection endpoint, where nothing can be discovered. */
  readonly endpoint?: string;
  /** The token endpoint, beside `endpoint`, for the method `bearer`. */
  readonly tokenEndpoint?: string;
  /** Who asks: a client that may introspect. */
  readonly credentials: IntrospectionCredentials;
  /** Seconds for which an answer is believed, never past the token's own end: 10 if absent, at most 30, 0 asks for every request. */
  readonly cacheSeconds?: number;
}

/** {@link IntrospectionCredentials} that have been checked and completed. */
type ResolvedCredentials = {
  readonly [K in keyof IntrospectionCredentials]-?: NonNullable<IntrospectionCredentials[K]>;
};

/** Options that have been checked and completed. */
export interface ResolvedOptions extends ResolvedCommonOptions {
  readonly issuer: string | undefined;
  readonly endpoint: URL | undefined;
  readonly tokenEndpoint: URL | undefined;
  readonly credentials: ResolvedCredentials;
  readonly cacheSeconds: number;
}

const checks = new OptionChecks('introspectionGuard');

const checkCredentials = (given: Partial<IntrospectionCredentials> | undefined): ResolvedCredentials => {
  if (typeof given !== 'object' || given === null) {
    throw checks.error('credentials are missing: { client_id, client_secret } of a client that may introspect.');
  }
  const { client_id, client_secret, method = 'client_secret_basic', scope = 'introspect', ...rest } = given;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined)
    throw checks.error(`credentials.${unknown} is not known; known are client_id, client_secret, method, scope.`);
  if (!isFilledText(client_id)) throw checks.error('credentials.client_id is missing.');
  if (!isFilledText(client_secret))
    throw checks.error('credentials.client_secret is missing; is the environment variable set?');
  if (!METHODS.includes(method)) throw checks.error(`credentials.method must be one of ${METHODS.join(', ')}.`);
  if (!isFilledText(scope)) throw checks.error('credentials.scope must be text.');
  return { client_id, client_secret, method, scope };
};

/** @throws TypeError with a sentence that names the option and the remedy. */
export const resolveGuardOptions = (options: IntrospectionGuardOptions): ResolvedOptions => {
  checks.names(options, ['issuer', 'endpoint', 'tokenEndpoint', 'credentials', 'cacheSeconds']);
  const issuer = checks.issuer(options.issuer);
  const endpoint = checks.url('endpoint', options.endpoint);
  const tokenEndpoint = checks.url('tokenEndpoint', options.tokenEndpoint);
  const credentials = checkCredentials(options.credentials);
  if (issuer === undefined && endpoint === undefined) {
    throw checks.error('give the issuer of the authorization server, or its introspection endpoint as endpoint.');
  }
  if (issuer === undefined && credentials.method === 'bearer' && tokenEndpoint === undefined) {
    throw checks.error(
      'tokenEndpoint is missing: the method bearer gets its token there, and without an issuer it cannot be discovered.',
    );
  }
  const cacheSeconds = checks.wholeNumber('cacheSeconds', options.cacheSeconds, [10, 0, 30]);
  return { ...checks.common(options), issuer, endpoint, tokenEndpoint, credentials, cacheSeconds };
};
