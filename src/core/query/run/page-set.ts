import { MAX_LENGTH } from '../../base/text.js';
import type { ResultItem } from '../answer/result-format.js';
import type { Caller } from '../caller.js';
import type {
  ExistingPage,
  GeneratedPage,
  MissingPage,
  Page,
  PageRecord,
  PageResolver,
  PageSet,
  RedirectTarget,
} from '../descriptor/page-model.js';
import { cleanText, percentEncode, replaceInvalid } from '../parameters/raw-values.js';
import { foreignAddress } from '../site/page-address.js';
import type { Site } from '../site/site.js';
import { type LocalTitle, type ParsedTitle, parseTitle, TOO_LONG, wholeTitle } from '../site/title.js';

/** The pages of a request, with the information on how they were found. */
export class ResolvedPages implements PageSet {
  readonly existing: ExistingPage[] = [];
  readonly missing: MissingPage[] = [];
  readonly invalid: Page[] = [];
  readonly missingIds: Page[] = [];
  readonly special: Page[] = [];
  readonly revids = new Map<number, number>();
  readonly normalized: ResultItem[] = [];
  readonly interwiki: ResultItem[] = [];
  readonly redirects: ResultItem[] = [];
  readonly unknownRevids: number[] = [];
  /** Fields that a generator adds to pages, by page id. */
  readonly extras = new Map<number, ResultItem>();
  readonly #named = new Set<string>();
  #nextFake = -1;

  nextFakeId(): number {
    this.#nextFake -= 1;
    return this.#nextFake + 1;
  }

  /** Whether a title that is missing, special or of another site occurs for the first time. */
  isFirst(title: string): boolean {
    const before = this.#named.size;
    return this.#named.add(title).size > before;
  }

  /** In the order of formatversion 1. */
  all(): readonly Page[] {
    return [...this.missing, ...this.invalid, ...this.missingIds, ...this.special, ...this.existing];
  }
}

/** The pages in the request. */
interface PageInput {
  /** The values of `titles`, not yet cleaned. */
  readonly titles?: readonly string[] | undefined;
  readonly pageids?: readonly number[] | undefined;
  readonly revids?: readonly number[] | undefined;
  readonly generated?: readonly GeneratedPage[] | undefined;
  readonly redirects: boolean;
  /** Whether interwiki entries include their URL. */
  readonly iwurl: boolean;
}

interface PageContext {
  readonly site: Site;
  /** Absent if only the pages of generators exist. */
  readonly resolver: PageResolver | undefined;
  readonly caller: Caller | undefined;
  readonly signal: AbortSignal;
}

/** The lookup of the pages of one request. */
interface Search {
  readonly pages: ResolvedPages;
  readonly input: PageInput;
  readonly context: PageContext;
  /** Fields that a generator adds to pages, by title. */
  readonly extras: Map<string, ResultItem>;
}

/** Finds the pages of a request. */
export const resolvePages = async (input: PageInput, context: PageContext): Promise<ResolvedPages> => {
  const search: Search = { pages: new ResolvedPages(), input, context, extras: new Map() };
  const wanted = new WantedPages();
  addTitles(search, wanted);
  for (const id of input.pageids ?? []) wanted.pageids.add(id);
  for (const id of input.revids ?? []) wanted.revids.add(id);
  addGenerated(search, wanted);
  await lookUp(search, wanted);
  return search.pages;
};

/** Pages that still have to be looked up. */
class WantedPages {
  readonly titles = new Map<string, LocalTitle>();
  readonly pageids = new Set<number>();
  readonly revids = new Set<number>();
}

/**
 * Cleans each title. Changed titles are reported percent-encoded, because they may not be valid text. Titles that
 * cannot be cleaned are invalid.
 */
const cleanTitles = (pages: ResolvedPages, raws: readonly string[]): readonly string[] =>
  raws.flatMap((raw) => {
    const clean = cleanText(raw, MAX_LENGTH.title);
    if (clean === undefined) {
      const invalidreason = raw.length > MAX_LENGTH.title ? TOO_LONG : TOO_MANY_MARKS;
      pages.invalid.push({ id: pages.nextFakeId(), title: replaceInvalid(raw), invalidreason, invalid: true });
      return [];
    }
    if (clean !== raw) pages.normalized.push({ fromencoded: true, from: percentEncode(raw), to: clean });
    return [clean];
  });

const TOO_MANY_MARKS = 'The requested page title has more than 30 combining marks in a row.';

const addTitles = ({ pages, input, context: { site } }: Search, wanted: WantedPages): void => {
  for (const text of new Set(cleanTitles(pages, input.titles ?? []))) {
    const title = parseTitle(text, site);
    if (title.kind !== 'invalid' && wholeTitle(title) !== text) {
      pages.normalized.push({ fromencoded: false, from: text, to: wholeTitle(title) });
    }
    addTitle({ pages, input }, wanted, text, title);
  }
};

/** Sorts a title: to be looked up, invalid, special, or on another site. */
const addTitle = (
  { pages, input }: Pick<Search, 'pages' | 'input'>,
  wanted: WantedPages,
  text: string,
  title: ParsedTitle,
): void => {
  if (title.kind === 'invalid') {
    pages.invalid.push({ id: pages.nextFakeId(), title: text, invalidreason: title.reason, invalid: true });
  } else if (title.kind === 'interwiki') {
    const { prefix: iw, interwiki } = title;
    const shown = { title: wholeTitle(title), iw };
    if (!pages.isFirst(shown.title)) return;
    pages.interwiki.push(input.iwurl ? { ...shown, url: foreignAddress(title.text, interwiki) } : shown);
  } else if (title.ns < 0) addSpecial(pages, title);
  else if (title.prefixed !== '') wanted.titles.set(title.prefixed, title);
};

const addSpecial = (pages: ResolvedPages, { ns, prefixed }: LocalTitle): void => {
  if (!pages.isFirst(prefixed)) return;
  pages.special.push({ id: pages.nextFakeId(), ns, title: prefixed, special: true });
};

/** Pages that the generator describes completely are not looked up again, unless redirects must be resolved. */
const addGenerated = (search: Search, wanted: WantedPages): void => {
  const { pages, input, context } = search;
  const known = new Set<number>();
  for (const { title, pageid, revid, extra } of input.generated ?? []) {
    const parsed = title === undefined ? undefined : parseTitle(title, context.site);
    const local = parsed?.kind === 'local' ? parsed : undefined;
    if (pageid !== undefined && known.has(pageid)) {
      if (revid !== undefined) pages.revids.set(revid, pageid);
      continue;
    }
    if (pageid !== undefined && pageid > 0 && local && local.ns >= 0 && !input.redirects) {
      known.add(pageid);
      pages.existing.push({ id: pageid, pageid, ns: local.ns, title: local.prefixed });
      if (extra) pages.extras.set(pageid, extra);
      if (revid !== undefined) pages.revids.set(revid, pageid);
    } else if (revid !== undefined) wanted.revids.add(revid);
    else if (title !== undefined && parsed) {
      addTitle(search, wanted, title, parsed);
      if (extra && local) addExtra(search.extras, local.prefixed, extra);
    } else if (pageid !== undefined) wanted.pageids.add(pageid);
  }
};

/** The redirects that are followed one after the other: each is a lookup, and a chain may be as long as a site is large. */
const MAX_STEPS = 10;

const lookUp = async (search: Search, first: WantedPages): Promise<void> => {
  const { pages, input, context } = search;
  const seen = new Set(pages.existing.map(({ pageid }) => pageid));
  let wanted = first;
  for (let step = 0; wanted.titles.size + wanted.pageids.size + wanted.revids.size > 0; step += 1) {
    const follows = input.redirects && step < MAX_STEPS;
    const records = await callResolver(wanted, context);
    const next = new WantedPages();
    for (const record of records) {
      for (const revid of record.revids ?? []) {
        if (wanted.revids.has(revid)) pages.revids.set(revid, record.pageid);
      }
      wanted.titles.delete(record.title);
      wanted.pageids.delete(record.pageid);
      if (seen.has(record.pageid)) continue;
      seen.add(record.pageid);
      if (record.redirect && follows && followRedirect(search, next, record.title, record.redirect)) continue;
      pages.existing.push({ id: record.pageid, pageid: record.pageid, ns: record.ns, title: record.title });
    }
    addMissing(pages, wanted);
    wanted = next;
  }
  for (const { id, title } of search.extras.size > 0 ? [...pages.existing, ...pages.missing] : []) {
    const extra = search.extras.get(title);
    if (extra) pages.extras.set(id, extra);
  }
};

/**
 * Adds a generator's fields to a page. If the page was found twice, directly and by a redirect, the lower index wins.
 */
const addExtra = (extras: Map<string, ResultItem>, title: string, extra: ResultItem): void => {
  const known = extras.get(title);
  const ranks = [known?.['index'], extra['index']].filter((rank) => typeof rank === 'number');
  extras.set(title, Object.assign({}, extra, known, ranks.length > 0 && { index: Math.min(...ranks) }));
};

const callResolver = async (
  wanted: WantedPages,
  { resolver, caller, signal }: PageContext,
): Promise<readonly PageRecord[]> => {
  const positive = (ids: Iterable<number>): number[] => [...ids].filter((id) => id > 0);
  const query = {
    titles: [...wanted.titles.keys()],
    pageids: positive(wanted.pageids),
    revids: positive(wanted.revids),
  };
  if (!resolver || query.titles.length + query.pageids.length + query.revids.length === 0) return [];
  return resolver({ ...query, caller, signal });
};

/** Returns whether the redirect leads to a title. If it does not, the page is shown itself. */
const followRedirect = (search: Search, next: WantedPages, from: string, target: RedirectTarget): boolean => {
  const { pages, context, extras } = search;
  const title = parseTitle(target.to, context.site);
  if (title.kind === 'invalid') return false;
  const extra = extras.get(from);
  if (extra && title.kind === 'local') addExtra(extras, title.prefixed, extra);
  const fragment = target.fragment ?? (title.kind === 'local' ? title.fragment : '');
  const to = title.kind === 'local' ? title.prefixed : title.text;
  pages.redirects.push({
    from,
    to,
    ...(fragment === '' ? {} : { tofragment: fragment }),
    ...(title.kind === 'interwiki' ? { tointerwiki: title.prefix } : {}),
    ...extra,
  });
  addTitle(search, next, wholeTitle(title), title);
  return true;
};

const addMissing = (pages: ResolvedPages, wanted: WantedPages): void => {
  for (const { ns, prefixed } of wanted.titles.values()) {
    if (!pages.isFirst(prefixed)) continue;
    pages.missing.push({ id: pages.nextFakeId(), ns, title: prefixed, missing: true });
  }
  for (const pageid of wanted.pageids) pages.missingIds.push({ id: pageid, pageid, missing: true });
  for (const revid of wanted.revids) if (!pages.revids.has(revid)) pages.unknownRevids.push(revid);
};
