import { compareKeys } from '../keys.js';
import type { ContentRange } from '../source.js';

interface Place {
  readonly timestamp: string;
  readonly id: number;
}

/** The ids of the first rows of several lists by time, which are read in parts: each has an index, all together have none. */
export const firstOf = <List>(
  lists: readonly List[],
  { descending, limit }: Pick<ContentRange<unknown>, 'descending' | 'limit'>,
  read: (list: List, limit: number) => readonly Place[],
): readonly number[] => {
  const sign = descending ? -1 : 1;
  const order = (a: Place, b: Place) => sign * compareKeys([a.timestamp, a.id], [b.timestamp, b.id]);
  const parts = lists.map((list) => ({ list, size: 0, rows: [] as readonly Place[] }));
  let short = parts;
  for (let size = Math.ceil(limit / lists.length) + 1; ; size *= 4) {
    for (const part of short) Object.assign(part, { size, rows: read(part.list, Math.min(size, limit)) });
    const first = parts
      .flatMap(({ rows }) => rows)
      .sort(order)
      .slice(0, limit);
    const end = first.at(-1);
    // Those whose next row may be among the first.
    short = parts.filter(({ size: most, rows }) => {
      const last = rows.at(-1);
      return most < limit && rows.length === most && last && end && order(last, end) <= 0;
    });
    if (short.length === 0) return first.map(({ id }) => id);
  }
};
