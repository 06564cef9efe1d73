import type { OAuthError } from '../../base/errors.js';
import type { PageProblemCode } from './languages/english.js';
import { IN_ENGLISH } from './languages/language.js';

/** Where the page of an error leads. */
export interface WayBack {
  readonly href: string;
  /** The name of the application that the address belongs to; without it, it is the start of what people were doing. */
  readonly client?: string;
}

export interface PageErrorInit {
  /** 400 if absent. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** What is put into the sentence. */
  readonly count?: number;
  /** The home page of the site if absent. */
  readonly back?: WayBack | undefined;
  /** What is wrong in the words of the protocol, for who writes the client. */
  readonly explanation?: string | undefined;
  /** The name under which the operator has heard of it. */
  readonly reference?: string | undefined;
}

/** A problem of the person in front of the browser, told on a page of ours and never by a redirect. */
export class PageError extends Error {
  override readonly name = 'PageError';
  readonly code: PageProblemCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
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

/** An error of the protocol as its page tells it. */
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
