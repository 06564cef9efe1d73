import type { OAuthError } from '../errors.js';
import type { PageProblemCode } from './languages/english.js';
import { IN_ENGLISH } from './languages/translator.js';

/** The link on an error page. */
export interface WayBack {
  readonly href: string;
  /** The name of the application that the URL belongs to; without it, the URL is the first step. */
  readonly client?: string;
}

export interface PageErrorInit {
  /** 400 if absent. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The values in the sentence. */
  readonly count?: number;
  /** The home page of the site if absent. */
  readonly back?: WayBack | undefined;
  /** The error in terms of the protocol, for developers of the client. */
  readonly explanation?: string | undefined;
  /** The reference in the operator's event. */
  readonly reference?: string | undefined;
}

/** A problem that is shown to the user on a page, and never sent by a redirect. */
export class PageError extends Error {
  /** Always the same. */
  override readonly name = 'PageError';
  /** Which sentence the page shows. */
  readonly code: PageProblemCode;
  /** The status of the response. */
  readonly status: number;
  /** Further headers of the response. */
  readonly headers: Readonly<Record<string, string>>;
  /** What the page shows besides the sentence. */
  readonly init: PageErrorInit;

  constructor(code: PageProblemCode, init: PageErrorInit = {}) {
    super(IN_ENGLISH.text(code, init.count === undefined ? {} : { count: init.count }));
    this.code = code;
    this.status = init.status ?? 400;
    this.headers = init.headers ?? {};
    this.init = init;
  }
}

/** Minutes until the time of a `Retry-After`. */
export const minutesOf = (seconds: number): number => Math.max(1, Math.ceil(seconds / 60));

const codeOf = ({ code, status }: OAuthError): PageProblemCode => {
  if (status === 405) return 'method_not_allowed';
  if (status === 429) return 'too_many_attempts';
  return code === 'server_error' || code === 'temporarily_unavailable' ? code : 'invalid_request';
};

/** The page error for a protocol error. */
export const pageErrorOf = (error: OAuthError): PageError => {
  const { status, headers, message } = error;
  const code = codeOf(error);
  return new PageError(code, {
    status,
    headers,
    count: minutesOf(Number(headers['retry-after'] ?? 0)),
    ...(code === 'invalid_request' && { explanation: message }),
  });
};
