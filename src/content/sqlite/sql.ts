import type { ContentRange } from '../source.js';

export type SqlValue = string | number | null;

/** A SQL fragment with the values of its placeholders. */
export class Sql {
  readonly text: string;
  readonly values: readonly SqlValue[];

  constructor(text: string, values: readonly SqlValue[]) {
    this.text = text;
    this.values = values;
  }
}

type Part = Sql | SqlValue | readonly SqlValue[];

/**
 * A template tag for SQL: sql`SELECT … WHERE ns = ${ns}`. Values become placeholders, SQL fragments are inserted, and a
 * list becomes a subquery: sql`ns IN ${[0, 1]}`. The text is the same for a list of any length, so a statement is
 * prepared once.
 */
export const sql = (strings: TemplateStringsArray, ...parts: readonly Part[]): Sql => {
  let text = strings[0] ?? '';
  const values: SqlValue[] = [];
  for (const [index, part] of parts.entries()) {
    if (part instanceof Sql) {
      text += part.text;
      values.push(...part.values);
    } else if (typeof part === 'object' && part !== null) {
      text += '(SELECT value FROM json_each(?))';
      values.push(JSON.stringify(part));
    } else {
      text += '?';
      values.push(part);
    }
    text += strings[index + 1] ?? '';
  }
  return new Sql(text, values);
};

const NOTHING = sql``;

/**
 * A fragment for a parameter that may be absent: when(params.from, (from) => sql`AND title >= ${from}`). An empty list
 * adds no condition: it remains of a parameter whose values were all unknown.
 */
export const when = <T>(value: T | undefined | false, piece: (value: T) => Sql): Sql => {
  const absent = value === undefined || value === false || (Array.isArray(value) && value.length === 0);
  return absent ? NOTHING : piece(value);
};

/** The ORDER BY of a list, and the comparisons with its first and last key. */
export const direction = (descending: boolean): { readonly order: Sql; readonly from: Sql; readonly to: Sql } => {
  return descending
    ? { order: sql`DESC`, from: sql`<=`, to: sql`>=` }
    : { order: sql`ASC`, from: sql`>=`, to: sql`<=` };
};

/**
 * A subquery of the ids of the pages with these titles: sql`page.id IN ${pagesNamed(titles)}`. As a condition on the pair of
 * columns, SQLite would read all pages of the namespaces.
 */
export const pagesNamed = (titles: readonly { readonly ns: number; readonly title: string }[]): Sql => {
  const pairs = JSON.stringify(titles.map(({ ns, title }) => [ns, title]));
  return sql`(SELECT page.id FROM json_each(${pairs}) CROSS JOIN page ON ns = value ->> 0 AND title = value ->> 1)`;
};

/** The condition and order of a range: sql`… WHERE kind = ${kind} ${between(sql`title, page`, range)}`. */
export const between = (columns: readonly Sql[], range: ContentRange<SqlValue | readonly SqlValue[]>): Sql => {
  const { order, from, to } = direction(range.descending);
  const key = (values: SqlValue | readonly SqlValue[]): Sql =>
    listed((isList(values) ? values : [values]).map((value) => sql`${value}`));
  return sql`
    ${when(range.from, (first) => sql`AND (${listed(columns)}) ${from} (${key(first)})`)}
    ${when(range.to, (last) => sql`AND (${listed(columns)}) ${to} (${key(last)})`)}
    ORDER BY ${listed(columns.map((column) => sql`${column} ${order}`))} LIMIT ${range.limit}`;
};

const isList = (values: SqlValue | readonly SqlValue[]): values is readonly SqlValue[] => Array.isArray(values);

const listed = (parts: readonly Sql[]): Sql =>
  parts.reduce((list, part, index) => (index === 0 ? part : sql`${list}, ${part}`), NOTHING);
