import type { HttpRequest } from '../../http/messages.js';
import { decodeUrlencoded, forEachPair } from '../../http/urlencoded.js';

/** The maximum characters and entries that are read of a list of languages. */
const MAX_LENGTH = 500;
const MAX_RANGES = 20;

/** The language of a range with its usual script: `zh-Hans` for `zh-CN`. */
const inItsScript = (range: string): string => {
  try {
    const { language, script } = new Intl.Locale(range).maximize();
    return `${language}-${script}`.toLowerCase();
  } catch {
    return range;
  }
};

/** The offered language for a range such as `de-AT`: itself, a wider one, the one in its script, or one that is narrower (RFC 4647 §3.4 and §3.3.1). */
const offeredFor = (range: string, offered: readonly string[]): string | undefined => {
  const wanted = range.toLowerCase();
  const parts = wanted.split('-');
  for (let length = parts.length; length > 0; length -= 1) {
    const prefix = parts.slice(0, length).join('-');
    const found = offered.find((locale) => locale.toLowerCase() === prefix);
    if (found !== undefined) return found;
  }
  return (
    offered.find((locale) => locale.toLowerCase() === inItsScript(wanted)) ??
    offered.find((locale) => locale.toLowerCase().startsWith(`${wanted}-`))
  );
};

const isRange = (text: string): boolean => /^[a-z]{1,8}(?:-[a-z0-9]{1,8}){0,4}$/i.test(text);

/** The language for the first range with an offered one. */
const firstOffered = (ranges: readonly string[], offered: readonly string[]): string | undefined => {
  for (const range of ranges) {
    const found = isRange(range) ? offeredFor(range, offered) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
};

/** The quality of a range, from 0 (not wanted) to 1 (RFC 9110 §12.4.2); 0 for an invalid number. */
const qualityOf = (parameter: string | undefined): number => {
  if (parameter === undefined) return 1;
  const [, digits] = /^\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*$/i.exec(parameter) ?? [];
  return digits === undefined ? 0 : Number(digits);
};

/**
 * The ranges of `Accept-Language`, by descending quality.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-12.5.4 | RFC 9110 §12.5.4}
 */
const acceptedRanges = (header: string): readonly string[] =>
  header
    .slice(0, MAX_LENGTH)
    .split(',', MAX_RANGES)
    .map((entry) => entry.split(';', 2))
    .map(([range = '', parameter]) => ({ range: range.trim(), quality: qualityOf(parameter) }))
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ range }) => range);

/** The parameter `ui_locales` of a query (OpenID Connect Core 1.0 §3.1.2.1); absent if it is invalid. */
export const uiLocalesOf = (query: string): string | undefined => {
  if (!query.includes('ui_locales')) return undefined;
  let encoded: string | undefined;
  forEachPair(query, (name, value) => {
    if (name === 'ui_locales') encoded ??= value;
  });
  return encoded === undefined ? undefined : decodeUrlencoded(encoded);
};

/** The language of `ui_locales`, if one is offered. */
export const askedLanguage = (uiLocales: string | undefined, offered: readonly string[]): string | undefined =>
  uiLocales === undefined ? undefined : firstOffered(uiLocales.slice(0, MAX_LENGTH).split(' ', MAX_RANGES), offered);

/** The language of the browser, if it is offered. */
export const acceptedLanguage = (request: HttpRequest, offered: readonly string[]): string | undefined => {
  const header = request.header('accept-language');
  return header === undefined ? undefined : firstOffered(acceptedRanges(header), offered);
};
