import { createHash } from 'node:crypto';
import type { RedirectTarget } from '../../core/query/index.js';
import { memberType, shuffleOf, sortkeyOf, titleId } from '../keys.js';
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
import { WordIndex } from './word-index.js';

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
type StoredPage = ContentPage & { readonly text: string; readonly shuffle: number };

/** A link, with its page. */
export type StoredLink = ContentTitle & {
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

const revisionsOf = (page: MemoryPage, id: number, firstId: number): readonly ContentRevision[] => {
  const { text, timestamp = '2000-01-01T00:00:00Z', user, userid = 0, comment = '', model } = page;
  const latest: MemoryRevision = {
    text,
    timestamp,
    comment,
    ...(user !== undefined && { user, userid }),
    ...(model && { model }),
  };
  const rows: ContentRevision[] = [];
  for (const given of page.history ?? [latest]) {
    const parent = rows.at(-1)?.id ?? 0;
    const sha1 = createHash('sha1').update(given.text).digest('hex');
    const facts = { id: given.id ?? firstId + rows.length, page: id, size: Buffer.byteLength(given.text), sha1 };
    rows.push({ timestamp, parent, ...given, ...facts });
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
  readonly words = new WordIndex();

  /** @throws TypeError if another page has its title or id, or a revision its id. */
  add(given: MemoryPage, id: number, firstId = 1): StoredPage {
    const { ns = 0, title, redirect, model, text } = given;
    const name = titleId({ ns, title });
    if (this.#entries.has(id) || this.byTitle.has(name)) {
      throw new TypeError(
        `memoryContent: two pages have the id ${id} or the title "${title}" in namespace ${ns}. Change one of them.`,
      );
    }
    const revisions = revisionsOf(given, id, firstId);
    for (const revision of revisions) {
      if (this.revisions.has(revision.id))
        throw new TypeError(`memoryContent: two revisions have the id ${revision.id}. Change one of them.`);
      this.revisions.set(revision.id, revision);
    }
    const latest = revisions.at(-1);
    const page: StoredPage = {
      ...{ id, ns, title, text, shuffle: shuffleOf(name), ...(redirect && { redirect }), ...(model && { model }) },
      ...(latest && { revid: latest.id, length: latest.size, touched: latest.timestamp }),
    };
    const links = (given.links ?? []).map((link): StoredLink => ({ ...link, page: id, of: page }));
    const members = links.flatMap(({ kind, title: category, text: prefix = '' }) =>
      kind === 'category'
        ? [{ category, page, prefix, sortkey: sortkeyOf(prefix, title), timestamp: page.touched ?? '' }]
        : [],
    );
    const file = given.file && { ...given.file, title };
    const entry = { page, links, members, revisions, file };
    this.#entries.set(id, entry);
    this.byTitle.set(name, page);
    if (file) this.files.set(title, file);
    for (const { user, userid = 0 } of revisions) if (user !== undefined && userid > 0) this.userIds.set(userid, user);
    this.words.add(page);
    this.#change('add', entry);
    return page;
  }

  /** Removes a page, and its revisions. */
  remove(id: number): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    this.#entries.delete(id);
    this.byTitle.delete(titleId(entry.page));
    if (entry.file) this.files.delete(entry.file.title);
    for (const revision of entry.revisions) this.revisions.delete(revision.id);
    this.words.remove(id);
    this.#change('remove', entry);
  }

  /** Adds the rows of a page to all lists, or removes them. A group that is new, or now gone, is in a list itself. */
  #change(how: 'add' | 'remove', { page, links, members, revisions }: Entry): void {
    this.titles[how](String(page.ns), page);
    this.shuffled[how](page);
    for (const link of links) {
      const { kind, ns, title } = link;
      this.links[how](groupOf.links(kind, page.id), link);
      if (this.backlinks[how](groupOf.backlinks(kind, ns, title), link)) {
        this.targets[how](groupOf.targets(kind, ns), title);
      }
    }
    for (const member of members) {
      this.members[how](member.category, member);
      this.membersByTime[how](member.category, member);
    }
    for (const revision of revisions) {
      this.history[how](revision);
      this.historyOf[how](String(page.id), revision);
      const { user } = revision;
      if (user !== undefined && this.byUser[how](user, revision)) this.userNames[how](user);
    }
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
}
