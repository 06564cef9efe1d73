/** A store in MongoDB. `docs/stores.md` says which indexes and settings it needs. */
import type { Clock, Store } from 'oauth-query/store';

/** What this store needs of a collection of the driver `mongodb`. */
interface Collection {
  insertOne(row: object): Promise<unknown>;
  updateOne(filter: object, change: object, options?: object): Promise<{ matchedCount: number }>;
  deleteOne(filter: object): Promise<unknown>;
  find(filter: object, options?: object): { toArray(): Promise<object[]> };
}

/** How long an expired record is kept, because the clocks of other processes may be behind. */
const SLACK_MS = 120_000;

export function mongoStore(records: Collection, entries: Collection, clock: Clock = Date.now): Required<Store> {
  const rowOf = (value: { readonly rev?: string }, expiresAt: number) => ({
    json: JSON.stringify(value),
    rev: value.rev ?? null,
    expires_at: expiresAt,
    remove_at: new Date(expiresAt + SLACK_MS),
  });
  async function getMany(keys: readonly string[]): Promise<(object | undefined)[]> {
    const rows = await records.find({ _id: { $in: [...keys] }, expires_at: { $gt: clock() } }).toArray();
    const found = new Map(rows.map((row) => [Reflect.get(row, '_id'), JSON.parse(Reflect.get(row, 'json')) as object]));
    return keys.map((key) => found.get(key));
  }
  /** Before the record, so that a live record is in its groups whatever fails in between. */
  async function enter(key: string, expiresAt: number, groups: readonly string[]): Promise<void> {
    const longest = { expires_at: expiresAt, remove_at: new Date(expiresAt + SLACK_MS) };
    for (const group of new Set(groups))
      await entries.updateOne({ _id: `${group}\n${key}` }, { $set: { group, key }, $max: longest }, { upsert: true });
  }
  return {
    async add(key, value, expiresAt, groups = []) {
      const now = clock();
      if (!(expiresAt > now)) return false;
      const row = rowOf(value, expiresAt);
      await enter(key, expiresAt, groups);
      const expired = await records.updateOne({ _id: key, expires_at: { $lte: now } }, { $set: row });
      if (expired.matchedCount === 1) return true;
      try {
        await records.insertOne({ _id: key, ...row });
        return true;
      } catch (error) {
        if (Reflect.get(Object(error), 'code') === 11000) return false; // There is one.
        throw error;
      }
    },
    async swap(key, before, value, expiresAt, groups = []) {
      const now = clock();
      if (!(expiresAt > now)) return false;
      const row = rowOf(value, expiresAt);
      await enter(key, expiresAt, groups);
      const { matchedCount } = await records.updateOne(
        { _id: key, rev: { $in: [before, row.rev] }, expires_at: { $gt: now } },
        { $set: row },
      );
      return matchedCount === 1;
    },
    get: async (key) => (await getMany([key]))[0],
    getMany,
    delete: async (key) => void (await records.deleteOne({ _id: key })),
    async list(group, { after = '', limit }) {
      const filter = { group, key: { $gt: after }, expires_at: { $gt: clock() } };
      const rows = await entries.find(filter, { sort: { key: 1 }, limit: limit + 1 }).toArray();
      const keys = rows.slice(0, limit).map((row): string => Reflect.get(row, 'key'));
      return rows.length > limit ? { keys, next: keys.at(-1) } : { keys };
    },
  };
}
