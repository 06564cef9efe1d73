import type { ContentRange } from './source.js';
import { compareKeys } from './text-order.js';

type TimeKey = readonly [timestamp: string, id: number];

interface Place {
  readonly timestamp: string;
  readonly id: number;
}

/** The ids of the first rows of several lists by time, which are read in parts: each has an index, all together have none. */
export const firstOf = <List>(
  lists: readonly List[],
  { descending, limit }: Pick<ContentRange<TimeKey>, 'descending' | 'limit'>,
  read: (list: List, from: TimeKey | undefined, limit: number) => readonly Place[],
): readonly number[] => {
  const sign = descending ? -1 : 1;
  const least = Math.ceil(limit / lists.length) + 1;
  const open = lists.map((list) => ({ list, rows: read(list, undefined, least), at: 0, size: least }));
  const ids: number[] = [];
  while (ids.length < limit) {
    let first: { readonly of: (typeof open)[number]; readonly place: Place } | undefined;
    for (const of of open) {
      const place = of.rows[of.at];
      if (!place) continue;
      const order = first && sign * compareKeys([place.timestamp, place.id], [first.place.timestamp, first.place.id]);
      if (order === undefined || order < 0) first = { of, place };
    }
    if (!first) break;
    const { of, place } = first;
    ids.push(place.id);
    of.at += 1;
    if (of.at < of.rows.length || of.rows.length < of.size) continue;
    // A range includes its start.
    of.size = Math.min(2 * of.size, limit + 1);
    of.rows = read(of.list, [place.timestamp, place.id], of.size);
    of.at = 1;
  }
  return ids;
};
