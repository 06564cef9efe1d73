import type { RedirectTarget } from '../core/query/index.js';

/** The title of a page that may or may not exist. */
export interface ContentTitle {
  /** The namespace id; 0 is the main namespace. */
  readonly ns: number;
  /** Without the namespace, with spaces: `Main Page`. */
  readonly title: string;
}

/** A page that exists. */
export interface ContentPage extends ContentTitle {
  /** 1 or higher. Ids must be stable, and never reused. */
  readonly id: number;
  /** Its target, if it is a redirect: the full title, with its namespace. */
  readonly redirect?: RedirectTarget | undefined;
  /** The id of its latest revision. Without it, the page has no text. */
  readonly revid?: number;
  /** The size of its text in bytes. */
  readonly length?: number;
  /** The time of the last change: `2024-05-06T07:08:09Z`. */
  readonly touched?: string;
  /** The content model of its text. Default `wikitext`. */
  readonly model?: string;
  /** The requested revision ids that belong to it. Absent if the query names none. */
  readonly revids?: readonly number[];
}

/** A revision of a page. */
export interface ContentRevision {
  /** 1 or higher. */
  readonly id: number;
  /** The id of its page. */
  readonly page: number;
  /** The id of the parent revision; 0 for the first. */
  readonly parent?: number;
  /** `2024-05-06T07:08:09Z` */
  readonly timestamp: string;
  /** The author; absent if hidden. */
  readonly user?: string;
  /** The user's id; 0 for a user without an account. Default 0. */
  readonly userid?: number;
  /** Whether it is a minor edit. */
  readonly minor?: boolean;
  /** The summary; absent if hidden. */
  readonly comment?: string;
  /** Bytes. */
  readonly size: number;
  /** The SHA-1 hash of the text, in hexadecimal. */
  readonly sha1?: string;
  /** The content model. Default `wikitext`. */
  readonly model?: string;
  /** The media type of the text. Default `text/x-wiki`. */
  readonly format?: string;
  /** The text, if requested; absent if hidden. */
  readonly text?: string;
}

/**
 * The kind of a link, which determines `title`: the title of the target without its namespace; for `url` the result of
 * `urlTarget`, for `language` and `interwiki` the prefix, a colon and the title there, for `property` the name of the
 * property, each with `ns` 0.
 */
export type LinkKind =
  | 'link'
  | 'template'
  | 'file'
  | 'redirect'
  | 'category'
  | 'url'
  | 'language'
  | 'interwiki'
  | 'property';

/** A link of a page. A page has at most one link of a kind to each target. */
export interface ContentLink extends ContentTitle {
  /** The kind of link. */
  readonly kind: LinkKind;
  /** The section of a link, the sort key prefix in a category, the complete URL, or the value of a property. */
  readonly text?: string;
}

/** A link in a list, with the id of its page. */
export interface LinkRow extends ContentTitle {
  /** The id of the page that contains it. */
  readonly page: number;
  /** See {@link ContentLink.text}. */
  readonly text?: string;
}

/** A page that links to a requested target. */
export interface BacklinkRow {
  /** The target. */
  readonly target: ContentTitle;
  /** The linking page. */
  readonly page: ContentPage;
  /** See {@link ContentLink.text}. */
  readonly text?: string;
}

/** A member of a category. */
export interface MemberRow {
  /** The member. */
  readonly page: ContentPage;
  /** The sort key: see {@link ContentSource.members}. */
  readonly sortkey: string;
  /** The sort key prefix set by the page; empty without one. */
  readonly prefix: string;
  /** When it became a member, if known. */
  readonly timestamp: string;
}

/** The numbers of members of a category. */
export interface CategorySizes {
  /** The category's title, without the namespace. */
  readonly title: string;
  /** Members that are neither files nor categories. */
  readonly pages: number;
  /** Members in namespace 6. */
  readonly files: number;
  /** Members in namespace 14. */
  readonly subcats: number;
}

/** A page found by a search. Matches are between U+0001 and U+0002. */
export interface SearchHit {
  /** The page. */
  readonly page: ContentPage;
  /** An excerpt of the text, with marked matches. Default: from the beginning of the latest text. */
  readonly snippet?: string;
  /** The title, with marked matches. */
  readonly titlesnippet?: string;
  /** The number of words in its text. */
  readonly wordcount?: number;
}

/** A page with its number in the random order. */
export interface ShuffledPage extends ContentPage {
  /** 0 or higher, below 2^31. */
  readonly shuffle: number;
}

/** A file of a page in namespace 6. */
export interface ContentFile {
  /** The title of its page, without the namespace. */
  readonly title: string;
  /** The URL of the file. */
  readonly url: string;
  /** Bytes. */
  readonly size: number;
  /** The media type. */
  readonly mime: string;
  /** In pixels; absent if not applicable. */
  readonly width?: number;
  /** In pixels; absent if not applicable. */
  readonly height?: number;
  /** The time of the upload. */
  readonly timestamp?: string;
  /** The uploader. */
  readonly user?: string;
  /** The SHA-1 hash, in hexadecimal. */
  readonly sha1?: string;
}

/** A user who has edited. */
export interface ContentUser {
  /** The name, as in revisions. */
  readonly name: string;
  /** 0 for a user without an account. */
  readonly id: number;
  /** The number of edits. */
  readonly edits?: number;
  /** When the account was created, if known. */
  readonly registration?: string;
  /** The number of edits since the requested time. */
  readonly recent?: number;
}

/** A log entry, such as an import. */
export interface ContentLogEntry {
  /** 1 or higher. */
  readonly id: number;
  /** The type of the log. */
  readonly type: string;
  /** The action. */
  readonly action: string;
  /** The id of the page. */
  readonly page: number;
  /** The user. */
  readonly user: string;
  /** `2024-05-06T07:08:09Z` */
  readonly timestamp: string;
  /** The reason. */
  readonly comment: string;
  /** Plain JSON data. */
  readonly params: Readonly<Record<string, unknown>>;
}
