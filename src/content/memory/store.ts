import { createHash } from 'node:crypto';
import type { RedirectTarget } from '../../core/query/index.js';
import { memberType, sortkeyOf } from '../keys.js';
import type {
  ContentFile,
  ContentLink,
  ContentPage,
  ContentRevision,
  ContentTitle,
  ContentUser,
  LinkKind,
  MemberRow,
} from '../source.js';
import { Groups, Sorted } from './sorted.js';

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

/** A page, with its text and its number in the random order. */
export type StoredPage = ContentPage & { readonly text: string; readonly shuffle: number };

type StoredLink = ContentTitle & {
  readonly page: number;
  readonly text?: string;
  readonly of: ContentPage;
  readonly kind: LinkKind;
};

/** A page with all rows that it has in lists. */
interface Entry {
  readonly page: StoredPage;
  readonly links: readonly StoredLink[];
  readonly members: readonly (MemberRow & { readonly category: string })[];
  readonly revisions: readonly ContentRevision[];
  readonly file: ContentFile | undefined;
}

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

/** The names of groups. */
export const groupOf = {
  links: (kind: LinkKind, page: number): string => `${kind} ${page}`,
  backlinks: (kind: LinkKind, ns: number, title: string): string => `${kind} ${ns} ${title}`,
  targets: (kind: LinkKind, ns: number): string => `${kind} ${ns}`,
};

/** The pages in all orders in which they are read. */
export class PageStore {
  readonly #entries = new Map<number, Entry>();
  readonly byTitle = new Map<string, StoredPage>();
  readonly files = new Map<string, ContentFile>();
  readonly revisions = new Map<number, ContentRevision>();
  readonly titles = new Groups<StoredPage>(({ title }) => [title]);
  readonly shuffled = new Sorted<StoredPage>(({ shuffle, id }) => [shuffle, id]);
  readonly links = new Groups<StoredLink>(({ ns, title }) => [ns, title]);
  readonly backlinks = new Groups<StoredLink>(({ page }) => [page]);
  /** All targets, once. */
  readonly targets = new Groups<string>((title) => [title]);
  readonly members = new Groups<MemberRow>(({ page, sortkey }) => [memberType(page.ns), sortkey, page.id]);
  readonly membersByTime = new Groups<MemberRow>(({ timestamp, page }) => [timestamp, page.id]);
  readonly history = new Sorted<ContentRevision>(({ timestamp, id }) => [timestamp, id]);
  readonly historyOf = new Groups<ContentRevision>(({ timestamp, id }) => [timestamp, id]);
  readonly byUser = new Groups<ContentRevision>(({ timestamp, id }) => [timestamp, id]);
  readonly userNames = new Sorted<string>((name) => [name]);
  readonly userIds = new Map<number, string>();

  /** @throws TypeError if another page has its title or id, or a revision its id. */
  add(given: MemoryPage, id: number, firstId = 1): StoredPage {
    const { ns = 0, title, redirect, model, text, file } = given;
    const name = `${ns}:${title}`;
    if (this.#entries.has(id) || this.byTitle.has(name)) {
      throw new TypeError(
        `memoryContent: two pages have the id ${id} or the title "${title}" in namespace ${ns}. Change one of them.`,
      );
    }
    const revisions = revisionsOf(given, id, firstId);
    const latest = revisions.at(-1);
    const shuffle = createHash('sha256').update(name).digest().readUInt32BE(0) >>> 1;
    const page: StoredPage = {
      ...{ id, ns, title, text, shuffle, ...(redirect && { redirect }), ...(model && { model }) },
      ...(latest && { revid: latest.id, length: latest.size, touched: latest.timestamp }),
    };
    const links = (given.links ?? []).map((link): StoredLink => ({ ...link, page: id, of: page }));
    const members = links.flatMap(({ kind, title: category, text: prefix = '' }) =>
      kind === 'category'
        ? [{ category, page, prefix, sortkey: sortkeyOf(prefix, title), timestamp: page.touched ?? '' }]
        : [],
    );
    for (const revision of revisions) this.#addRevision(revision);
    this.#entries.set(id, { page, links, members, revisions, file: file && { ...file, title } });
    this.byTitle.set(name, page);
    this.titles.add(String(ns), page);
    this.shuffled.add(page);
    if (file) this.files.set(title, { ...file, title });
    for (const link of links) {
      this.links.add(groupOf.links(link.kind, id), link);
      const isNew = this.backlinks.add(groupOf.backlinks(link.kind, link.ns, link.title), link);
      if (isNew) this.targets.add(groupOf.targets(link.kind, link.ns), link.title);
    }
    for (const member of members) {
      this.members.add(member.category, member);
      this.membersByTime.add(member.category, member);
    }
    return page;
  }

  /** Removes a page, and its revisions. */
  remove(id: number): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    const { page, links, members, revisions, file } = entry;
    this.#entries.delete(id);
    this.byTitle.delete(`${page.ns}:${page.title}`);
    this.titles.remove(String(page.ns), page);
    this.shuffled.remove(page);
    if (file) this.files.delete(file.title);
    for (const link of links) {
      this.links.remove(groupOf.links(link.kind, id), link);
      const isGone = this.backlinks.remove(groupOf.backlinks(link.kind, link.ns, link.title), link);
      if (isGone) this.targets.remove(groupOf.targets(link.kind, link.ns), link.title);
    }
    for (const member of members) {
      this.members.remove(member.category, member);
      this.membersByTime.remove(member.category, member);
    }
    for (const revision of revisions) this.#removeRevision(revision);
  }

  /** Applies all changes to lists, so that the next request takes no longer than others. */
  sort(): void {
    const { titles, links, backlinks, targets, members, membersByTime, historyOf, byUser } = this;
    for (const groups of [titles, links, backlinks, targets, members, membersByTime, historyOf, byUser]) groups.sort();
    for (const list of [this.shuffled, this.history, this.userNames]) void list.all;
  }

  page(id: number): StoredPage | undefined {
    return this.#entries.get(id)?.page;
  }

  /** All pages, in the order in which they were added. */
  get pages(): Iterable<StoredPage> {
    return [...this.#entries.values()].map(({ page }) => page);
  }

  /** A user who has written a revision. */
  user(name: string): ContentUser | undefined {
    const revisions = this.byUser.all(name);
    const [first] = revisions;
    const { userid: id = 0 } = revisions.at(-1) ?? {};
    return first && { name, id, edits: revisions.length, registration: first.timestamp };
  }

  #addRevision(revision: ContentRevision): void {
    const { id, page, user, userid = 0 } = revision;
    if (this.revisions.has(id))
      throw new TypeError(`memoryContent: two revisions have the id ${id}. Change one of them.`);
    this.revisions.set(id, revision);
    this.history.add(revision);
    this.historyOf.add(String(page), revision);
    if (user === undefined) return;
    if (this.byUser.add(user, revision)) this.userNames.add(user);
    if (userid > 0) this.userIds.set(userid, user);
  }

  #removeRevision(revision: ContentRevision): void {
    const { id, page, user } = revision;
    this.revisions.delete(id);
    this.history.remove(revision);
    this.historyOf.remove(String(page), revision);
    if (user !== undefined && this.byUser.remove(user, revision)) this.userNames.remove(user);
  }
}
