import { compareText } from '../keys.js';
import type { FoundFile } from './scan.js';

/** How long a file must not have changed before its change is served, in milliseconds. */
export const SETTLE_MS = 300;

/** A file that never rests is taken after as many changes: a log, for example. */
const MAX_CHANGES = 100;

/** A change that is not served yet. */
interface Change {
  /** Of the file; empty if it is gone. */
  readonly stamp: string;
  readonly since: number;
  readonly changes: number;
}

/** The files of a folder as they are served. */
interface Settled {
  /** By path. One that is changing is the one of before. */
  readonly files: readonly FoundFile[];
  /** The paths of those that are changing. */
  readonly held: ReadonlySet<string>;
}

/**
 * Holds changes back until they have rested for a moment, because a file that is being written is half a file, and one that
 * an editor replaces is gone for a moment. The clock decides when a change is served, not what.
 */
export class Settling {
  #served: ReadonlyMap<string, FoundFile> = new Map();
  #changing = new Map<string, Change>();

  /** Takes all files as they are. */
  take(found: readonly FoundFile[]): Settled {
    this.#changing.clear();
    return this.#serve(found, new Set());
  }

  /** @param now - In milliseconds of a clock that never goes back. */
  hold(found: readonly FoundFile[], now: number): Settled {
    const files = new Map(found.map((file) => [file.path, file]));
    const held = new Set<string>();
    for (const path of new Set([...this.#served.keys(), ...this.#changing.keys(), ...files.keys()])) {
      const [file, served] = [files.get(path), this.#served.get(path)];
      if (file?.stamp === served?.stamp || this.#hasSettled(path, file?.stamp ?? '', now)) this.#changing.delete(path);
      else {
        held.add(path);
        files.delete(path);
        if (served) files.set(path, served);
      }
    }
    return this.#serve(
      [...files.values()].sort((a, b) => compareText(a.path, b.path)),
      held,
    );
  }

  #hasSettled(path: string, stamp: string, now: number): boolean {
    const before = this.#changing.get(path);
    if (before?.stamp === stamp) return now - before.since >= SETTLE_MS;
    const changes = (before?.changes ?? 0) + 1;
    this.#changing.set(path, { stamp, since: now, changes });
    return changes > MAX_CHANGES;
  }

  #serve(files: readonly FoundFile[], held: ReadonlySet<string>): Settled {
    this.#served = new Map(files.map((file) => [file.path, file]));
    return { files, held };
  }
}
