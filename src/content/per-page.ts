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

/** A list of a range: whose it is, and the key that it is read from, if not from its start. */
interface ListStart<Of, Key> {
  readonly of: Of;
  readonly from: Key | undefined;
}

/** The pages whose links a range contains, in order. */
export const pagesOf = ({
  pages,
  from,
  descending,
  one,
}: ContentLinkRange): readonly ListStart<number, readonly [ns: number, title: string]>[] => {
  const sign = descending ? -1 : 1;
  return [...new Set(pages)]
    .filter((id) => !from || sign * (id - from[0]) >= 0)
    .sort((a, b) => sign * (a - b))
    .map((id) => ({ of: id, from: one !== undefined ? [0, one] : from?.[0] === id ? [from[1], from[2]] : undefined }));
};

/** The targets whose links a range contains, in order. */
export const targetsOf = ({
  targets,
  from,
  descending,
}: ContentBacklinkRange): readonly ListStart<ContentTitle, number>[] => {
  const sign = descending ? -1 : 1;
  const keyOf = ({ ns, title }: ContentTitle) => [ns, title] as const;
  const begins = from && [from[0], from[1]];
  return [...new Map(targets.map((target) => [titleId(target), target])).values()]
    .filter((target) => !begins || sign * compareKeys(keyOf(target), begins) >= 0)
    .sort((a, b) => sign * compareKeys(keyOf(a), keyOf(b)))
    .map((of) => ({ of, from: begins && compareKeys(keyOf(of), begins) === 0 ? from?.[2] : undefined }));
};
