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
    let first: { readonly each: (typeof open)[number]; readonly place: Place } | undefined;
    for (const each of open) {
      const place = each.rows[each.at];
      if (!place) continue;
      const order = first && sign * compareKeys([place.timestamp, place.id], [first.place.timestamp, first.place.id]);
      if (order === undefined || order < 0) first = { each, place };
    }
    if (!first) break;
    const { each, place } = first;
    ids.push(place.id);
    each.at += 1;
    if (each.at < each.rows.length || each.rows.length < each.size) continue;
    // A range includes its start.
    each.size = Math.min(2 * each.size, limit + 1);
    each.rows = read(each.list, [place.timestamp, place.id], each.size);
    each.at = 1;
  }
  return ids;
};
