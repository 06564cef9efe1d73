import type { ExpiringRecord, Records, Shape } from '../../base/records.js';

/** The number of keys of a group read together. */
const PAGE = 50;

/** Iterates over a group: the live records of each page, by key. */
export async function* pagesOf<T extends ExpiringRecord>(
  group: string,
  shape: Shape<T>,
  { records }: { readonly records: Records },
): AsyncGenerator<readonly (readonly [key: string, record: T])[], void> {
  let after: string | undefined;
  do {
    const page = await records.list(group, { after, limit: PAGE });
    const found = page.keys.length === 0 ? [] : await records.getMany(page.keys, shape);
    yield page.keys.flatMap((key, at) => {
      const record = found[at];
      return record === undefined ? [] : [[key, record] as const];
    });
    after = page.next;
  } while (after !== undefined);
}
