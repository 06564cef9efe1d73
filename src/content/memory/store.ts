import { createHash } from 'node:crypto';
import type { RedirectTarget } from '../../core/query/index.js';
import type {
  ContentFile,
  ContentLink,
  ContentPage,
  ContentRevision,
  ContentSearch,
  ContentSearchResult,
  ContentTitle,
  ContentUser,
  LinkKind,
  MemberRow,
} from '../source.js';
import { memberType, sortkeyOf } from '../keys.js';
import { type Document, documentOf, ranked } from './search.js';
import { Sorted } from './sorted.js';

/** An earlier revision of a page. */
export type MemoryRevision = Partial<Omit<ContentRevision, 'page' | 'size' | 'sha1'>> & {
  /** Its text. */
  readonly text: string;
};

/** A page for {@link memoryContent}. */
export interface MemoryPage extends Partial<
  Pick<ContentRevision, 'timestamp' | 'user' | 'userid' | 'comment' | 'model'>
> {
  /** Without the namespace, with spaces. */
  readonly title: string;
  /** The namespace id. Default 0. */
  readonly ns?: number;
  /** 1 or higher. Default: its position in the list. */
  readonly id?: number;
  /** Its latest text. */
  readonly text: string;
  /** Its target, if it is a redirect. Add a link of the kind `redirect` for lists of redirects. */
  readonly redirect?: RedirectTarget;
  /** Its links of all kinds. Default: none. */
  readonly links?: readonly ContentLink[];
  /** Its complete history, oldest first, if it has several revisions. */
  readonly history?: readonly MemoryRevision[];
  /** The file of a page in namespace 6. */
  readonly file?: Omit<ContentFile, 'title'>;
}

/** A page with all that is known of it. */
type Stored = ContentPage & { readonly text: string; readonly links: readonly ContentLink[]; readonly shuffle: number };
/** A page with all that is known of it. */
type StoredLink = ContentTitle & {
  readonly page: number;
  readonly text?: string;
  readonly of: ContentPage;
  readonly kind: LinkKind;
};

const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex');

const revisionsOf = (page: MemoryPage, id: number, firstId: number): ContentRevision[] => {
  const { text, timestamp = '2000-01-01T00:00:00Z', user, userid, comment = '', model } = page;
  const latest: MemoryRevision = {
    text,
    timestamp,
    comment,
    ...(user === undefined ? {} : { user, userid: userid ?? 0 }),
    ...(model && { model }),
  };
  const rows: ContentRevision[] = [];
  for (const given of page.history ?? [latest]) {
    const facts = {
      id: given.id ?? firstId + rows.length,
      page: id,
      size: Buffer.byteLength(given.text),
      sha1: sha1(given.text),
    };
    rows.push({ timestamp, parent: rows.at(-1)?.id ?? 0, ...given, ...facts });
  }
  return rows;
};

/** The pages in all orders in which they are read. */
export class Store {
  readonly byId = new Map<number, Stored>();
  readonly byTitle = new Map<string, Stored>();
  readonly files = new Map<string, ContentFile>();
  readonly revisions = new Map<number, ContentRevision>();
  readonly users = new Map<string, ContentUser>();
  readonly userIds: ReadonlyMap<number, ContentUser>;
  readonly titles: Sorted<Stored>;
  readonly shuffled: Sorted<Stored>;
  readonly links: Sorted<StoredLink>;
  readonly backlinks: Sorted<StoredLink>;
  readonly targets: Sorted<StoredLink>;
  readonly members: Sorted<MemberRow>;
  readonly membersByTime: Sorted<MemberRow>;
  readonly history: Sorted<ContentRevision>;
  readonly historyOf: Sorted<ContentRevision>;
  readonly byUser: Sorted<ContentRevision>;
  readonly userNames: Sorted<ContentUser>;
  #documents: readonly Document[] | undefined;

  constructor(given: readonly MemoryPage[]) {
    let firstId = 1;
    for (const [index, page] of given.entries()) {
      this.#add(page, page.id ?? index + 1, firstId);
      firstId = Math.max(firstId, ...[...this.revisions.keys()].slice(-1).map((id) => id + 1));
    }
    const pages = [...this.byId.values()];
    this.titles = new Sorted(pages, ({ ns, title }) => [ns, title]);
    this.shuffled = new Sorted(pages, ({ shuffle, id }) => [shuffle, id]);
    const links = pages.flatMap((of) => of.links.map((link): StoredLink => ({ ...link, page: of.id, of })));
    this.links = new Sorted(links, ({ kind, page, ns, title }) => [kind, page, ns, title]);
    this.backlinks = new Sorted(links, ({ kind, ns, title, page }) => [kind, ns, title, page]);
    const unique = new Map(links.map((link) => [`${link.kind} ${link.ns} ${link.title}`, link]));
    this.targets = new Sorted([...unique.values()], ({ kind, ns, title }) => [kind, ns, title]);
    const members = links.filter(({ kind }) => kind === 'category').map(memberOf);
    this.members = new Sorted(members, ({ in: name, row }) => [
      name,
      memberType(row.page.ns),
      row.sortkey,
      row.page.id,
    ]).map(({ row }) => row);
    this.membersByTime = new Sorted(members, ({ in: name, row }) => [name, row.timestamp, row.page.id]).map(
      ({ row }) => row,
    );
    const revisions = [...this.revisions.values()];
    this.history = new Sorted(revisions, ({ timestamp, id }) => [timestamp, id]);
    this.historyOf = new Sorted(revisions, ({ page, timestamp, id }) => [page, timestamp, id]);
    this.byUser = new Sorted(revisions, ({ user = '', timestamp, id }) => [user, timestamp, id]);
    this.userIds = new Map([...this.users.values()].filter(({ id }) => id > 0).map((user) => [user.id, user]));
    this.userNames = new Sorted([...this.users.values()], ({ name }) => [name]);
  }

  #add(page: MemoryPage, id: number, firstId: number): void {
    const { ns = 0, title, redirect, model, text, links = [], file } = page;
    const name = `${ns}:${title}`;
    if (this.byId.has(id) || this.byTitle.has(name)) {
      throw new TypeError(
        `memoryContent: two pages have the id ${id} or the title "${title}" in namespace ${ns}. Change one of them.`,
      );
    }
    const revisions = revisionsOf(page, id, firstId);
    for (const revision of revisions) this.#addRevision(revision);
    const latest = revisions.at(-1);
    const shuffle = createHash('sha256').update(name).digest().readUInt32BE(0) >>> 1;
    const known = { id, ns, title, text, links, shuffle, ...(redirect && { redirect }), ...(model && { model }) };
    const stored: Stored = {
      ...known,
      ...(latest && { revid: latest.id, length: latest.size, touched: latest.timestamp }),
    };
    this.byId.set(id, stored);
    this.byTitle.set(name, stored);
    if (file) this.files.set(title, { ...file, title });
  }

  #addRevision(revision: ContentRevision): void {
    const { id, user, userid = 0, timestamp } = revision;
    if (this.revisions.has(id))
      throw new TypeError(`memoryContent: two revisions have the id ${id}. Change one of them.`);
    this.revisions.set(id, revision);
    if (user === undefined) return;
    const { edits = 0, registration = timestamp } = this.users.get(user) ?? {};
    const first = registration < timestamp ? registration : timestamp;
    this.users.set(user, { name: user, id: userid, edits: edits + 1, registration: first });
  }

  /** The number of a user's revisions since a time. */
  since(user: string, time: string): number {
    return this.byUser.range({ from: [time], descending: false, limit: Infinity }, [user]).length;
  }

  search(query: ContentSearch): ContentSearchResult {
    this.#documents ??= [...this.byId.values()].map(documentOf);
    const found = ranked(this.#documents, query);
    const hits = found
      .slice(query.offset, query.offset + query.limit)
      .map(({ page, wordcount }) => ({ page, wordcount }));
    return { hits, total: found.length };
  }
}

const memberOf = ({ title, text = '', of }: StoredLink): { readonly in: string; readonly row: MemberRow } => ({
  in: title,
  row: { page: of, sortkey: sortkeyOf(text, of.title), prefix: text, timestamp: of.touched ?? '' },
});
