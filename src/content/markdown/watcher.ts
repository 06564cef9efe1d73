import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';

/** Watches a folder and its subfolders, with one watcher per folder. */
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

  /** Starts watching a folder, and stops watching a previous one with the same path. */
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

  /** Stops watching all other folders. */
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
