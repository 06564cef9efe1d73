import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock, Store } from '../../src/core/base/ports.js';
import { plainStore, type Rows, type Sabotaged } from './plain-store.js';

/** Stores that list wrongly. */
export const LIST_SABOTAGES: Record<string, Sabotaged> = {
  'remembers only the first group': {
    found: 'list returns the keys that were added to the group',
    sabotage: (good) => ({
      add: (key, value, expiresAt, groups = []) => good.add(key, value, expiresAt, groups.slice(0, 1)),
    }),
  },
  'rejects for an unknown group': {
    found: 'list of an unknown group is a page without keys',
    sabotage: (good) => ({
      async list(group, page) {
        const { keys, next } = await good.list(group, page);
        return keys.length > 0 ? { keys, next } : Promise.reject(new Error('no such group'));
      },
    }),
  },
  'stores at most three groups': {
    found: 'a record in four groups, and in one twice',
    sabotage: (good) => ({
      add: (key, value, expiresAt, groups = []) => good.add(key, value, expiresAt, groups.slice(0, 3)),
    }),
  },
  'ignores the case of groups': {
    found: 'groups are distinguished to the last character',
    sabotage: (good) => ({
      add: (key, value, expiresAt, groups = []) =>
        good.add(
          key,
          value,
          expiresAt,
          groups.map((group) => group.toLowerCase()),
        ),
      list: (group, page) => good.list(group.toLowerCase(), page),
    }),
  },
  'truncates long keys in a group': {
    found: 'keys of a group are distinguished to the last character',
    sabotage: (good) => ({
      async list(group, page) {
        const { keys, next } = await good.list(group, page);
        return { keys: keys.map((key) => key.slice(0, 199)), next };
      },
    }),
  },
  'starts a page with the last key of the previous one': {
    found: 'keys of a group are distinguished to the last character',
    sabotage: (good) => ({
      async list(group, { after, limit }) {
        const { keys, next } = await good.list(group, { after, limit });
        return { keys: [...(after === undefined ? [] : [after]), ...keys].slice(0, limit), next };
      },
    }),
  },
  'returns shorter pages than requested': {
    found: 'pages of 1,000 keys, of any length',
    sabotage: (good) => ({
      list: (group, { after, limit }) => good.list(group, { after, limit: Math.min(limit, 500) }),
    }),
  },
  'uses offsets as cursors': {
    found: 'a walk lists all records that outlive it, whatever is added and deleted meanwhile',
    sabotage: (good) => ({
      async list(group, { after = '0', limit }) {
        const { keys } = await good.list(group, { limit: 9_999 });
        const end = Number(after) + limit;
        const page = keys.slice(Number(after), end);
        return page.length < limit ? { keys: page } : { keys: page, next: String(end) };
      },
    }),
  },
  'reads a group, then writes it': {
    found: 'simultaneous adds are all listed',
    sabotage: (good) => {
      const members = new Map<string, string[]>();
      return {
        async add(key, value, expiresAt, groups = []) {
          for (const group of groups) {
            const before = members.get(group) ?? [];
            await nextTurn();
            members.set(group, [...before, key]);
          }
          return good.add(key, value, expiresAt, groups);
        },
        async list(group, page) {
          const { keys, next } = await good.list(group, page);
          return { keys: keys.filter((key) => members.get(group)?.includes(key)), next };
        },
      };
    },
  },
  'writes the groups of one call with the record of another': {
    found: 'of 20 simultaneous adds to groups one returns true, and its group lists the record',
    sabotage: (good) => {
      const first = new Map<string, readonly string[]>();
      return {
        async add(key, value, expiresAt, groups = []) {
          const known = first.get(key);
          first.set(key, known ?? groups);
          if (known === undefined) await nextTurn();
          return good.add(key, value, expiresAt, known ?? groups);
        },
      };
    },
  },
  'removes an entry a millisecond early': {
    found: 'a record is listed until the millisecond before its deadline',
    sabotage: (_good, rows, clock) => ({ list: plainStore(rows, () => clock() + 1).list }),
  },
  'gives an entry the deadline of an add that returned false': {
    found: 'an add that returns false removes no record from its groups',
    sabotage: (good, rows, clock) => {
      const ends = new Map<string, number>();
      return {
        add(key, value, expiresAt, groups) {
          if (groups !== undefined) ends.set(key, expiresAt);
          return good.add(key, value, expiresAt, groups);
        },
        list: listUntil(ends, rows, clock),
      };
    },
  },
  'keeps the first deadline of an entry': {
    found: 'a record written again, after a delete or its deadline, is listed once, until its new deadline',
    sabotage: (good, rows, clock) => {
      const ends = new Map<string, number>();
      return {
        add(key, value, expiresAt, groups) {
          if (!ends.has(key)) ends.set(key, expiresAt);
          return good.add(key, value, expiresAt, groups);
        },
        list: listUntil(ends, rows, clock),
      };
    },
  },
  'keeps entries for ever': {
    found: 'expired keys are removed while others are added',
    sabotage: (_good, rows) => ({ list: plainStore(rows, () => 0).list }),
  },
  'ignores the groups of a swap': {
    found: 'a swapped record is listed until the millisecond before its new deadline',
    sabotage: (good, rows, clock) => {
      const ends = new Map<string, number>();
      return {
        add(key, value, expiresAt, groups) {
          if (groups !== undefined) ends.set(key, expiresAt);
          return good.add(key, value, expiresAt, groups);
        },
        list: listUntil(ends, rows, clock),
      };
    },
  },
  'gives an entry the deadline of a swap that returned false': {
    found: 'a swap that returns false removes no record from its groups',
    sabotage: (good, rows, clock) => {
      const ends = new Map<string, number>();
      return {
        async add(key, value, expiresAt, groups) {
          const isAdded = await good.add(key, value, expiresAt, groups);
          if (isAdded) ends.set(key, expiresAt);
          return isAdded;
        },
        swap(key, before, value, expiresAt, groups) {
          ends.set(key, expiresAt);
          return good.swap(key, before, value, expiresAt, groups);
        },
        list: listUntil(ends, rows, clock),
      };
    },
  },
  'writes an entry after its record': {
    found: 'a record is listed as soon as it can be read',
    sabotage: (good, rows) => ({
      async add(key, value, expiresAt, groups = []) {
        const isAdded = await good.add(key, value, expiresAt);
        await nextTurn();
        const row = rows.get(key);
        if (isAdded && row) rows.set(key, { ...row, groups });
        return isAdded;
      },
    }),
  },
  'extends an entry after its record': {
    found: 'a swapped record is listed until its new deadline as soon as it can be read',
    sabotage: (good, rows, clock) => {
      const ends = new Map<string, number>();
      const enterAfter = async (key: string, expiresAt: number, write: Promise<boolean>): Promise<boolean> => {
        const isWritten = await write;
        await nextTurn();
        if (isWritten) ends.set(key, expiresAt);
        return isWritten;
      };
      return {
        add: (key, value, end, groups) => (ends.set(key, end), good.add(key, value, end, groups)),
        swap: (key, before, value, end) => enterAfter(key, end, good.swap(key, before, value, end)),
        list: listUntil(ends, rows, clock),
      };
    },
  },
  'keeps the entry of a swapped record that was deleted': {
    found: 'the key of a swapped record that was deleted is removed while others are added',
    sabotage: (good, rows) => {
      const left: Rows = new Map();
      return {
        async swap(key, ...rest) {
          const row = rows.get(key);
          if (row) left.set(key, { ...row, expiresAt: Infinity });
          return good.swap(key, ...rest);
        },
        list: (group, page) => plainStore(new Map([...left, ...rows]), () => 0).list(group, page),
      };
    },
  },
  'serialises a value after it has written the entries': {
    found: 'changes to a value after add or swap do not affect a record in a group',
    sabotage: (good) => ({
      async swap(...record) {
        if (record[4] !== undefined) await nextTurn();
        return good.swap(...record);
      },
    }),
  },
  'lists only what it added itself': {
    found: 'additions of one store to a group are listed by the others immediately',
    sabotage: (good, _rows, clock) => {
      const own: Rows = new Map();
      const { add, list } = plainStore(own, clock);
      return { add: async (...record) => (await good.add(...record)) && add(...record), list };
    },
  },
  'removes entries by its own clock': {
    found: 'a store whose clock is a minute ahead removes no entry that is live for the others',
    sabotage: (good, rows, clock) => ({
      add(...record) {
        for (const [key, row] of rows) if (row.expiresAt <= clock()) rows.set(key, { ...row, groups: [] });
        return good.add(...record);
      },
    }),
  },
};

/** Names what has not come to the end that is written here. */
const listUntil =
  (ends: ReadonlyMap<string, number>, rows: Rows, clock: Clock): Required<Store>['list'] =>
  (group, page) =>
    plainStore(new Map([...rows].filter(([key]) => (ends.get(key) ?? 0) > clock())), clock).list(group, page);
