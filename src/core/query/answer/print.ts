import { hash } from 'node:crypto';
import { Html, html, htmlDocument } from '../../base/html.js';
import type { HttpResponse } from '../../base/http/messages.js';
import type { MutableItem } from './result-format.js';
import { printSuggestions, printXml } from './xml.js';

/** `json` and `xml` for programs; with `fm` for people: the same in a page; `none` for responses without a body. */
export const FORMATS = ['json', 'jsonfm', 'none', 'xml', 'xmlfm'] as const;
type Format = (typeof FORMATS)[number];

/** How a response is serialized. */
export interface Printer {
  readonly format: Format;
  /** The JSONP callback; `undefined` for plain JSON. */
  readonly callback: string | undefined;
  /** Whether JSON does not escape non-ASCII characters. */
  readonly utf8: boolean;
  /** Whether the root element of XML has a namespace. */
  readonly hasNamespace: boolean;
}

/** Whether a format is XML, whose result is always in formatversion 1. */
export const isXml = (format: string): boolean => format.startsWith('xml');

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

const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

const HEADERS = {
  json: headersOf('application/json', 'json'),
  callback: headersOf('text/javascript', 'js'),
  page: { ...headersOf('text/html', 'html'), 'content-security-policy': PAGE_POLICY },
  none: headersOf('text/plain', 'txt'),
  xml: headersOf('text/xml', 'xml'),
} as const;

const NAMESPACE = 'http://www.mediawiki.org/xml/api/';

/**
 * Serializes a response.
 *
 * @param extra - Additional headers; they override the usual ones.
 */
export const printAnswer = (answer: Answer, printer: Printer, status: number, extra: Headers): HttpResponse => {
  const { format, callback } = printer;
  const headers = HEADERS[headersNamed(format, callback)];
  return { status, headers: { ...headers, ...extra }, body: bodyOf(answer, printer) };
};

const EXPORT_HEADERS: Headers = { ...HEADERS.xml, 'content-disposition': 'inline; filename=export.xml' };

/** A response with an export of pages. */
export const printExport = (xml: string, extra: Headers): HttpResponse => ({
  status: 200,
  headers: { ...EXPORT_HEADERS, ...extra },
  body: xml,
});

const headersNamed = (format: Format, callback: string | undefined): keyof typeof HEADERS => {
  if (format === 'jsonfm' || format === 'xmlfm') return 'page';
  return format === 'json' && callback !== undefined ? 'callback' : format;
};

const bodyOf = (answer: Answer, printer: Printer): string => {
  const { format, callback, utf8 } = printer;
  if (format === 'none') return '';
  if (format === 'jsonfm') return page(JSON.stringify(answer, undefined, 4), 'json');
  if (format === 'xml') return xml(answer, printer);
  if (format === 'xmlfm') return page(xml(answer, printer), 'xml');
  const text = JSON.stringify(answer);
  const json = utf8 ? text : escapeBeyondAscii(text);
  return callback === undefined ? json : `/**/${callback}(${json})`;
};

const xml = (answer: Answer, { format, hasNamespace }: Printer): string => {
  const isIndented = format === 'xmlfm';
  if (isList(answer)) return printSuggestions(answer, { isIndented });
  return printXml(answer, { isIndented, namespace: hasNamespace ? NAMESPACE : undefined });
};

const isList = (answer: Answer): answer is readonly unknown[] => Array.isArray(answer);

/** Characters that are escaped at once. */
const PIECE = 16_384;
const [BACKSLASH = 0, U = 0] = Buffer.from('\\u');
const HEX = Buffer.from('0123456789abcdef');

/** A regular expression with a function for each character takes ten times as long for a text in Chinese. */
const escapeBeyondAscii = (json: string): string => {
  const first = json.search(/[\u0080-\uffff]/);
  if (first < 0) return json;
  const bytes = Buffer.allocUnsafe(6 * Math.min(PIECE, json.length - first));
  let escaped = json.slice(0, first);
  for (let start = first; start < json.length; start += PIECE) {
    const length = escapeInto(bytes, json.slice(start, start + PIECE));
    escaped += bytes.toString('latin1', 0, length);
  }
  return escaped;
};

/** Writes a text with escapes, and returns the length. */
const escapeInto = (bytes: Buffer, text: string): number => {
  let at = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 128) bytes[at++] = code;
    else {
      bytes[at] = BACKSLASH;
      bytes[at + 1] = U;
      for (let digit = 0; digit < 4; digit += 1) bytes[at + 2 + digit] = HEX[(code >> (12 - 4 * digit)) & 15] ?? 0;
      at += 6;
    }
  }
  return at;
};

/** The name of a callback, reduced to the characters allowed in one. */
export const cleanCallback = (callback: string): string => callback.replace(/[^[\].'"_A-Za-z0-9]/g, '');

const page = (text: string, format: 'json' | 'xml'): string =>
  htmlDocument({
    title: 'API result',
    style: STYLE,
    body: html`<p>This page is for reading. Programs use <code>format=${format}</code>.</p>
<pre>${Html.content(text)}</pre>`,
  }).source;
