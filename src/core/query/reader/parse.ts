import { Html } from '../../base/html.js';
import { ApiError } from '../answer/api-error.js';
import { message, nameList } from '../answer/messages.js';
import { type MutableItem, type ResultItem, toVersion1 } from '../answer/result-format.js';
import { parseTitle, prefixedTitle, titleKey } from '../pages/title.js';
import type { QueryService } from '../run/query-run.js';
import type { RequestContext } from '../run/request-context.js';
import type { SubqueryPage, RunSubquery } from './subquery.js';
import type { ParseParams } from './descriptors.js';
import { renderPage } from './render-page.js';
import type { RenderedContent, Renderer } from './renderer.js';
import { loadSanitizer } from './sanitize.js';
import { sectionItems } from './sections.js';

/** What `action=parse` depends on. */
export interface ParseParts {
  readonly runSubquery: RunSubquery;
  readonly service: QueryService;
  /** Absent if the site does not render pages. */
  readonly renderer: Renderer | undefined;
}

type Prop = ParseParams['prop'][number];

/** One request of `action=parse`. */
interface Reading extends ParseParts {
  readonly params: ParseParams;
  readonly context: RequestContext;
  readonly wants: ReadonlySet<Prop>;
}

/** The page and its revision. */
interface Subject {
  readonly pageid: number;
  readonly ns: number;
  readonly title: string;
  readonly revid: number | undefined;
  /** Absent if not requested, or if `prop=revisions` has no handler. */
  readonly text: string | undefined;
  readonly model: string;
  readonly redirects: readonly MutableItem[];
}

/** The maximum number of links and categories of a page, and the number of titles looked up at once. */
const MAX_LINKS = 5_000;
const BATCH_SIZE = 500;

/** Answers `action=parse`. */
export const parsePage = async (
  params: ParseParams,
  context: RequestContext,
  parts: ParseParts,
): Promise<MutableItem> => {
  try {
    return { parse: await readPage(params, context, parts) };
  } catch (error) {
    throw error instanceof ApiError ? error.in('parse') : error;
  }
};

const readPage = async (params: ParseParams, context: RequestContext, parts: ParseParts): Promise<MutableItem> => {
  const { renderer, service } = parts;
  const wants = new Set(params.prop);
  // By default, omit what the site cannot provide.
  if (context.parameters.get('prop') === undefined) {
    for (const name of ['links', 'categories'] as const)
      if (!renderer && !isAnswered(name, service)) wants.delete(name);
    if (!renderer) wants.delete('sections');
  }
  const reading: Reading = { ...parts, params, context, wants };
  const subject = await findSubject(reading);
  const rendered = await renderSubject(reading, subject);
  return answerOf(reading, subject, rendered);
};

const isAnswered = (name: string, { modules }: QueryService): boolean => modules.get(name)?.handler !== undefined;

/** Whether the page has to be rendered, for its HTML or for data that only the renderer returns. */
const needsRendering = ({ wants, service, renderer }: Reading): boolean =>
  renderer !== undefined &&
  (['text', 'sections', 'displaytitle'].some((prop) => wants.has(prop as Prop)) ||
    (['links', 'categories'] as const).some((name) => wants.has(name) && !isAnswered(name, service)));

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
      ...(page === undefined ? {} : { titles: [page] }),
      ...(pageid === undefined ? {} : { pageids: [pageid] }),
      ...(oldid === undefined ? {} : { revids: [oldid] }),
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
    throw new ApiError('missingcontent-pageid', message('apierror-missingcontent-pageid', found.pageid));
  }
  const { content, contentmodel = 'wikitext' } = main ?? {};
  const { pageid: id, ns, title } = found;
  const redirects = query.redirects ?? [];
  return { pageid: id, ns, title, revid: revision.revid, text: content, model: contentmodel, redirects };
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
  const names = (given.length === 0 ? ['page', 'pageid', 'oldid'] : given.map(([name]) => name)) as readonly string[];
  if (given.length === 0) {
    throw new ApiError('missingparam', message('apierror-missingparam-one-of', nameList(names), names.length));
  }
  if (given.length > 1) {
    throw new ApiError('invalidparammix', message('apierror-invalidparammix', nameList(names), names.length));
  }
  return page;
};

const existing = (found: SubqueryPage | undefined, params: ParseParams): Required<Place> & SubqueryPage => {
  const { page, pageid, oldid } = params;
  const { title = '', ns = 0 } = found ?? {};
  if (found?.pageid !== undefined && found.missing !== true) return { ...found, pageid: found.pageid, ns, title };
  if (oldid !== undefined) throw new ApiError('nosuchrevid', message('apierror-nosuchrevid', oldid));
  if (pageid !== undefined) throw new ApiError('nosuchpageid', message('apierror-nosuchpageid', pageid));
  if (!found || found.invalid) {
    throw new ApiError('invalidtitle', message('apierror-invalidtitle', { plaintext: page ?? '' }));
  }
  if (found.special) throw new ApiError('pagecannotexist', message('apierror-pagecannotexist'));
  throw new ApiError('missingtitle', message('apierror-missingtitle'));
};

type Place = Pick<Subject, 'pageid' | 'ns' | 'title'>;

const noSuchSection = (section: string | undefined, title: string): ApiError =>
  new ApiError(
    'nosuchsection',
    message('apierror-nosuchsection-what', { plaintext: section ?? '' }, { plaintext: title }),
  );

const renderSubject = async (reading: Reading, subject: Subject): Promise<RenderedContent | undefined> => {
  const { renderer, context, params, service } = reading;
  const { pageid, ns, title, revid, text, model } = subject;
  if (!renderer || text === undefined || !needsRendering(reading)) return undefined;
  const page = { pageid, ns, title, revid, text, model, section: params.section };
  const { deadline, caller } = context;
  return renderPage(renderer, page, { deadline, caller, service });
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
  const shown = (value: unknown, content?: string): unknown => (isFirst ? toVersion1(value, { content }) : value);
  const whole = (value: string): unknown => (isFirst ? { '*': value } : value);
  const item: MutableItem = { title, pageid };
  if (wants.has('revid') && revid !== undefined) item['revid'] = revid;
  if (params.redirects) item['redirects'] = shown(redirects);
  if (wants.has('text')) {
    if (rendered) item['text'] = whole(await readableHtml(rendered.html, reading));
    else withoutRenderer('text', reading);
  }
  if (wants.has('categories')) {
    item['categories'] = shown(await categoriesOf(reading, subject, rendered), 'category');
  }
  if (wants.has('links')) item['links'] = shown(await linksOf(reading, subject, rendered), 'title');
  if (wants.has('sections')) {
    if (rendered && text !== undefined) {
      const sections = sectionItems(rendered.sections ?? [], { title, text });
      item['sections'] = sections;
      item['showtoc'] = shown(sections.length > 3);
    } else withoutRenderer('sections', reading);
  }
  if (wants.has('displaytitle')) item['displaytitle'] = Html.content(displaytitle).source;
  if (wants.has('wikitext') && text !== undefined) item['wikitext'] = whole(text);
  if (item['showtoc'] === false && isFirst) delete item['showtoc'];
  return item;
};

/** Text is never returned as HTML: a request for HTML that is not available gets an error. */
const withoutRenderer = (prop: Prop, { renderer, service, context }: Reading): void => {
  // With a renderer, `prop=revisions` has already warned that there is no text.
  if (renderer) return;
  const text = message('apierror-norenderer', prop);
  if (service.missing === 'error') throw new ApiError('norenderer', text);
  context.warnings.add('parse', 'norenderer', text);
};

const readableHtml = async (html: string, { renderer, service }: Reading): Promise<string> => {
  if (renderer?.trusted === true) return html;
  const sanitize = await loadSanitizer((error) => service.onError(error));
  return sanitize(html);
};

/** The links or categories of a page, from the module of that name. */
const listed = async (
  { runSubquery, context }: Reading,
  { pageid }: Subject,
  name: 'links' | 'categories',
  values: Readonly<Record<string, string>>,
): Promise<readonly ResultItem[]> => {
  const items: ResultItem[] = [];
  let next: Readonly<Record<string, string | number>> | undefined = {};
  while (next && items.length < MAX_LINKS) {
    const more = Object.fromEntries(Object.entries(next).map(([key, value]) => [key, String(value)]));
    const answer = await runSubquery({ pageids: [pageid], prop: [name], values: { ...values, ...more } }, context);
    const found = answer.query.pages?.[0]?.[name];
    if (Array.isArray(found)) items.push(...(found as readonly ResultItem[]));
    next = answer.continue;
  }
  return items.slice(0, MAX_LINKS);
};

/** Looks up whether titles exist, without invalid ones. */
const lookedUp = async (titles: readonly string[], { runSubquery, context }: Reading): Promise<readonly Link[]> => {
  const links: Link[] = [];
  const all = [...new Set(titles)].slice(0, MAX_LINKS);
  for (let start = 0; start < all.length; start += BATCH_SIZE) {
    const { query } = await runSubquery({ titles: all.slice(start, start + BATCH_SIZE) }, context);
    for (const { ns, title, pageid, invalid } of query.pages ?? []) {
      if (ns !== undefined && title !== undefined && invalid !== true) {
        links.push({ ns, title, exists: pageid !== undefined });
      }
    }
  }
  return links.sort((a, b) => a.ns - b.ns || (a.title < b.title ? -1 : 1));
};

interface Link {
  readonly ns: number;
  readonly title: string;
  readonly exists: boolean;
}

const linksOf = async (
  reading: Reading,
  subject: Subject,
  rendered: RenderedContent | undefined,
): Promise<readonly Link[]> => {
  const { service } = reading;
  if (rendered && !isAnswered('links', service)) return lookedUp(rendered.links ?? [], reading);
  const items = await listed(reading, subject, 'links', { pllimit: 'max' });
  return lookedUp(
    items.flatMap(({ title }) => (typeof title === 'string' ? [title] : [])),
    reading,
  );
};

const categoriesOf = async (
  reading: Reading,
  subject: Subject,
  rendered: RenderedContent | undefined,
): Promise<readonly ResultItem[]> => {
  const { service } = reading;
  const items =
    rendered && !isAnswered('categories', service)
      ? (rendered.categories ?? []).map((name) => ({ title: prefixedTitle(14, name, service.site) }))
      : await listed(reading, subject, 'categories', { cllimit: 'max', clprop: 'sortkey|hidden' });
  const known = new Map(items.flatMap((item) => (typeof item.title === 'string' ? [[item.title, item]] : [])));
  const links = await lookedUp([...known.keys()], reading);
  return links.map(({ title, exists }): ResultItem => {
    const { sortkeyprefix, hidden } = (known.get(title) ?? {}) as ResultItem;
    const parsed = parseTitle(title, service.site);
    return {
      sortkey: sortkeyprefix ?? '',
      category: titleKey(parsed.kind === 'local' ? parsed.text : title),
      ...(exists ? {} : { missing: true }),
      ...(hidden === true ? { hidden } : {}),
    };
  });
};
