import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  type Stats,
} from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { compareText } from '../keys.js';
import { mediaType } from '../media-types.js';
import { isMarkdown } from './titles.js';

/** A file found in the folder. */
export interface FoundFile {
  /** Relative to the folder, with slashes. */
  readonly path: string;
  /** Changes whenever the file does. */
  readonly stamp: string;
  /** The inode, to detect that the file was replaced. */
  readonly inode: number;
  /** Bytes. */
  readonly size: number;
  /** The modification time in milliseconds since the epoch. */
  readonly changed: number;
  /** The media type of an image, a sound, a video or a document; `undefined` for Markdown. */
  readonly mime: string | undefined;
}

/** The result of a scan. */
export interface ScanResult {
  /** By path. */
  readonly files: readonly FoundFile[];
  /** A sentence about each path that is skipped. */
  readonly problems: readonly string[];
}

/** The limits of a scan. */
export interface Bounds {
  /** The maximum number of files and folders. */
  readonly files: number;
  /** The maximum size of a Markdown file in bytes. */
  readonly fileBytes: number;
}

/** The folder has more files than `maxFiles`. */
export class TooManyFiles extends Error {
  /** Always `TooManyFiles`. */
  override readonly name = 'TooManyFiles';
}

/** Folders that are skipped. */
const FOREIGN = new Set(['node_modules']);

/** The number of entries per batch, after which the event loop runs. */
const PIECE = 500;

/**
 * Scans a folder recursively, without following symbolic links. Names that start with a dot and `node_modules` are
 * skipped.
 *
 * @param entering - Called before a folder is listed, to start watching it.
 * @throws TooManyFiles if a limit is exceeded, Error if the folder cannot be read.
 */
export const scan = async (root: string, bounds: Bounds, entering: (path: string) => void): Promise<ScanResult> => {
  const files: FoundFile[] = [];
  const problems: string[] = [];
  const open = [''];
  let seen = 0;
  let folders = 0;
  let programs = 0;
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    folders += 1;
    const place = join(root, path);
    const names = listing(place, path, entering);
    if (typeof names === 'string') problems.push(`${path}: ${names}`);
    for (const entry of typeof names === 'string' ? [] : names) {
      seen += 1;
      if (seen % PIECE === 0) await setImmediate();
      const { name } = entry;
      if (name.startsWith('.')) continue;
      const inner = path === '' ? name : `${path}/${name}`;
      const mime = mediaType(name);
      if (name.includes('\ufffd')) problems.push(`${inner}: Skipped: its name is not UTF-8.`);
      else if (entry.isDirectory() && !FOREIGN.has(name)) open.push(inner);
      else if (entry.isSymbolicLink()) problems.push(`${inner}: Skipped: symbolic links are not followed.`);
      else if (entry.isFile() && /\.mdx$/i.test(name)) programs += 1;
      else if (entry.isFile() && (mime !== undefined || isMarkdown(name))) {
        const found = look(join(place, name), inner, mime, bounds);
        if (typeof found === 'string') problems.push(`${inner}: ${found}`);
        else if (found) files.push(found);
      }
    }
    if (files.length + folders + open.length > bounds.files) {
      throw new TooManyFiles(
        `${root} has more than ${bounds.files} files and folders. Use a smaller folder, or raise maxFiles.`,
      );
    }
  }
  if (programs > 0) problems.push(`${root}: Files in MDX are skipped, because they contain code: ${programs}.`);
  return { files: files.sort((a, b) => compareText(a.path, b.path)), problems };
};

/** The entries of a folder, or why it cannot be listed. A folder removed meanwhile is empty, except the root. */
const listing = (place: string, path: string, entering: (path: string) => void) => {
  try {
    // The folder may have been replaced with a symbolic link.
    if (realpathSync(place) !== place) return 'Skipped: symbolic links are not followed.';
    entering(path);
    return readdirSync(place, { withFileTypes: true });
  } catch (error) {
    if (path === '') throw error;
    return isGone(error) ? [] : `Cannot be read: ${codeOf(error)}.`;
  }
};

const look = (
  place: string,
  path: string,
  mime: string | undefined,
  bounds: Bounds,
): FoundFile | string | undefined => {
  try {
    const stats = lstatSync(place);
    const { ino: inode, size, mtimeMs: changed } = stats;
    if (mime === undefined && size > bounds.fileBytes) {
      return `Skipped: the file has ${size} bytes, more than ${bounds.fileBytes}. Split it, or raise maxFileBytes.`;
    }
    return { path, stamp: stampOf(stats), inode, size, changed, mime };
  } catch (error) {
    return isGone(error) ? undefined : `It cannot be read: ${codeOf(error)}.`;
  }
};

const stampOf = ({ ino, size, mtimeMs, ctimeMs }: Stats): string => `${ino} ${size} ${mtimeMs} ${ctimeMs}`;

/** The content of a file, and its times. */
export interface ReadFile {
  readonly bytes: Buffer;
  /** See `FoundFile.stamp`, after it was read. */
  readonly stamp: string;
  /** Milliseconds since the epoch. */
  readonly changed: number;
  /** The change time (ctime) in milliseconds. */
  readonly settledAt: number;
}

/** How often a file is read that changes meanwhile. */
const MAX_READS = 3;

/** Reads a file of a scan. Returns `undefined` if it was removed or replaced, or the reason why it cannot be read. */
export const readFound = (root: string, { path, inode }: FoundFile, bounds: Bounds): ReadFile | string | undefined => {
  let file: number | undefined;
  try {
    // Does not follow links, nor block on a pipe.
    file = openSync(join(root, path), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    for (let reads = 1; ; reads += 1) {
      const stats = fstatSync(file);
      if (!stats.isFile() || stats.ino !== inode) return undefined;
      const bytes = Buffer.allocUnsafe(Math.min(stats.size, bounds.fileBytes));
      let length = 0;
      for (let read = -1; read !== 0 && length < bytes.length; length += read) {
        read = readSync(file, bytes, length, bytes.length - length, length);
      }
      const stamp = stampOf(fstatSync(file));
      if (stamp !== stampOf(stats) && reads < MAX_READS) continue;
      return { bytes: bytes.subarray(0, length), stamp, changed: stats.mtimeMs, settledAt: stats.ctimeMs };
    }
  } catch (error) {
    return isGone(error) ? undefined : `It cannot be read: ${codeOf(error)}.`;
  } finally {
    if (file !== undefined) closeSync(file);
  }
};

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error);

/** Whether the file was renamed, removed or replaced, which the next scan handles. */
const isGone = (error: unknown): boolean => ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(error));
