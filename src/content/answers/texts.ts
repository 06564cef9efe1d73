import type { Asking, FoundRows } from '../content.js';
import type { ContentRevision } from '../source.js';
import type { Having } from './answer.js';

/** The size of all texts of a response, in bytes: reading and writing them takes time. Further ones are continued. */
const MAX_TEXTS = 1.5 * 2 ** 20;
/** The same if a section of each is requested, because finding it takes longer. */
const MAX_SECTIONED = 2 ** 18;

export const mostTexts = ({ section }: TextRequest['params']): number =>
  section === undefined ? MAX_TEXTS : MAX_SECTIONED;

/** The number of texts with these sizes that fit, at least one. */
export const howManyFit = (sizes: readonly number[], most: number): number => {
  let sum = 0;
  const end = sizes.findIndex((size, index) => (sum += size) > most && index > 0);
  return end < 0 ? sizes.length : end;
};

interface TextRequest extends Asking {
  readonly params: { readonly prop: readonly string[]; readonly section?: string };
}

/** Adds the texts, if they are requested: as many as fit. */
export const withTexts = async <Row extends ContentRevision, Key>(
  { source }: Having<'revisions'>,
  { rows, next }: FoundRows<Row, Key>,
  key: (row: Row) => Key,
  request: TextRequest,
): Promise<FoundRows<Row, Key>> => {
  if (!request.params.prop.includes('content')) return { rows, next };
  const sizes = rows.map(({ size }) => size);
  const shown = rows.slice(0, howManyFit(sizes, mostTexts(request.params)));
  const more = rows[shown.length];
  const after = more ? key(more) : next;
  // A source may return texts that were not requested.
  if (shown.every(({ text }) => text !== undefined)) return { rows: shown, next: after };
  const asked = { ids: shown.map(({ id }) => id), text: true };
  const texts = new Map((await source.revisions(asked, request)).map(({ id, text }) => [id, text]));
  const withText = (row: Row): Row => {
    const text = texts.get(row.id);
    return text === undefined ? row : { ...row, text };
  };
  return { rows: shown.map(withText), next: after };
};
