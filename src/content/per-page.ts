import { compareKeys, titleId } from './keys.js';
import type { ContentBacklinkRange, ContentLinkRange, ContentTitle } from './source.js';

/** Reads several lists one after the other, up to a common limit. */
export const readInOrder = <T, Row>(
  lists: readonly T[],
  limit: number,
  read: (list: T, remaining: number) => readonly Row[],
): readonly Row[] => {
  const rows: Row[] = [];
  for (const list of lists) {
    if (rows.length >= limit) break;
    rows.push(...read(list, limit - rows.length));
  }
  return rows;
};

/** Implements `links` with a function that lists the links of one page. */
export const linksPerPage = <Row>(
  { pages, from, descending, limit, one }: ContentLinkRange,
  read: (page: number, from: readonly [ns: number, title: string] | undefined, remaining: number) => readonly Row[],
): readonly Row[] => {
  const sign = descending ? -1 : 1;
  const rest = [...new Set(pages)].filter((id) => !from || sign * (id - from[0]) >= 0).sort((a, b) => sign * (a - b));
  return readInOrder(rest, limit, (id, remaining) =>
    one === undefined ? read(id, from?.[0] === id ? [from[1], from[2]] : undefined, remaining) : read(id, [0, one], 1),
  );
};

/** Implements `backlinks` with a function that lists the links to one target. */
export const backlinksPerPage = <Row>(
  { targets, from, descending, limit }: ContentBacklinkRange,
  read: (target: ContentTitle, from: number | undefined, remaining: number) => readonly Row[],
): readonly Row[] => {
  const sign = descending ? -1 : 1;
  const keyOf = ({ ns, title }: ContentTitle) => [ns, title] as const;
  const begins = from && [from[0], from[1]];
  const rest = [...new Map(targets.map((target) => [titleId(target), target])).values()]
    .filter((target) => !begins || sign * compareKeys(keyOf(target), begins) >= 0)
    .sort((a, b) => sign * compareKeys(keyOf(a), keyOf(b)));
  return readInOrder(rest, limit, (target, remaining) => {
    const isFirst = begins && compareKeys(keyOf(target), begins) === 0;
    return read(target, isFirst ? from?.[2] : undefined, remaining);
  });
};
