import type { ListPage, ListRequest } from '../core/base/ports.js';

/** The last number of a page, and the last number when the first page was read. */
const CURSOR = /^(\d{1,15})-(\d{1,15})$/;

/** A key in its groups, and its number there: keys that are added later have greater ones. */
export interface Listing {
  readonly key: string;
  readonly names: readonly string[];
  readonly number: number;
}

/** A group with several keys. Their listings share its name. */
class Group {
  readonly name: string;
  readonly listings = new Map<number, Listing>();

  constructor(name: string, first: Listing) {
    this.name = name;
    this.listings.set(first.number, first);
  }
}

/** The same text as a single string: a concatenated one would keep its parts in memory for as long as it lives. */
export const inOnePiece = (text: string): string => [text.slice(0, 1), text.slice(1)].join('');

/** The groups of keys. Adding takes the same time whatever the size of the group; a page takes a walk from its beginning. */
export class MemoryGroups {
  /** Most groups have one key, such as the grants of an owner; a {@link Group} for it would take more memory than its record. */
  readonly #groups = new Map<string, Listing | Group>();
  #last = 0;

  /** The key must not be in a group yet. */
  add(key: string, names: readonly string[]): Listing {
    const found = names.map((name) => this.#groups.get(name));
    const listing = {
      key,
      names: names.map((name, index) => {
        const group = found[index];
        return group instanceof Group ? group.name : inOnePiece(name);
      }),
      number: (this.#last += 1),
    };
    for (const [index, name] of listing.names.entries()) {
      const group = found[index];
      if (group === undefined) this.#groups.set(name, listing);
      else {
        const several = group instanceof Group ? group : new Group(name, group);
        several.listings.set(listing.number, listing);
        if (several !== group) this.#groups.set(name, several);
      }
    }
    return listing;
  }

  remove(listing: Listing): void {
    for (const name of listing.names) {
      const group = this.#groups.get(name);
      if (group instanceof Group) group.listings.delete(listing.number);
      if (group === listing || (group instanceof Group && group.listings.size === 0)) this.#groups.delete(name);
    }
  }

  /**
   * Keys added after the first page was read are left out, so that paging ends even if keys are added all the time. A position that
   * is not the `next` of a page may come from a changed URL: it is the first page, because an error would look like an outage.
   */
  page(name: string, { after = '', limit }: ListRequest): ListPage {
    const [, start, end] = CURSOR.exec(after) ?? [after, 0, this.#last];
    const keys: string[] = [];
    let last = Number(start);
    const group = this.#groups.get(name);
    for (const { key, number } of group instanceof Group ? group.listings.values() : group ? [group] : []) {
      if (number <= Number(start)) continue;
      if (number > Number(end)) break;
      if (keys.length === limit) return { keys, next: `${last}-${end}` };
      keys.push(key);
      last = number;
    }
    return { keys };
  }
}
