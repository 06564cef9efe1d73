import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';

/** Notices changes in a folder and in those below it: one watcher for each, as the file system gives them. */
export class Watcher {
  readonly #root: string;
  readonly #changed: () => void;
  readonly #failed: (path: string, error: unknown) => void;
  readonly #watching = new Map<string, { readonly inode: number; readonly watcher: FSWatcher }>();

  constructor(root: string, changed: () => void, failed: (path: string, error: unknown) => void) {
    this.#root = root;
    this.#changed = changed;
    this.#failed = failed;
  }

  /** Watches a folder from now on. One of the same name that was there before is no longer watched. */
  enter(path: string, inode: number): void {
    const known = this.#watching.get(path);
    if (known?.inode === inode) return;
    this.#leave(path);
    try {
      const watcher = watch(join(this.#root, path), { persistent: false });
      watcher.on('change', this.#changed);
      watcher.on('error', () => {
        this.#leave(path);
        this.#changed();
      });
      this.#watching.set(path, { inode, watcher });
    } catch (error) {
      this.#failed(path, error);
    }
  }

  /** Leaves every folder but these. */
  keep(folders: ReadonlyMap<string, number>): void {
    for (const path of this.#watching.keys()) if (!folders.has(path)) this.#leave(path);
  }

  close(): void {
    for (const path of this.#watching.keys()) this.#leave(path);
  }

  #leave(path: string): void {
    this.#watching.get(path)?.watcher.close();
    this.#watching.delete(path);
  }
}
