import { hash } from 'node:crypto';
import { Html, html, htmlDocument } from '../../base/html.js';
import type { HttpResponse } from '../../base/http.js';
import type { MutableItem } from './result-format.js';

/** How the finished answer is written down. */
export interface Printer {
  readonly format: 'json' | 'jsonfm' | 'none';
  /** The function that the answer is handed to in the reader's page; `undefined` for plain JSON. */
  readonly callback: string | undefined;
  /** Whether characters beyond ASCII stand for themselves. */
  readonly utf8: boolean;
}

/** Data with everything that is said beside them, or a list that nothing can stand beside. */
type Answer = MutableItem | readonly unknown[];

/** Header fields of an answer, by lower-case name. */
export type Headers = Readonly<Record<string, string>>;

/** Header fields of the request that decide what an answer says. */
export const VARY = 'Accept-Encoding, Treat-as-Untrusted, Authorization';

const headersOf = (type: string, extension: string): Headers => ({
  'content-type': `${type}; charset=utf-8`,
  'content-disposition': `inline; filename=api-result.${extension}`,
  'cache-control': 'private, must-revalidate, max-age=0',
  vary: VARY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
});

/** Dark where the reader's machine is, and nothing to scroll sideways on a phone. */
const STYLE =
  ':root{color-scheme:light dark}body{margin:1rem;font-family:sans-serif}pre{white-space:pre-wrap;overflow-wrap:anywhere}';

const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

const HEADERS = {
  json: headersOf('application/json', 'json'),
  callback: headersOf('text/javascript', 'js'),
  jsonfm: { ...headersOf('text/html', 'html'), 'content-security-policy': PAGE_POLICY },
  none: headersOf('text/plain', 'txt'),
} as const;

/**
 * Writes an answer down.
 *
 * @param extra - Header fields that only this answer has, or that differ from the usual ones.
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

/** The name of a function, of which nothing is left that could be more than a name. */
export const cleanCallback = (callback: string): string => callback.replace(/[^[\].'"_A-Za-z0-9]/g, '');

const page = (json: string): string =>
  htmlDocument({
    title: 'API result',
    style: STYLE,
    body: html`<p>The answer as people read it. Programs get it with <code>format=json</code>.</p>
<pre>${Html.content(json)}</pre>`,
  }).source;
