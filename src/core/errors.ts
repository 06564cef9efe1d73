/**
 * The OAuth errors, their usual HTTP status and where they are defined. Which status an endpoint may answer is part of
 * the protocol, so it stands beside the code and not where the error is thrown.
 */
export const OAUTH_ERRORS = {
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
} as const;

export type OAuthErrorCode = keyof typeof OAUTH_ERRORS;

/** What an error may change about its answer. */
export interface OAuthErrorInit {
  /** Instead of the usual status, for example 405 or 413 with `invalid_request`. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error that the protocol names. Its message goes to the client, so it never quotes what the client sent. */
export class OAuthError extends Error {
  override readonly name = 'OAuthError';
  readonly code: OAuthErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: OAuthErrorCode, description: string, init: OAuthErrorInit = {}) {
    super(description);
    this.code = code;
    this.status = init.status ?? OAUTH_ERRORS[code].status;
    this.headers = init.headers ?? {};
  }
}

/** Too many attempts. The caller may try again after so many seconds. */
export const tooManyRequests = (description: string, retryAfter: number): OAuthError =>
  new OAuthError('temporarily_unavailable', description, {
    status: 429,
    headers: { 'retry-after': String(retryAfter) },
  });

export type BearerErrorCode = 'invalid_request' | 'invalid_token' | 'insufficient_scope';

/**
 * A refused bearer token, or a request without one (`code` is then undefined and the challenge says nothing more).
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6750#section-3.1 | RFC 6750 §3.1}
 */
export class BearerError extends Error {
  override readonly name = 'BearerError';
  readonly code: BearerErrorCode | undefined;
  readonly status: 400 | 401 | 403;
  /** The scopes that the request needs, where that was what was missing. */
  readonly scope: string | undefined;

  constructor(code: BearerErrorCode | undefined, description = '', scope?: string) {
    super(description);
    this.code = code;
    this.status = code === 'invalid_request' ? 400 : code === 'insufficient_scope' ? 403 : 401;
    this.scope = scope;
  }
}

/** A problem of the person in front of the browser, told on a page of ours and never by a redirect. */
export class PageError extends Error {
  override readonly name = 'PageError';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

/** Somebody who has to be asked did not answer, or answered nonsense. The answer is then "not now", never "yes". */
export class UnavailableError extends Error {
  override readonly name: string = 'UnavailableError';
}

/** The store did not answer, or answered nonsense. */
export class StoreError extends UnavailableError {
  override readonly name = 'StoreError';
}
