import type { ContentBacklinkRange, ContentLinkRange, ContentTitle } from './source.js';
import { compareKeys } from './text-order.js';

/** Gathers rows of several lists that follow one another. */
const inTurn = <T, Row>(
  lists: readonly T[],
  limit: number,
  read: (list: T, room: number) => readonly Row[],
): readonly Row[] => {
  const rows: Row[] = [];
  for (const list of lists) {
    if (rows.length >= limit) break;
    rows.push(...read(list, limit - rows.length));
  }
  return rows;
};

/** Answers `links` page by page, as each page's links are a list of their own. */
export const linksInTurn = <Row>(
  { pages, from, descending, limit }: ContentLinkRange,
  read: (page: number, from: readonly [ns: number, title: string] | undefined, room: number) => readonly Row[],
): readonly Row[] => {
  const sign = descending ? -1 : 1;
  const rest = [...new Set(pages)].filter((id) => !from || sign * (id - from[0]) >= 0).sort((a, b) => sign * (a - b));
  return inTurn(rest, limit, (id, room) => read(id, from?.[0] === id ? [from[1], from[2]] : undefined, room));
};

/** Answers `backlinks` target by target. */
export const backlinksInTurn = <Row>(
  { targets, from, descending, limit }: ContentBacklinkRange,
  read: (target: ContentTitle, from: number | undefined, room: number) => readonly Row[],
): readonly Row[] => {
  const sign = descending ? -1 : 1;
  const keyOf = ({ ns, title }: ContentTitle) => [ns, title] as const;
  const begins = from && [from[0], from[1]];
  const rest = [...new Map(targets.map((target) => [`${target.ns}:${target.title}`, target])).values()]
    .filter((target) => !begins || sign * compareKeys(keyOf(target), begins) >= 0)
    .sort((a, b) => sign * compareKeys(keyOf(a), keyOf(b)));
  return inTurn(rest, limit, (target, room) => {
    const isFirst = begins && compareKeys(keyOf(target), begins) === 0;
    return read(target, isFirst ? from?.[2] : undefined, room);
  });
};
