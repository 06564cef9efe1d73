import type { Clock, Store } from '../../src/core/base/ports.js';

/** The plainest right store, for the tests of the contract suite. */
export function plainStore(rows: Rows, clock: Clock): Required<Store> {
  const live = (key: string): Row | undefined => {
    const row = rows.get(key);
    return row && row.expiresAt > clock() ? row : undefined;
  };
  return {
    async add(key, value, expiresAt, groups = []) {
      if (expiresAt <= clock() || live(key)) return false;
      rows.set(key, { json: JSON.stringify(value), expiresAt, groups });
      return true;
    },
    async swap(key, before, value, expiresAt) {
      const row = live(key);
      const rev: unknown = row && JSON.parse(row.json).rev;
      if (row === undefined || expiresAt <= clock() || (rev !== before && rev !== value.rev)) return false;
      rows.set(key, { json: JSON.stringify(value), expiresAt, groups: row.groups });
      return true;
    },
    async get(key) {
      const row = live(key);
      return row && JSON.parse(row.json);
    },
    async delete(key) {
      rows.delete(key);
    },
    async getMany(keys) {
      return keys.map((key) => JSON.parse(live(key)?.json ?? 'null') ?? undefined);
    },
    async list(group, { after = '', limit }) {
      const isListed = (key: string): boolean => key > after && live(key)?.groups.includes(group) === true;
      const keys = [...rows.keys()].filter(isListed).sort().slice(0, limit);
      return keys.length < limit ? { keys } : { keys, next: keys.at(-1) };
    },
  };
}

export interface Row {
  readonly json: string;
  readonly expiresAt: number;
  readonly groups: readonly string[];
}

/** What all stores over one place share. */
export type Rows = Map<string, Row>;

/** What is wrong with a store, and the case of the contract that must find it. */
export interface Sabotaged {
  readonly found: string;
  readonly sabotage: Sabotage;
}

/** Functions of a store that are wrong, made from what is right. */
export type Sabotage = (good: Required<Store>, rows: Rows, clock: Clock) => Partial<Store>;
