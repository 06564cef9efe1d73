import type { ListPage, ListRequest } from '../core/base/ports.js';

/** The last number of a page, and the last number when the first page was read. */
const CURSOR = /^(\d{1,15})-(\d{1,15})$/;

/** The groups of a key, and its number there: keys that are added later have greater ones. */
export interface Listing {
  readonly names: readonly string[];
  readonly number: number;
}

/** The groups of keys. Adding takes the same time whatever the size of the group; a page takes a walk from its beginning. */
export class MemoryGroups {
  readonly #groups = new Map<string, Map<number, string>>();
  #last = 0;

  /** The key must not be in a group yet. */
  add(key: string, names: readonly string[]): Listing {
    const number = (this.#last += 1);
    for (const name of names) {
      const group = this.#groups.get(name);
      if (group === undefined) this.#groups.set(name, new Map([[number, key]]));
      else group.set(number, key);
    }
    return { names, number };
  }

  remove({ names, number }: Listing): void {
    for (const name of names) {
      const group = this.#groups.get(name);
      if (group?.delete(number) === true && group.size === 0) this.#groups.delete(name);
    }
  }

  /**
   * Keys added after the first page was read are left out, so that paging ends even if keys are added all the time.
   *
   * @throws TypeError if `after` is not the `next` of a page.
   */
  page(name: string, { after = `0-${this.#last}`, limit }: ListRequest): ListPage {
    const [, start, end] = CURSOR.exec(after) ?? [];
    if (start === undefined) throw new TypeError('list: after must be the next of the previous page.');
    const keys: string[] = [];
    let last = Number(start);
    for (const [number, key] of this.#groups.get(name) ?? []) {
      if (number <= Number(start)) continue;
      if (number > Number(end)) break;
      if (keys.length === limit) return { keys, next: `${last}-${end}` };
      keys.push(key);
      last = number;
    }
    return { keys };
  }
}
