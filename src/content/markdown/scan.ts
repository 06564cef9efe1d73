import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isMarkdown } from './titles.js';

/** A file as it was found. */
export interface FoundFile {
  /** From the folder on, with slashes. */
  readonly path: string;
  /** Changes whenever the file does. */
  readonly stamp: string;
  /** The inode, so that no other file is read under the name. */
  readonly inode: number;
}

/** What a walk through the folder has found. */
export interface Found {
  readonly files: readonly FoundFile[];
  /** Every folder, as its path from the folder on, with what tells it from another of that name. */
  readonly folders: ReadonlyMap<string, number>;
  /** Sentences about what was left out, by path. */
  readonly problems: readonly (readonly [path: string, message: string])[];
}

/** How much is read. */
export interface Bounds {
  /** Files and folders. */
  readonly files: number;
  /** Bytes of one file. */
  readonly fileBytes: number;
}

/** There are more files than are wanted. */
export class TooManyFiles extends Error {
  /** Always `TooManyFiles`. */
  override readonly name = 'TooManyFiles';
}

/** Names of folders whose Markdown belongs to others. */
const FOREIGN = new Set(['node_modules']);

/** So many names are looked at before others have their turn. */
const PIECE = 500;

/**
 * Walks through a folder, without following a symbolic link. What begins with a dot and `node_modules` are passed over.
 *
 * @param entering - Called before a folder is listed, so that it can be watched from then on.
 * @throws TooManyFiles when there are more than the bounds allow, Error when the folder cannot be read.
 */
export async function scan(
  root: string,
  bounds: Bounds,
  entering: (path: string, inode: number) => void,
): Promise<Found> {
  const files: FoundFile[] = [];
  const folders = new Map<string, number>();
  const problems: (readonly [string, string])[] = [];
  const open = [''];
  let seen = 0;
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const place = join(root, path);
    const names = listing(place, path, (inode) => {
      folders.set(path as string, inode);
      entering(path as string, inode);
    });
    if (typeof names === 'string') problems.push([path, names]);
    for (const entry of typeof names === 'string' ? [] : names) {
      seen += 1;
      if (seen % PIECE === 0) await setImmediate();
      const { name } = entry;
      if (name.startsWith('.')) continue;
      const inner = path === '' ? name : `${path}/${name}`;
      if (name.includes('\ufffd')) problems.push([inner, 'Its name is not UTF-8.']);
      else if (entry.isDirectory() && !FOREIGN.has(name)) open.push(inner);
      else if (entry.isSymbolicLink()) problems.push([inner, 'It is a symbolic link, and none is followed.']);
      else if (entry.isFile() && isMarkdown(name)) {
        const found = look(join(place, name), inner, bounds);
        if (typeof found === 'string') problems.push([inner, found]);
        else if (found) files.push(found);
      }
    }
    if (files.length + folders.size + open.length > bounds.files) {
      throw new TooManyFiles(
        `${root} has more than ${bounds.files} files and folders. Name a smaller folder, or raise maxFiles.`,
      );
    }
  }
  return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), folders, problems };
}

/** The entries of a folder, or why there are none. One that has gone meanwhile is empty; the folder itself has to be there. */
const listing = (place: string, path: string, entering: (inode: number) => void) => {
  try {
    const { ino, dev } = lstatSync(place);
    // A link in the place of a folder would lead elsewhere.
    if (realpathSync(place) !== place) return 'It is a symbolic link, and none is followed.';
    entering(ino ^ dev);
    return readdirSync(place, { withFileTypes: true });
  } catch (error) {
    if (path === '') throw error;
    return isGone(error) ? [] : `It cannot be read: ${codeOf(error)}.`;
  }
};

const look = (place: string, path: string, bounds: Bounds): FoundFile | string | undefined => {
  try {
    const { ino, size, mtimeMs, ctimeMs } = lstatSync(place);
    if (size > bounds.fileBytes) {
      return `It has ${size} bytes, more than ${bounds.fileBytes}. Make several of it, or raise maxFileBytes.`;
    }
    return { path, stamp: `${ino} ${size} ${mtimeMs} ${ctimeMs}`, inode: ino };
  } catch (error) {
    return isGone(error) ? undefined : `It cannot be read: ${codeOf(error)}.`;
  }
};

/** The bytes of a file, and when it was changed. */
export interface ReadFile {
  readonly bytes: Uint8Array;
  /** Milliseconds since the epoch. */
  readonly changed: number;
  /** When anything about it was changed, as the file system says. */
  readonly settledAt: number;
  /** The same as that of {@link FoundFile}, for what was read. */
  readonly stamp: string;
}

/** Reads a file that was found: nothing that has taken its place since. `undefined` when it has gone, or a reason. */
export function readFound(root: string, { path, inode }: FoundFile, bounds: Bounds): ReadFile | string | undefined {
  let file: number | undefined;
  try {
    // Neither a link is followed, nor does a pipe keep it waiting.
    file = openSync(join(root, path), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const stats = fstatSync(file);
    if (!stats.isFile() || stats.ino !== inode) return undefined;
    const bytes = Buffer.allocUnsafe(Math.min(stats.size, bounds.fileBytes));
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(file, bytes, length, bytes.length - length, null);
    }
    const { ino, size, mtimeMs, ctimeMs } = stats;
    return {
      bytes: bytes.subarray(0, length),
      changed: mtimeMs,
      settledAt: ctimeMs,
      stamp: `${ino} ${size} ${mtimeMs} ${ctimeMs}`,
    };
  } catch (error) {
    return isGone(error) ? undefined : `It cannot be read: ${codeOf(error)}.`;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error);

/** Renamed or removed, or no longer what it was: the next walk sees it as it is. */
const isGone = (error: unknown): boolean => ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(error));
