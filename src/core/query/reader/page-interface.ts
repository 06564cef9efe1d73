import { directionOf } from '../../base/direction.js';
import { Html, html } from '../../base/html.js';
import { message } from '../answer/messages.js';
import { type MutableItem, type ResultItem, toVersion1 } from '../answer/result-format.js';
import { pageAddress } from '../site/page-address.js';
import type { Site } from '../site/site.js';
import { parseTitle, prefixedTitle, titleKey } from '../site/title.js';
import { categoriesOf, lookedUp } from './page-lists.js';
import type { Reading, Subject } from './reading.js';

/** A page with the title that is shown. */
type Shown = Subject & { readonly displaytitle: string };

/** The names that MediaWiki gives to what a skin loads. Nothing is loaded here. */
const MODULE_KINDS = ['modules', 'modulescripts', 'modulestyles'] as const;

/**
 * Adds what MediaWiki's own pages have around their text: the head of a document, links above and below. Programs that
 * copy a site ask for it. What belongs to skins and extensions is empty.
 */
export const addInterface = async (item: MutableItem, page: Shown, reading: Reading): Promise<void> => {
  const { wants, context, service } = reading;
  const isFirst = context.style.version === 1;
  const whole = (value: string): unknown => (isFirst ? { '*': value } : value);
  if (wants.has('categorieshtml')) item['categorieshtml'] = whole(await categoryLinks(page, reading));
  if (wants.has('parsewarnings')) item['parsewarnings'] = [];
  if (wants.has('parsewarningshtml')) item['parsewarningshtml'] = [];
  if (wants.has('subtitle')) item['subtitle'] = await linksAbove(page, reading);
  if (wants.has('headitems')) item['headitems'] = isFirst ? [] : {};
  if (wants.has('headhtml')) item['headhtml'] = whole(documentHead(page, service.site));
  if (wants.has('modules')) for (const kind of MODULE_KINDS) item[kind] = [];
  if (wants.has('jsconfigvars')) item['jsconfigvars'] = {};
  if (wants.has('encodedjsconfigvars')) item['encodedjsconfigvars'] = '{}';
  if (wants.has('modules') && !wants.has('jsconfigvars') && !wants.has('encodedjsconfigvars'))
    context.warnings.add('parse', 'moduleswithoutvars', message('apiwarn-moduleswithoutvars'));
  if (wants.has('indicators')) item['indicators'] = isFirst ? [] : {};
  if (wants.has('properties')) item['properties'] = propertyItem(await propertiesOf(page, reading), isFirst);
  if (wants.has('limitreportdata')) item['limitreportdata'] = [];
  if (wants.has('limitreporthtml')) item['limitreporthtml'] = whole('');
};

const link = (title: string, text: string, site: Site): Html =>
  html`<a href="${pageAddress(title, site)}" title="${title}">${text}</a>`;

/** The categories below the text. */
const categoryLinks = async ({ pageid }: Shown, reading: Reading): Promise<string> => {
  const { site } = reading.service;
  const categories = await categoriesOf({ pageid, rendered: undefined }, reading);
  const shown = categories.filter(({ hidden }) => hidden !== true);
  if (shown.length === 0) return html`<div id="catlinks" class="catlinks catlinks-allhidden"></div>`.source;
  const links = shown.map(({ category }) => {
    const name = String(category).replaceAll('_', ' ');
    return html`<li>${link(prefixedTitle(14, name, site), name, site)}</li>`;
  });
  const heading = link(prefixedTitle(-1, 'Categories', site), 'Categories', site);
  return html`<div id="catlinks" class="catlinks"><div id="mw-normal-catlinks" class="mw-normal-catlinks">${heading}: <ul>${links}</ul></div></div>`
    .source;
};

/** For a subpage, links to the pages above it that exist. */
const linksAbove = async ({ ns, title }: Shown, reading: Reading): Promise<string> => {
  const { site } = reading.service;
  if (site.namespace(ns)?.subpages !== true) return '';
  const parts = title.split('/');
  const above = parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'));
  const existing = (await lookedUp(above, reading)).filter(({ exists }) => exists).map((page) => page.title);
  const shown = above.filter((name) => existing.includes(name));
  if (shown.length === 0) return '';
  const links = shown.map((name, at) => [at === 0 ? '' : ' | ', html`<bdi dir="ltr">${link(name, name, site)}</bdi>`]);
  return html`<div class="subpages">&lt; ${links.flat()}</div>`.source;
};

/** The beginning of a document for the page, up to its body. */
const documentHead = ({ pageid = 0, ns, title, revid = 0, displaytitle }: Shown, site: Site): string => {
  const direction = directionOf(site.language);
  const parsed = parseTitle(title, site);
  const facts = {
    wgPageName: titleKey(title),
    wgTitle: parsed.kind === 'local' ? parsed.text : title,
    wgNamespaceNumber: ns,
    wgArticleId: pageid,
    wgRevisionId: revid,
  };
  // In a script, `<` could end it.
  const config = JSON.stringify(facts).replaceAll('<', String.raw`\u003C`);
  const head = html`<!DOCTYPE html>
<html class="client-nojs" lang="${site.language}" dir="${direction}">
<head>
<meta charset="UTF-8">
<title>${displaytitle} - ${site.name}</title>
<script>`;
  const body = html`</script>
</head>
<body class="mediawiki ${direction} ns-${ns} ${pageClass(title)}">`;
  return `${head.source}RLCONF=${config};RLSTATE={};${body.source}`;
};

/** The class of a page, as MediaWiki writes it: letters of all scripts and digits, all else as `_`. */
const pageClass = (title: string): string =>
  `page-${title.replaceAll(/[\u0000-\u0020!-,./:-@[-^`{-~\u00a0]/g, '_')}`.replaceAll(/_+/g, '_').replace(/_$/, '');

/** The properties of the page. */
const propertiesOf = async (
  { pageid }: Shown,
  { runSubquery, context, service }: Reading,
): Promise<Readonly<Record<string, string>>> => {
  if (pageid === undefined || service.modules.get('pageprops')?.handler === undefined) return {};
  const { query } = await runSubquery({ pageids: [pageid], prop: ['pageprops'] }, context);
  return Object.fromEntries(
    Object.entries(query.pages?.[0]?.['pageprops'] ?? {}).map(([name, value]) => [name, String(value)]),
  );
};

const propertyItem = (properties: Readonly<Record<string, string>>, isFirst: boolean): unknown => {
  if (!isFirst) return properties;
  const items: readonly ResultItem[] = Object.entries(properties).map(([name, content]) => ({ name, content }));
  return toVersion1(items, { content: 'content' });
};
