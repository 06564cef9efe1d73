import { createHash } from 'node:crypto';
import type { HttpResponse } from '../../http.js';
import { STYLE } from './layout.js';
import type { RenderedPage } from './views.js';

const STYLE_SOURCE = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;

export interface PageResponseInit {
  readonly status?: number;
  /**
   * Whether a form of the page may end at a client. Some browsers hold a `form-action` against every redirect that
   * follows, those of the client included, and nobody here can know where they lead.
   */
  readonly leadsToClient?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookie?: string | undefined;
}

/**
 * An HTML page that nobody can frame, that loads nothing from elsewhere and whose address goes nowhere.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9700#section-4.16 | RFC 9700 §4.16}
 */
export const pageResponse = (page: RenderedPage, init: PageResponseInit = {}): HttpResponse => {
  const { html, styleSources = [STYLE_SOURCE], imageSources = [] } = typeof page === 'string' ? { html: page } : page;
  const policy = [
    "default-src 'none'",
    `style-src ${styleSources.join(' ')}`,
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
      ...(init.cookie === undefined ? {} : { 'set-cookie': init.cookie }),
    },
    body: html,
  };
};
