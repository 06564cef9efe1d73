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
