import { SortedKeys } from './sorted-keys.js';

interface Group {
  readonly name: string;
  readonly keys: SortedKeys;
}

/** The groups of keys, in the memory of one process. Keys without groups take no space. */
export class MemoryGroups {
  readonly #groups = new Map<string, Group>();
  readonly #groupsOf = new Map<string, readonly Group[]>();

  /** The key must not be in a group yet. */
  add(key: string, names: readonly string[]): void {
    if (names.length === 0) return;
    const groups = names.map((name) => this.#groupOf(name));
    for (const { keys } of groups) keys.add(key);
    this.#groupsOf.set(key, groups);
  }

  remove(key: string): void {
    const groups = this.#groupsOf.get(key);
    if (groups === undefined) return;
    this.#groupsOf.delete(key);
    for (const { name, keys } of groups) {
      keys.delete(key);
      if (keys.isEmpty) this.#groups.delete(name);
    }
  }

  /** The first keys of a group in order, starting after `after` if given. */
  first(count: number, name: string, after: string | undefined): readonly string[] {
    return this.#groups.get(name)?.keys.first(count, after) ?? [];
  }

  #groupOf(name: string): Group {
    const known = this.#groups.get(name);
    if (known !== undefined) return known;
    const group = { name, keys: new SortedKeys() };
    this.#groups.set(name, group);
    return group;
  }
}
