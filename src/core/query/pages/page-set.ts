import type { MaybePromise } from '../../ports.js';
import type { Caller, GeneratedPage, Item } from '../modules/handlers.js';
import { cleanText, percentEncode } from '../request/raw-values.js';
import type { Site } from '../site/site.js';
import { type LocalTitle, parseTitle } from './title.js';

/** Where a redirect leads. */
export interface RedirectTarget {
  /** The title of the target, with an interwiki prefix if it is on another site. */
  readonly to: string;
  /** The section of the target, without `#`. */
  readonly fragment?: string;
}

/** A page that exists, as the host knows it. */
export interface PageRecord {
  /** The page's id, from 1 on. */
  readonly pageid: number;
  /** The number of its namespace; 0 is the main one. */
  readonly ns: number;
  /** With its namespace, spaces not underscores: the form in which it was asked for. */
  readonly title: string;
  /** Where it leads, if it is a redirect. */
  readonly redirect?: RedirectTarget;
  /** Those of the asked revision ids that are revisions of this page. */
  readonly revids?: readonly number[];
}

/** What the host is asked to find. All three lists may be empty or filled. */
export interface PageQuery {
  /** With their namespace, in the canonical form. */
  readonly titles: readonly string[];
  /** Ids from 1 on. */
  readonly pageids: readonly number[];
  /** Ids from 1 on; the page of each is wanted. */
  readonly revids: readonly number[];
  /** Who asks; `undefined` without a bearer token. */
  readonly caller: Caller | undefined;
  /** Aborted when the deadline of the request has passed. */
  readonly signal: AbortSignal;
}

/** Finds pages. What it does not return does not exist. The order does not matter. */
export type PageResolver = (query: PageQuery) => MaybePromise<readonly PageRecord[]>;

/** A page of the request: one that exists, or a name that leads to none. */
export interface Page {
  /** The page id; negative for what does not exist, in the order in which it was found out. */
  readonly id: number;
  /** The id that it has, or was asked for by. */
  readonly pageid?: number;
  /** The number of its namespace; absent for what has no title. */
  readonly ns?: number;
  /** With its namespace, in the canonical form. */
  readonly title?: string;
  /** There is no such page. */
  readonly missing?: true;
  /** A page of the software, below namespace 0: it has no content. */
  readonly special?: true;
  /** No page can have this title. */
  readonly invalid?: true;
  /** Why not, as a sentence. */
  readonly invalidreason?: string;
}

/** A page that exists. */
export interface ExistingPage extends Page {
  readonly pageid: number;
  readonly ns: number;
  readonly title: string;
}

/** A title that could exist and does not. */
export interface MissingPage extends Page {
  readonly ns: number;
  readonly title: string;
  readonly missing: true;
}

/** The pages that a request is about. */
export interface PageSet {
  /** Those that exist; redirects are followed already if the request says so. */
  readonly existing: readonly ExistingPage[];
  /** Titles that no page has. */
  readonly missing: readonly MissingPage[];
  /** Asked revision ids that exist, with the id of their page. */
  readonly revids: ReadonlyMap<number, number>;
}

/** The pages with everything that the answer says about how they were found. */
export class ResolvedPages implements PageSet {
  readonly existing: ExistingPage[] = [];
  readonly missing: MissingPage[] = [];
  readonly invalid: Page[] = [];
  readonly missingIds: Page[] = [];
  readonly special: Page[] = [];
  readonly revids = new Map<number, number>();
  readonly normalized: Item[] = [];
  readonly interwiki: Item[] = [];
  readonly redirects: Item[] = [];
  readonly badrevids: number[] = [];
  /** What a generator adds to a page, by page id. */
  readonly extras = new Map<number, Item>();
  #nextFake = -1;

  nextFakeId(): number {
    this.#nextFake -= 1;
    return this.#nextFake + 1;
  }

  /** In the order of formatversion 1. */
  all(): readonly Page[] {
    return [...this.missing, ...this.invalid, ...this.missingIds, ...this.special, ...this.existing];
  }
}

/** What the request says about its pages. */
export interface PageInput {
  /** The text of `titles`, split but not yet cleaned. */
  readonly titles?: readonly string[] | undefined;
  readonly pageids?: readonly number[] | undefined;
  readonly revids?: readonly number[] | undefined;
  readonly generated?: readonly GeneratedPage[] | undefined;
  readonly redirects: boolean;
  /** Whether entries of other sites carry their address. */
  readonly iwurl: boolean;
}

export interface PageContext {
  readonly site: Site;
  readonly resolver: PageResolver;
  readonly caller: Caller | undefined;
  readonly signal: AbortSignal;
}

/** Finds the pages of a request. */
export async function resolvePages(input: PageInput, context: PageContext): Promise<ResolvedPages> {
  const pages = new ResolvedPages();
  const wanted = new Wanted();
  addTitles(pages, wanted, cleanTitles(pages, input.titles ?? []), input, context.site, true);
  for (const id of input.pageids ?? []) wanted.pageids.add(id);
  for (const id of input.revids ?? []) wanted.revids.add(id);
  addGenerated(pages, wanted, input, context.site);
  await lookUp(pages, wanted, input, context);
  return pages;
}

/** What is still to be looked up. */
class Wanted {
  readonly titles = new Map<string, LocalTitle>();
  readonly pageids = new Set<number>();
  readonly revids = new Set<number>();
  readonly extras = new Map<string, Item>();
}

/** Cleans each title; what had to be changed is shown percent-encoded, since it may not be text at all. */
function cleanTitles(pages: ResolvedPages, raws: readonly string[]): readonly string[] {
  return raws.map((raw) => {
    const clean = cleanText(raw);
    if (clean !== raw) pages.normalized.push({ fromencoded: true, from: percentEncode(raw), to: clean });
    return clean;
  });
}

function addTitles(
  pages: ResolvedPages,
  wanted: Wanted,
  titles: readonly string[],
  { iwurl }: PageInput,
  site: Site,
  report: boolean,
): void {
  for (const text of new Set(titles)) {
    const title = parseTitle(text, site);
    if (title.kind === 'invalid') {
      pages.invalid.push({ id: pages.nextFakeId(), title: text, invalidreason: title.reason, invalid: true });
      continue;
    }
    const canonical = title.kind === 'local' ? title.prefixed : `${title.prefix}:${title.text}`;
    if (report && canonical !== text) pages.normalized.push({ fromencoded: false, from: text, to: canonical });
    if (title.kind === 'interwiki') {
      const url = iwurl
        ? { url: title.interwiki.url.replace('$1', encodeURIComponent(title.text.replaceAll(' ', '_'))) }
        : {};
      pages.interwiki.push({ title: canonical, iw: title.prefix, ...url });
    } else if (title.ns < 0) addSpecial(pages, title);
    else if (canonical !== '') wanted.titles.set(canonical, title);
  }
}

function addSpecial(pages: ResolvedPages, { ns, prefixed }: LocalTitle): void {
  if (pages.special.some(({ title }) => title === prefixed)) return;
  pages.special.push({ id: pages.nextFakeId(), ns, title: prefixed, special: true });
}

/** A page that the generator has fully described needs no second look, unless it could be a redirect. */
function addGenerated(pages: ResolvedPages, wanted: Wanted, input: PageInput, site: Site): void {
  const known = new Set<number>();
  for (const { title, pageid, revid, extra } of input.generated ?? []) {
    const parsed = title === undefined ? undefined : parseTitle(title, site);
    const local = parsed?.kind === 'local' ? parsed : undefined;
    if (pageid !== undefined && pageid > 0 && known.has(pageid)) continue;
    if (pageid !== undefined && pageid > 0 && local && local.ns >= 0 && !input.redirects) {
      known.add(pageid);
      pages.existing.push({ id: pageid, pageid, ns: local.ns, title: local.prefixed });
      if (extra) pages.extras.set(pageid, extra);
      if (revid !== undefined) pages.revids.set(revid, pageid);
    } else if (revid !== undefined) wanted.revids.add(revid);
    else if (title !== undefined) {
      addTitles(pages, wanted, [title], input, site, false);
      if (extra && local) wanted.extras.set(local.prefixed, extra);
    } else if (pageid !== undefined) wanted.pageids.add(pageid);
  }
}

async function lookUp(pages: ResolvedPages, first: Wanted, input: PageInput, context: PageContext): Promise<void> {
  const seen = new Set(pages.existing.map(({ pageid }) => pageid));
  let wanted = first;
  while (wanted.titles.size + wanted.pageids.size + wanted.revids.size > 0) {
    const records = await askHost(wanted, context);
    const next = new Wanted();
    for (const record of records) {
      for (const revid of record.revids ?? []) {
        if (wanted.revids.has(revid)) pages.revids.set(revid, record.pageid);
      }
      wanted.titles.delete(record.title);
      wanted.pageids.delete(record.pageid);
      if (seen.has(record.pageid)) continue;
      seen.add(record.pageid);
      if (record.redirect && input.redirects) followRedirect(pages, next, record, record.redirect, input, context.site);
      else {
        pages.existing.push({ id: record.pageid, pageid: record.pageid, ns: record.ns, title: record.title });
        const extra = first.extras.get(record.title);
        if (extra) pages.extras.set(record.pageid, extra);
      }
    }
    addMissing(pages, wanted);
    wanted = next;
  }
}

async function askHost(wanted: Wanted, { resolver, caller, signal }: PageContext): Promise<readonly PageRecord[]> {
  const positive = (ids: Iterable<number>): number[] => [...ids].filter((id) => id > 0);
  const query = {
    titles: [...wanted.titles.keys()],
    pageids: positive(wanted.pageids),
    revids: positive(wanted.revids),
  };
  if (query.titles.length + query.pageids.length + query.revids.length === 0) return [];
  return resolver({ ...query, caller, signal });
}

function followRedirect(
  pages: ResolvedPages,
  next: Wanted,
  from: PageRecord,
  target: RedirectTarget,
  input: PageInput,
  site: Site,
): void {
  const title = parseTitle(target.to, site);
  if (title.kind === 'invalid') return;
  const fragment = target.fragment ?? (title.kind === 'local' ? title.fragment : '');
  const to = title.kind === 'local' ? title.prefixed : title.text;
  pages.redirects.push({
    from: from.title,
    to,
    ...(fragment === '' ? {} : { tofragment: fragment }),
    ...(title.kind === 'interwiki' ? { tointerwiki: title.prefix } : {}),
  });
  if (title.kind === 'interwiki') pages.interwiki.push({ title: `${title.prefix}:${title.text}`, iw: title.prefix });
  else addTitles(pages, next, [title.prefixed], input, site, false);
}

function addMissing(pages: ResolvedPages, wanted: Wanted): void {
  for (const { ns, prefixed } of wanted.titles.values()) {
    if (pages.missing.some(({ title }) => title === prefixed)) continue;
    const id = pages.nextFakeId();
    pages.missing.push({ id, ns, title: prefixed, missing: true });
    const extra = wanted.extras.get(prefixed);
    if (extra) pages.extras.set(id, extra);
  }
  for (const pageid of wanted.pageids) pages.missingIds.push({ id: pageid, pageid, missing: true });
  for (const revid of wanted.revids) if (!pages.revids.has(revid)) pages.badrevids.push(revid);
}
