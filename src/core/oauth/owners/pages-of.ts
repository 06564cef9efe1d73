import type { ExpiringRecord, Records, Shape } from '../../base/records.js';
import { CONNECTION, type ConnectionRecord } from '../records/stored-records.js';

/** The number of keys of a group read together. */
const PAGE = 50;

/** Iterates over a group: the keys of each page. */
export async function* keysOf(group: string, records: Records): AsyncGenerator<readonly string[], void> {
  let after: string | undefined;
  do {
    const page = await records.list(group, { after, limit: PAGE });
    yield page.keys;
    after = page.next;
  } while (after !== undefined);
}

/** Iterates over a group of connections: those of each page that have not ended, by key. */
export async function* connectionsIn(
  group: string,
  context: { readonly records: Records },
): AsyncGenerator<readonly (readonly [key: string, connection: ConnectionRecord])[], void> {
  for await (const page of pagesOf(group, CONNECTION, context)) yield page.filter(([, { ended }]) => ended !== true);
}

/** Iterates over a group: the live records of each page, by key. */
export async function* pagesOf<T extends ExpiringRecord>(
  group: string,
  shape: Shape<T>,
  { records }: { readonly records: Records },
): AsyncGenerator<readonly (readonly [key: string, record: T])[], void> {
  for await (const keys of keysOf(group, records)) {
    const found = keys.length === 0 ? [] : await records.getMany(keys, shape);
    yield keys.flatMap((key, at) => {
      const record = found[at];
      return record === undefined ? [] : [[key, record] as const];
    });
  }
}
