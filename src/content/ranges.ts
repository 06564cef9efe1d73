import type { ContentTitle, LinkKind } from './entities.js';

/**
 * A range of a list. `from` and `to` are inclusive, and reading starts at `from`, which is the greater one if
 * `descending` is set. Text is compared by code points, as `COLLATE "C"` and `COLLATE BINARY` do.
 */
export interface ContentRange<Key> {
  /** The first key. Default: the first row. */
  readonly from?: Key | undefined;
  /** The last key. Default: the last row. */
  readonly to?: Key | undefined;
  /** Whether to read from the greatest key to the smallest. */
  readonly descending: boolean;
  /** The number of rows to return, if there are as many. */
  readonly limit: number;
}

/** The pages to find. Each list may be empty. */
export interface ContentPageQuery {
  /** Titles of pages. */
  readonly titles: readonly ContentTitle[];
  /** Ids of pages. */
  readonly ids: readonly number[];
  /** Revision ids whose pages are to be found, with `revids` set. */
  readonly revids: readonly number[];
}

/** A range of the pages of a namespace; `from` and `to` are titles. */
export interface ContentPageRange extends ContentRange<string> {
  /** The namespace. */
  readonly ns: number;
  /** A hint: `true` if only redirects are needed, `false` if only other pages. */
  readonly redirects?: boolean | undefined;
  /** A hint: the least and the greatest size in bytes. */
  readonly size?: readonly [least: number, most: number] | undefined;
  /** A hint: `true` if only pages with language links are needed, `false` if only other pages. */
  readonly languages?: boolean | undefined;
  /** A hint: only pages of files are needed that have this size, one of these media types, and this SHA-1 hash. */
  readonly file?:
    | {
        readonly size?: readonly [least: number, most: number] | undefined;
        readonly mime?: readonly string[] | undefined;
        readonly sha1?: string | undefined;
      }
    | undefined;
}

/** A range of all pages in random order. */
export interface ContentShuffledRange extends ContentRange<readonly [number: number, id: number]> {
  /** A hint: the namespaces. */
  readonly namespaces?: readonly number[] | undefined;
  /** A hint: `true` if only redirects are needed, `false` if only other pages. */
  readonly redirects?: boolean | undefined;
  /** A hint: the least and the greatest size in bytes. */
  readonly size?: readonly [least: number, most: number] | undefined;
  /** A hint: the content model. */
  readonly model?: string | undefined;
}

/** The revisions to find. */
export interface ContentRevisionQuery {
  /** Ids of revisions. */
  readonly ids: readonly number[];
  /** Whether their text is needed. */
  readonly text: boolean;
}

/** A range of all revisions, or those of a page or of a user. */
export interface ContentHistoryRange extends ContentRange<readonly [timestamp: string, id: number]> {
  /** Only revisions of this page. */
  readonly page?: number;
  /** Only revisions by this user. */
  readonly user?: string | undefined;
  /** A hint: only the latest revision of each page is needed. */
  readonly latest?: boolean;
  /** A hint: only revisions of pages in these namespaces are needed. */
  readonly namespaces?: readonly number[] | undefined;
  /** A hint: `true` if only the first revision of each page is needed, `false` if only others. */
  readonly first?: boolean | undefined;
  /** A hint: `true` if only minor edits are needed, `false` if only others. */
  readonly minor?: boolean | undefined;
  /** A hint: `true` if only edits by users without an account are needed, `false` if only others. */
  readonly anonymous?: boolean | undefined;
  /** A hint: revisions by this user are not needed. */
  readonly excludeUser?: string | undefined;
  /** Whether their text is needed. */
  readonly text: boolean;
}

/** A range of the log. The hints allow a source to omit other entries. */
export interface ContentLogRange extends ContentRange<readonly [timestamp: string, id: number]> {
  /** A hint: the type that is needed. */
  readonly type?: string | undefined;
  /** A hint: the user whose entries are needed. */
  readonly user?: string | undefined;
  /** A hint: the page whose entries are needed. */
  readonly page?: number | undefined;
}

/** A range of the links of pages. */
export interface ContentLinkRange extends ContentRange<readonly [page: number, ns: number, title: string]> {
  /** Which links. */
  readonly kind: LinkKind;
  /** The ids of the pages that contain the links. */
  readonly pages: readonly number[];
  /** A hint: of each page, only the first link whose title is this one or greater is needed. */
  readonly one?: string;
  /** A hint: the targets. */
  readonly targets?: readonly ContentTitle[] | undefined;
  /** A hint: the namespaces of the targets. */
  readonly namespaces?: readonly number[] | undefined;
  /** A hint, only for kinds whose `ns` is 0: how the titles begin. */
  readonly prefix?: string | undefined;
  /** A hint: how the titles end. */
  readonly suffix?: string | undefined;
}

/** A range of users, by name. */
export interface ContentUserRange extends ContentRange<string> {
  /** `recent` is needed, counted from this time on. A hint: only users with recent edits are needed. */
  readonly since?: string | undefined;
  /** A hint: of each user, only `id` and `name` are needed. */
  readonly brief?: boolean;
  /** A hint: `true` if only users with an account are needed, `false` if only others. */
  readonly accounts?: boolean | undefined;
}

/** A range of the links to targets. */
export interface ContentBacklinkRange extends ContentRange<readonly [ns: number, title: string, page: number]> {
  /** Which links. */
  readonly kind: LinkKind;
  /** The targets. */
  readonly targets: readonly ContentTitle[];
  /** A hint: the namespaces of the linking pages. */
  readonly namespaces?: readonly number[] | undefined;
  /** A hint: `true` if only redirects are needed, `false` if only other pages. */
  readonly redirects?: boolean | undefined;
  /** A hint: `true` if only links with a `text` are needed, `false` if only others. */
  readonly withText?: boolean | undefined;
}

/** A range of the targets of a kind. */
export interface ContentTargetRange extends ContentRange<readonly [title: string, page: number]> {
  /** Which links. */
  readonly kind: LinkKind;
  /** The namespace of the targets. */
  readonly ns: number;
  /** Whether to return each target once: its `page` is then 0, as are the pages of `from` and `to`. */
  readonly unique: boolean;
  /** A hint: the namespaces of the linking pages. Never with `unique`. */
  readonly namespaces?: readonly number[] | undefined;
  /** A hint: how the titles end. Never with `unique`. */
  readonly suffix?: string | undefined;
  /** A hint: the least and the greatest number of members of a category. Only with `unique`. */
  readonly members?: readonly [least: number, most: number] | undefined;
}

/** A range of the members of a category. */
export type ContentMemberRange = {
  /** The category's title, without the namespace. */
  readonly category: string;
  /** A hint: the namespaces of the members. */
  readonly namespaces?: readonly number[] | undefined;
} & (
  | ({
      /** The order. */
      readonly by: 'sortkey';
    } & ContentRange<readonly [type: number, sortkey: string, page: number]>)
  | ({
      /** The order. */
      readonly by: 'time';
    } & ContentRange<readonly [timestamp: string, page: number]>)
);
