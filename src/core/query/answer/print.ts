import { nodeCrypto } from '../../base/node-modules.js';
import { Html, html, htmlDocument } from '../../base/html.js';
import type { HttpResponse } from '../../base/http.js';
import type { MutableItem } from './result-format.js';

/** How a response is serialized. */
export interface Printer {
  readonly format: 'json' | 'jsonfm' | 'none';
  /** The JSONP callback; `undefined` for plain JSON. */
  readonly callback: string | undefined;
  /** Whether non-ASCII characters are not escaped. */
  readonly utf8: boolean;
}

/** The complete response object, or a bare list (opensearch). */
type Answer = MutableItem | readonly unknown[];

/** Response headers, by lower-case name. */
export type Headers = Readonly<Record<string, string>>;

/** Request headers that a response depends on. */
export const VARY = 'Accept-Encoding, Treat-as-Untrusted, Authorization';

const headersOf = (type: string, extension: string): Headers => ({
  'content-type': `${type}; charset=utf-8`,
  'content-disposition': `inline; filename=api-result.${extension}`,
  'cache-control': 'private, must-revalidate, max-age=0',
  vary: VARY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
});

/** Follows the system's colour scheme, and never scrolls sideways on a phone. */
const STYLE =
  ':root{color-scheme:light dark}body{margin:1rem;font-family:sans-serif}pre{white-space:pre-wrap;overflow-wrap:anywhere}';

const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${nodeCrypto().hash('sha256', STYLE, 'base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

const HEADERS = {
  json: headersOf('application/json', 'json'),
  callback: headersOf('text/javascript', 'js'),
  jsonfm: { ...headersOf('text/html', 'html'), 'content-security-policy': PAGE_POLICY },
  none: headersOf('text/plain', 'txt'),
} as const;

/**
 * Serializes a response.
 *
 * @param extra - Additional headers; they override the usual ones.
 */
export const printAnswer = (answer: Answer, printer: Printer, status: number, extra?: Headers): HttpResponse => {
  const { format, callback } = printer;
  const headers = HEADERS[format === 'json' && callback !== undefined ? 'callback' : format];
  return { status, headers: extra ? { ...headers, ...extra } : headers, body: bodyOf(answer, printer) };
};

const bodyOf = (answer: Answer, { format, callback, utf8 }: Printer): string => {
  if (format === 'none') return '';
  if (format === 'jsonfm') return page(JSON.stringify(answer, undefined, 4));
  const text = JSON.stringify(answer);
  const json = utf8 ? text : escapeBeyondAscii(text);
  return callback === undefined ? json : `/**/${callback}(${json})`;
};

const escapeBeyondAscii = (json: string): string =>
  json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The name of a callback, reduced to the characters allowed in one. */
export const cleanCallback = (callback: string): string => callback.replace(/[^[\].'"_A-Za-z0-9]/g, '');

const page = (json: string): string =>
  htmlDocument({
    title: 'API result',
    style: STYLE,
    body: html`<p>This page is for reading. Programs use <code>format=json</code>.</p>
<pre>${Html.content(json)}</pre>`,
  }).source;
