/**
 * The OAuth errors with their default HTTP status and their specification. Which status an endpoint may return is part of
 * the protocol, so it is defined with the code and not where the error is thrown.
 */
const OAUTH_ERRORS = {
  invalid_request: { status: 400, spec: 'RFC 6749 §5.2' },
  invalid_client: { status: 401, spec: 'RFC 6749 §5.2' },
  invalid_grant: { status: 400, spec: 'RFC 6749 §5.2' },
  unauthorized_client: { status: 400, spec: 'RFC 6749 §5.2' },
  unsupported_grant_type: { status: 400, spec: 'RFC 6749 §5.2' },
  invalid_scope: { status: 400, spec: 'RFC 6749 §5.2' },
  access_denied: { status: 400, spec: 'RFC 6749 §4.1.2.1, RFC 8628 §3.5' },
  unsupported_response_type: { status: 400, spec: 'RFC 6749 §4.1.2.1' },
  server_error: { status: 500, spec: 'RFC 6749 §4.1.2.1' },
  temporarily_unavailable: { status: 503, spec: 'RFC 6749 §4.1.2.1' },
  invalid_target: { status: 400, spec: 'RFC 8707 §2' },
  authorization_pending: { status: 400, spec: 'RFC 8628 §3.5' },
  slow_down: { status: 400, spec: 'RFC 8628 §3.5' },
  expired_token: { status: 400, spec: 'RFC 8628 §3.5' },
  login_required: { status: 400, spec: 'OpenID Connect Core 1.0 §3.1.2.6' },
  account_selection_required: { status: 400, spec: 'OpenID Connect Core 1.0 §3.1.2.6' },
  consent_required: { status: 400, spec: 'OpenID Connect Core 1.0 §3.1.2.6' },
  interaction_required: { status: 400, spec: 'OpenID Connect Core 1.0 §3.1.2.6' },
  unmet_authentication_requirements: {
    status: 400,
    spec: 'OpenID Connect Core Error Code unmet_authentication_requirements 1.0 §2',
  },
  request_not_supported: { status: 400, spec: 'OpenID Connect Core 1.0 §3.1.2.6' },
  request_uri_not_supported: { status: 400, spec: 'OpenID Connect Core 1.0 §3.1.2.6' },
  registration_not_supported: { status: 400, spec: 'OpenID Connect Core 1.0 §3.1.2.6' },
  invalid_redirect_uri: { status: 400, spec: 'RFC 7591 §3.2.2' },
  invalid_client_metadata: { status: 400, spec: 'RFC 7591 §3.2.2' },
  invalid_dpop_proof: { status: 400, spec: 'RFC 9449 §5' },
  use_dpop_nonce: { status: 400, spec: 'RFC 9449 §8' },
} as const;

/** An error code of the protocol. */
export type OAuthErrorCode = keyof typeof OAUTH_ERRORS;

/** How an error may change its response. */
export interface OAuthErrorInit {
  /** Overrides the default status, for example 405 or 413 with `invalid_request`. */
  readonly status?: number | undefined;
  /** Additional response headers, by lower-case name. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** What was refused, for the event. It is never sent to the client. */
  readonly value?: string | undefined;
}

/** The same in every copy of this package that a process has loaded. */
const BRAND = Symbol.for('oauth-query.OAuthError');

/** A protocol error. Its message is sent to the client: of what the client sent, it quotes no more than a short name, and never a secret. */
export class OAuthError extends Error {
  /** Always `OAuthError`. */
  override readonly name = 'OAuthError';
  /** Sent to the client as `error`. */
  readonly code: OAuthErrorCode;
  /** The HTTP status of the response. */
  readonly status: number;
  /** Additional response headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** What was refused, for the event. */
  readonly value: string | undefined;

  /** An error of another copy of this package, which an application may have loaded too, is one as well. @internal */
  static override [Symbol.hasInstance](given: unknown): boolean {
    if (this !== OAuthError) return Function.prototype[Symbol.hasInstance].call(this, given);
    return typeof given === 'object' && given !== null && BRAND in given;
  }

  /** @param description - Sent to the client as `error_description`, in printable ASCII (RFC 6749 §5.2). */
  constructor(code: OAuthErrorCode, description: string, init: OAuthErrorInit = {}) {
    super(description);
    this.code = code;
    this.status = init.status ?? OAUTH_ERRORS[code].status;
    this.headers = init.headers ?? {};
    this.value = init.value;
  }
}

Object.defineProperty(OAuthError.prototype, BRAND, { value: true });

/** @param allow - The supported methods, separated by commas. */
export const methodNotAllowed = (allow: string): OAuthError =>
  new OAuthError('invalid_request', `This endpoint only supports ${allow}.`, { status: 405, headers: { allow } });

/** Too many attempts. The caller may retry after this many seconds. */
export const tooManyRequests = (description: string, retryAfter: number): OAuthError =>
  new OAuthError('temporarily_unavailable', description, {
    status: 429,
    headers: { 'retry-after': String(retryAfter) },
  });

type BearerErrorCode =
  | 'invalid_request'
  | 'invalid_token'
  | 'insufficient_scope'
  | 'invalid_dpop_proof'
  | 'use_dpop_nonce'
  | 'insufficient_user_authentication';

/**
 * A rejected bearer token, or a request without one (then `code` is undefined, and the challenge has no error).
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6750#section-3.1 | RFC 6750 §3.1}
 */
export class BearerError extends Error {
  /** Always `BearerError`. */
  override readonly name = 'BearerError';
  /** The `error` of the challenge; absent for a request without a token. */
  readonly code: BearerErrorCode | undefined;
  /** The HTTP status of the response. */
  readonly status: 400 | 401 | 403;
  /** The scopes the request requires, if one was missing. */
  readonly scope: string | undefined;
  /** Additional response headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** The sign-in that the request requires, if that of the token is not enough. */
  readonly signIn:
    | {
        /** Authentication context classes, separated by spaces. */
        readonly acr_values?: string;
        /** Seconds. */
        readonly max_age?: string;
      }
    | undefined;

  constructor(
    code: BearerErrorCode | undefined,
    description: string,
    scope?: string,
    headers: Readonly<Record<string, string>> = {},
    signIn?: BearerError['signIn'],
  ) {
    super(description);
    this.code = code;
    this.status = code === 'invalid_request' ? 400 : code === 'insufficient_scope' ? 403 : 401;
    this.scope = scope;
    this.headers = headers;
    this.signIn = signIn;
  }
}

/**
 * A dependency (the store, an application function, the authorization server of a guard) did not respond, or returned an invalid
 * result. Clients get a 503, never access; `onError` receives this error, with the original error as `cause`.
 */
export class UnavailableError extends Error {
  /** Always `UnavailableError`. */
  override readonly name = 'UnavailableError';
}
