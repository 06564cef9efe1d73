import type { Site } from '../../core/query/index.js';
import { parseTitle, prefixedTitle } from '../../core/query/toolkit.js';
import type { ContentTitle } from '../source.js';

/** The title of a page on the site, as requests name it. */
export interface PlacedTitle extends ContentTitle {
  /** With its namespace. */
  readonly prefixed: string;
}

/**
 * The title of an exported page. Its namespace is that of its prefix if the export has none, or only 0; otherwise that
 * of the export.
 *
 * @returns The reason if it is not a title of the site.
 */
export const placeTitle = (title: string, ns: number | undefined, site: Site): PlacedTitle | string => {
  const prefixed = site.namespaceId(prefixOf(title));
  const name = site.namespace(ns ?? 0)?.name ?? '';
  const parsed = parseTitle(ns && prefixed !== ns && name !== '' ? `${name}:${title}` : title, site);
  if (parsed.kind === 'invalid') return parsed.reason;
  if (parsed.kind === 'interwiki') return `"${parsed.prefix}:" is the prefix of another site.`;
  if (parsed.ns < 0 || parsed.text === '') return 'It names no page.';
  if (parsed.fragment !== '' || title.includes('#'))
    return 'The requested page title contains invalid characters: "#".';
  return { ns: parsed.ns, title: parsed.text, prefixed: prefixedTitle(parsed.ns, parsed.text, site) };
};

/** The name for a namespace that the export uses and does not describe. */
export const nameForNamespace = (title: string, ns: number, site: Site): string => {
  const prefix = prefixOf(title).replaceAll('_', ' ').trim();
  return prefix === '' || site.namespaceId(prefix) !== undefined ? `Ns${ns}` : prefix;
};

const prefixOf = (title: string): string => title.slice(0, Math.max(0, title.indexOf(':')));

const FORMATS: Readonly<Record<string, string>> = {
  css: 'text/css',
  javascript: 'text/javascript',
  json: 'application/json',
  wikitext: 'text/x-wiki',
};

const MODELS: Readonly<Record<string, string>> = { css: 'css', js: 'javascript', json: 'json' };

/** The content model that a title has by default, as in MediaWiki: scripts and styles of the site and of users. */
export const modelOf = ({ ns, title }: ContentTitle): string => {
  const [, extension = ''] = /\.(css|js|json)$/.exec(title) ?? [];
  const hasCode = ns === 8 || (ns === 2 && title.includes('/'));
  return (hasCode ? MODELS[extension] : undefined) ?? 'wikitext';
};

/** The format of a content model. */
export const formatOf = (model: string): string => FORMATS[model] ?? 'text/plain';
