import { Html } from '../../base/html.js';
import { ApiError, apiError, invalidTitle } from '../answer/api-error.js';
import { message, nameList } from '../answer/messages.js';
import { type MutableItem, toVersion1 } from '../answer/result-format.js';
import type { RequestContext } from '../run/request-context.js';
import { parseTitle } from '../site/title.js';
import type { ParseParams } from './descriptors.js';
import { addInterface } from './page-interface.js';
import {
  categoriesOf,
  externalLinksOf,
  imagesOf,
  interwikiLinksOf,
  isAnswered,
  languageLinksOf,
  LIST_MODULES,
  type ListedPage,
  linksOf,
  templatesOf,
} from './page-lists.js';
import type { Prop, Reading, Subject } from './reading.js';
import { renderPage } from './render-page.js';
import type { RenderedContent } from './renderer.js';
import { sanitized } from './sanitize.js';
import { sectionItems, tableOfContents } from './sections.js';
import type { ReaderParts, SubqueryPage } from './subquery.js';

/** The longest text of a request, in characters. The time of renderers is proportional to its length, or worse. */
const MAX_TEXT = 20_000;

/** Answers `action=parse`. */
export const parsePage = async (
  params: ParseParams,
  context: RequestContext,
  parts: ReaderParts,
): Promise<MutableItem> => {
  try {
    return { parse: await readPage(params, context, parts) };
  } catch (error) {
    throw error instanceof ApiError ? error.in('parse') : error;
  }
};

const readPage = async (params: ParseParams, context: RequestContext, parts: ReaderParts): Promise<MutableItem> => {
  const { render, service } = parts;
  const wants = new Set(params.prop);
  // By default, omit what the site cannot provide.
  if (context.parameters.get('prop') === undefined) {
    for (const name of ['links', 'categories'] as const) if (!render && !isAnswered(name, service)) wants.delete(name);
    if (!render) for (const name of ['sections', 'tocdata'] as const) wants.delete(name);
  }
  if (wants.has('parsetree')) throw apiError('norenderer', 'parsetree');
  const reading: Reading = { ...parts, params, context, wants };
  const subject = params.text === undefined ? await findSubject(reading) : givenText(params.text, reading);
  const rendered = await renderSubject(reading, subject);
  return answerOf(reading, subject, rendered);
};

/** Whether the page has to be rendered, for its HTML or for data that only the renderer returns. */
const needsRendering = ({ wants, service, render, params }: Reading): boolean =>
  render !== undefined &&
  (['text', 'sections', 'tocdata', 'displaytitle', 'headhtml'].some((prop) => wants.has(prop as Prop)) ||
    LIST_MODULES.some((name) => {
      const prop = name === 'extlinks' ? 'externallinks' : name;
      return wants.has(prop) && (params.text !== undefined || !isAnswered(name, service));
    }));

/** @throws ApiError if the page, revision or section does not exist, or the request does not name exactly one. */
const findSubject = async (reading: Reading): Promise<Subject> => {
  const { runSubquery, context, params, wants } = reading;
  const { pageid, oldid, section } = params;
  const page = sourceOf(params);
  const needsText = wants.has('wikitext') || needsRendering(reading);
  const values = {
    rvslots: 'main',
    rvprop: needsText ? 'ids|content' : 'ids',
    ...(section !== undefined && needsText ? { rvsection: section } : {}),
  };
  const { query } = await runSubquery(
    {
      ...(page !== undefined && { titles: [page] }),
      ...(pageid !== undefined && { pageids: [pageid] }),
      ...(oldid !== undefined && { revids: [oldid] }),
      redirects: params.redirects && oldid === undefined,
      ...(needsText || wants.has('revid') ? { prop: ['revisions'] } : {}),
      values,
    },
    context,
  );
  const found = existing(query.pages?.[0], params);
  const [revision = {}] = (found['revisions'] ?? []) as readonly Revision[];
  const { main } = revision.slots ?? {};
  if (main?.nosuchsection) throw noSuchSection(section, found.title);
  if (needsText && found['revisions'] !== undefined && typeof main?.content !== 'string') {
    throw apiError('missingcontent-pageid', found.pageid);
  }
  const { content, contentmodel = 'wikitext' } = main ?? {};
  const { pageid: id, ns, title } = found;
  const redirects = query.redirects ?? [];
  return { pageid: id, ns, title, revid: revision.revid, text: content, model: contentmodel, redirects };
};

/**
 * A text of the request, as if it were the text of the page `title`.
 *
 * @throws ApiError if it cannot be rendered, or the request has a page too.
 */
const givenText = (text: string, { params, service, render }: Reading): Subject => {
  const { title = 'API', contentmodel = 'wikitext' } = params;
  const pages = (['page', 'pageid', 'oldid', 'section'] as const).filter((name) => params[name] !== undefined);
  const [other] = pages;
  if (other !== undefined) {
    throw apiError('invalidparammix', nameList(['text', ...pages]), pages.length + 1);
  }
  if (!render) throw apiError('norenderer', 'text');
  if (text.length > MAX_TEXT) {
    throw apiError('parsetoolarge', { num: MAX_TEXT });
  }
  const parsed = parseTitle(title, service.site);
  if (parsed.kind !== 'local') throw invalidTitle(title);
  const { ns, prefixed } = parsed;
  return { pageid: undefined, ns, title: prefixed, revid: undefined, text, model: contentmodel, redirects: [] };
};

/** A revision of `prop=revisions`. */
interface Revision {
  readonly revid?: number;
  readonly slots?: {
    readonly main?: { readonly content?: string; readonly contentmodel?: string; readonly nosuchsection?: true };
  };
}

/** The title of the page, if the request has one. */
const sourceOf = ({ page, pageid, oldid }: ParseParams): string | undefined => {
  const given = Object.entries({ page, pageid, oldid }).filter(([, value]) => value !== undefined);
  const names: readonly string[] =
    given.length === 0 ? ['page', 'pageid', 'oldid', 'text'] : given.map(([name]) => name);
  if (given.length === 0) {
    throw new ApiError('missingparam', message('apierror-missingparam-one-of', nameList(names), names.length));
  }
  if (given.length > 1) {
    throw apiError('invalidparammix', nameList(names), names.length);
  }
  return page;
};

const existing = (found: SubqueryPage | undefined, params: ParseParams): Place & SubqueryPage => {
  const { page, pageid, oldid } = params;
  const { title = '', ns = 0 } = found ?? {};
  if (found?.pageid !== undefined && found.missing !== true) return { ...found, pageid: found.pageid, ns, title };
  if (oldid !== undefined) throw apiError('nosuchrevid', oldid);
  if (pageid !== undefined) throw apiError('nosuchpageid', pageid);
  if (!found || found.invalid) throw invalidTitle(page ?? '');
  if (found.special) throw apiError('pagecannotexist');
  throw apiError('missingtitle');
};

/** A page that exists. */
interface Place {
  readonly pageid: number;
  readonly ns: number;
  readonly title: string;
}

const noSuchSection = (section: string | undefined, title: string): ApiError =>
  new ApiError(
    'nosuchsection',
    message('apierror-nosuchsection-what', { plaintext: section ?? '' }, { plaintext: title }),
  );

const renderSubject = async (reading: Reading, subject: Subject): Promise<RenderedContent | undefined> => {
  const { render, context, params, service } = reading;
  const { pageid, ns, title, revid, text, model } = subject;
  if (!render || text === undefined || !needsRendering(reading)) return undefined;
  const page = { pageid: pageid ?? 0, ns, title, revid, text, model, section: params.section };
  return renderPage(render, page, context, service);
};

/** The response, with keys in the order of MediaWiki. */
const answerOf = async (
  reading: Reading,
  subject: Subject,
  rendered: RenderedContent | undefined,
): Promise<MutableItem> => {
  const { params, wants, context } = reading;
  const { pageid, title, revid, text, redirects } = subject;
  const { displaytitle = title } = rendered ?? {};
  const isFirst = context.style.version === 1;
  const shown = (value: unknown): unknown => (isFirst ? toVersion1(value) : value);
  const whole = (value: string): unknown => (isFirst ? { '*': value } : value);
  const item: MutableItem = { title, pageid: pageid ?? 0 };
  if (wants.has('revid') && revid !== undefined) item['revid'] = revid;
  if (params.redirects) item['redirects'] = shown(redirects);
  if (wants.has('text')) {
    if (rendered) item['text'] = whole(readableHtml(rendered, reading));
    else withoutRenderer('text', reading);
  }
  await addLists(item, { pageid, rendered }, reading);
  for (const prop of ['sections', 'tocdata'] as const) {
    if (!wants.has(prop)) continue;
    if (rendered && text !== undefined) {
      const sections = sectionItems(rendered.sections ?? [], { title, text });
      item[prop] = prop === 'sections' ? sections : tableOfContents(sections);
      item['showtoc'] = shown(sections.length > 3);
    } else withoutRenderer(prop, reading);
  }
  if (wants.has('displaytitle')) item['displaytitle'] = Html.content(displaytitle).source;
  await addInterface(item, { ...subject, displaytitle }, reading);
  if (wants.has('wikitext') && text !== undefined) item['wikitext'] = whole(text);
  if (item['showtoc'] === false && isFirst) delete item['showtoc'];
  return item;
};

/** Adds the requested lists, in the order of MediaWiki. */
const addLists = async (item: MutableItem, page: ListedPage, reading: Reading): Promise<void> => {
  const { wants, context } = reading;
  const shown = (value: unknown, content?: string): unknown =>
    context.style.version === 1 ? toVersion1(value, { content }) : value;
  if (wants.has('langlinks')) item['langlinks'] = shown(await languageLinksOf(page, reading), 'title');
  if (wants.has('categories')) item['categories'] = shown(await categoriesOf(page, reading), 'category');
  if (wants.has('links')) item['links'] = shown(await linksOf(page, reading), 'title');
  if (wants.has('templates')) item['templates'] = shown(await templatesOf(page, reading), 'title');
  if (wants.has('images')) item['images'] = await imagesOf(page, reading);
  if (wants.has('iwlinks')) item['iwlinks'] = shown(await interwikiLinksOf(page, reading), 'title');
  if (wants.has('externallinks')) item['externallinks'] = await externalLinksOf(page, reading);
};

/** Text is never returned as HTML: a request for HTML that is not available gets an error. */
const withoutRenderer = (prop: Prop, { render, service, context }: Reading): void => {
  // With a renderer, `prop=revisions` has already warned that there is no text.
  if (render) return;
  const text = message('apierror-norenderer', prop);
  if (service.options.unanswered === 'error') throw new ApiError('norenderer', text);
  context.warnings.add('parse', 'norenderer', text);
};

/** @throws ApiError `nosanitizer`; `onError` receives the remedy. */
const readableHtml = ({ html, trusted }: RenderedContent, { service, sanitize }: Reading): string => {
  if (trusted === true) return html;
  if (sanitize) return sanitized(html, sanitize);
  service.host.onError(
    new Error(
      "query: options.render: the HTML cannot be sanitised. Run npm install sanitize-html, import sanitizeHtml from 'sanitize-html', and set options.sanitize to sanitizeHtml; or return trusted: true if the renderer makes every page text harmless.",
    ),
  );
  throw apiError('nosanitizer');
};
