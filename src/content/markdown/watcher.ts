import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';

/** Changes are reported after a quiet period of this length, but no later than the maximum delay. */
const QUIET_MS = 50;
const MAX_DELAY_MS = 500;

/** How long after a scan a folder that cannot be watched is scanned again. */
const POLL_MS = 1_000;

/** Watches the folders of each scan. Events carry no information that is used: they only cause another scan. */
export class Watcher {
  readonly #root: string;
  readonly #scan: () => Promise<void>;
  readonly #failed: (sentence: string) => void;
  #watching: FSWatcher[] = [];
  #next: FSWatcher[] = [];
  #isFailing = false;
  #wasFailing = false;
  #isDirty = false;
  #isFollowing = false;
  #isClosed = false;

  /** @param scan - Scans the folder. */
  constructor(root: string, scan: () => Promise<void>, failed: (sentence: string) => void) {
    this.#root = root;
    this.#scan = scan;
    this.#failed = failed;
  }

  /** Starts watching a folder of the scan that is running, before its files are listed. */
  enter(path: string): void {
    if (this.#isClosed) return;
    try {
      const watcher = watch(join(this.#root, path), { persistent: false }, () => this.#changed());
      watcher.on('error', () => this.#changed());
      this.#next.push(watcher);
    } catch (error) {
      // For example, the system limits the number of watched folders.
      if (!this.#isFailing && !this.#wasFailing) {
        const reason = error instanceof Error ? error.message : String(error);
        this.#failed(`${this.#root} is read again every second, because it cannot be watched: ${reason}`);
      }
      this.#isFailing = true;
    }
  }

  /** Ends a scan: stops watching the folders of the previous one. A folder that cannot be read is tried again. */
  scanned(isRead: boolean): void {
    for (const watcher of this.#watching) watcher.close();
    [this.#watching, this.#next] = [this.#next, []];
    [this.#wasFailing, this.#isFailing] = [this.#isFailing || !isRead, false];
    if (this.#wasFailing) this.again(POLL_MS);
  }

  /** Scans again after this time. */
  again(milliseconds: number): void {
    setTimeout(() => this.#changed(), milliseconds).unref();
  }

  close(): void {
    this.#isClosed = true;
    for (const watcher of [...this.#watching, ...this.#next]) watcher.close();
  }

  #changed(): void {
    this.#isDirty = true;
    if (this.#isFollowing || this.#isClosed) return;
    this.#isFollowing = true;
    void this.#follow().finally(() => (this.#isFollowing = false));
  }

  /** Changes during a scan cause another one. */
  async #follow(): Promise<void> {
    while (this.#isDirty && !this.#isClosed) {
      for (let waited = 0; this.#isDirty && waited < MAX_DELAY_MS; waited += QUIET_MS) {
        this.#isDirty = false;
        await new Promise<void>((resolve) => void setTimeout(resolve, QUIET_MS).unref());
      }
      this.#isDirty = false;
      if (!this.#isClosed) await this.#scan();
    }
  }
}
