import type { ListPage, ListRequest } from '../core/base/ports.js';

/** The last number of a page, and the last number when the first page was read. */
const CURSOR = /^(\d{1,15})-(\d{1,15})$/;

/** Arrays shorter than this are copied, because `push` reserves space for 16 more, and most owners have a few grants. */
const SHORT = 8;

const appended = <T>(list: T[], one: T): T[] => {
  if (list.length < SHORT) return [...list, one];
  list.push(one);
  return list;
};

/** The keys of a group with their numbers, in ascending order. A deleted key leaves a gap until half of them are gaps. */
class Group {
  readonly name: string;
  #keys: (string | undefined)[] = [];
  #numbers: number[] = [];
  #gaps = 0;

  constructor(name: string) {
    this.name = name;
  }

  get isEmpty(): boolean {
    return this.#gaps === this.#keys.length;
  }

  /** @param number - Greater than all before. */
  add(key: string, number: number): void {
    this.#keys = appended(this.#keys, key);
    this.#numbers = appended(this.#numbers, number);
  }

  delete(number: number): void {
    this.#keys[this.#placeAfter(number) - 1] = undefined;
    this.#gaps += 1;
    if (this.#gaps * 2 > this.#keys.length) this.#closeGaps();
  }

  /** @param end - Greater numbers are left out, so that paging ends even if keys are added all the time. */
  page(after: number, end: number, limit: number): ListPage {
    const keys: string[] = [];
    let last = after;
    const stop = this.#placeAfter(end);
    for (let place = this.#placeAfter(after); place < stop; place += 1) {
      const key = this.#keys[place];
      if (key === undefined) continue;
      if (keys.length === limit) return { keys, next: `${last}-${end}` };
      keys.push(key);
      last = this.#numbers[place] ?? last;
    }
    return { keys };
  }

  /** The place behind all numbers up to this one. */
  #placeAfter(number: number): number {
    let low = 0;
    let high = this.#numbers.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#numbers[middle] ?? 0) > number) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #closeGaps(): void {
    this.#numbers = this.#numbers.filter((_number, place) => this.#keys[place] !== undefined);
    this.#keys = this.#keys.filter((key) => key !== undefined);
    this.#gaps = 0;
  }
}

/** The groups of a key, and its number there. */
export interface Membership {
  readonly number: number;
  readonly groups: readonly Group[];
}

/**
 * The groups of keys, in the memory of one process. Each added key gets the next number, by which pages are ordered: adding takes the
 * same time whatever the size of the group.
 */
export class MemoryGroups {
  readonly #groups = new Map<string, Group>();
  #last = 0;

  /**
   * The key must not be in a group yet.
   *
   * @returns what {@link remove} needs.
   */
  add(key: string, names: readonly string[]): Membership {
    const number = (this.#last += 1);
    const groups = names.filter((name, at) => names.indexOf(name) === at).map((name) => this.#groupOf(name));
    for (const group of groups) group.add(key, number);
    return { number, groups };
  }

  remove({ number, groups }: Membership): void {
    for (const group of groups) {
      group.delete(number);
      if (group.isEmpty) this.#groups.delete(group.name);
    }
  }

  /** @throws TypeError if `after` is not the `next` of a page. */
  page(name: string, { after = `0-${this.#last}`, limit }: ListRequest): ListPage {
    const [, start, end] = CURSOR.exec(after) ?? [];
    if (start === undefined) throw new TypeError('list: after must be the next of the previous page.');
    return this.#groups.get(name)?.page(Number(start), Number(end), limit) ?? { keys: [] };
  }

  #groupOf(name: string): Group {
    const known = this.#groups.get(name);
    if (known !== undefined) return known;
    const group = new Group(name);
    this.#groups.set(name, group);
    return group;
  }
}
