import type { Html } from '../html.js';
import type { HttpResponse } from '../http/messages.js';

/** A rendered page. */
export interface Page {
  readonly html: Html;
  readonly styleSources: readonly string[];
  readonly imageSources: readonly string[];
  /** Scripts of ours, by their hashes. */
  readonly scriptSources?: readonly string[];
}

export interface PageResponseInit {
  readonly status?: number;
  /**
   * Whether a form of the page may redirect to a client. Some browsers apply `form-action` to every following
   * redirect, including those of the client, whose targets are unknown.
   */
  readonly leadsToClient?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookie?: string | undefined;
}

/**
 * An HTML page that cannot be framed, loads nothing from other sites and sends no referrer.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9700#section-4.16 | RFC 9700 §4.16}
 */
export const pageResponse = (page: Page, init: PageResponseInit = {}): HttpResponse => {
  const { html, styleSources, imageSources, scriptSources = [] } = page;
  const policy = [
    "default-src 'none'",
    ...(styleSources.length === 0 ? [] : [`style-src ${styleSources.join(' ')}`]),
    ...(scriptSources.length === 0 ? [] : [`script-src ${scriptSources.join(' ')}`]),
    ...(imageSources.length === 0 ? [] : [`img-src ${imageSources.join(' ')}`]),
    ...(init.leadsToClient === true ? [] : ["form-action 'self'"]),
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ];
  return {
    status: init.status ?? 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy.join('; '),
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      ...init.headers,
      ...(init.cookie !== undefined && { 'set-cookie': init.cookie }),
    },
    body: html.source,
  };
};
