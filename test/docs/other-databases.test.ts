import type { Clock, Store } from 'oauth-query/store';
import { storeContract } from 'oauth-query/testing';
import { describe, test } from 'vitest';
import { dynamoStore } from '../../examples/stores/dynamodb.js';
import { mongoStore } from '../../examples/stores/mongodb.js';

type Row = Record<string, unknown>;

/** What MongoDB does with the filters and changes of the example. */
const TESTS: Readonly<Record<string, (value: unknown, operand: never) => boolean>> = {
  $in: (value, operand: unknown[]) => operand.includes(value),
  $gt: (value, operand: string | number) => (value as typeof operand) > operand,
  $lte: (value, operand: number) => (value as number) <= operand,
};
const matches = (row: Row, filter: object): boolean =>
  Object.entries(filter).every(([name, wanted]) =>
    typeof wanted === 'object'
      ? Object.entries(wanted as object).every(([operator, operand]) => TESTS[operator]!(row[name], operand as never))
      : row[name] === wanted,
  );

function collection() {
  const rows = new Map<unknown, Row>();
  const find = (filter: Row): Row[] => {
    const { _id } = filter;
    const ids: unknown[] = typeof _id === 'string' ? [_id] : (Reflect.get(Object(_id), '$in') ?? [...rows.keys()]);
    return ids
      .flatMap((id): Row[] => {
        const row = rows.get(id);
        return row === undefined ? [] : [row];
      })
      .filter((row) => matches(row, filter));
  };
  return {
    async insertOne(row: Row) {
      if (rows.has(row['_id'])) throw Object.assign(new Error('E11000 duplicate key'), { code: 11000 });
      rows.set(row['_id'], row);
    },
    async updateOne(filter: Row, change: { $set: Row; $max?: Row }, { upsert = false } = {}) {
      const [found] = find(filter);
      if (found === undefined && !upsert) return { matchedCount: 0 };
      const row = Object.assign(found ?? { _id: filter['_id'] }, change.$set);
      for (const [name, value] of Object.entries(change.$max ?? {}))
        if (row[name] === undefined || Number(row[name]) < Number(value)) row[name] = value;
      rows.set(row['_id'], row);
      return { matchedCount: found === undefined ? 0 : 1 };
    },
    deleteOne: async (filter: Row) => find(filter).forEach((row) => rows.delete(row['_id'])),
    find: (filter: Row, { sort = {} as Row, limit = Infinity } = {}) => ({
      async toArray() {
        const [by = '_id'] = Object.keys(sort);
        return find(filter)
          .sort((a, b) => (String(a[by]) < String(b[by]) ? -1 : 1))
          .slice(0, limit);
      },
    }),
  };
}

interface Request {
  readonly TableName: string;
  readonly Item: Row;
  readonly Key: Row;
  readonly ConditionExpression: string;
  readonly ExpressionAttributeValues: Row;
  readonly ExclusiveStartKey?: Row;
}

/** What DynamoDB does with the conditions of the guide: `held` is the item that is there. */
const CONDITIONS: Readonly<Record<string, (held: Row | undefined, values: Row) => boolean>> = {
  'attribute_not_exists(id) OR ends <= :now': (held, { ':now': now }) =>
    held === undefined || Number(held['ends']) <= Number(now),
  'attribute_not_exists(grp) OR ends < :ends': (held, { ':ends': ends }) =>
    held === undefined || Number(held['ends']) < Number(ends),
  'rev IN (:before, :rev) AND ends > :now': (held, { ':before': before, ':rev': rev, ':now': now }) =>
    held !== undefined && [before, rev].includes(held['rev']) && Number(held['ends']) > Number(now),
};
const PAGE = 100;

function documents() {
  const items = new Map<string, Row>();
  const keyOf = (table: string, { grp = '', id }: Row): string => `${table}\n${String(grp)}\n${String(id)}`;
  return {
    async put({ TableName, Item, ConditionExpression, ExpressionAttributeValues }: Request) {
      const key = keyOf(TableName, Item);
      if (!CONDITIONS[ConditionExpression]!(items.get(key), ExpressionAttributeValues))
        throw Object.assign(new Error('The conditional request failed'), { name: 'ConditionalCheckFailedException' });
      items.set(key, Item);
    },
    get: async ({ TableName, Key }: Request) => ({ Item: items.get(keyOf(TableName, Key)) }),
    delete: async ({ TableName, Key }: Request) => void items.delete(keyOf(TableName, Key)),
    async query({ TableName, ExpressionAttributeValues: values, ExclusiveStartKey: from }: Request) {
      const prefix = keyOf(TableName, { grp: values[':grp'], id: '' });
      const after = keyOf(TableName, { grp: values[':grp'], id: from?.['id'] ?? values[':after'] });
      const page = [...items.keys()]
        .filter((key) => key.startsWith(prefix) && key > after)
        .sort()
        .slice(0, PAGE);
      const Items = page.map((key) => items.get(key)!);
      // The limit of a page is applied before the filter.
      const live = Items.filter(({ ends }) => Number(ends) > Number(values[':now']));
      return { Items: live, LastEvaluatedKey: page.length === PAGE ? Items.at(-1) : undefined };
    },
  };
}

const PLACES: Readonly<Record<string, () => (clock: Clock) => Store>> = {
  MongoDB() {
    const [records, entries] = [collection(), collection()];
    return (clock) => mongoStore(records, entries, clock);
  },
  DynamoDB() {
    const db = documents();
    return (clock) => dynamoStore(db, 'oauth', clock);
  },
};
for (const [title, open] of Object.entries(PLACES)) {
  describe(`examples/stores: the contract of the store for ${title}`, () => {
    for (const { name, run } of storeContract(() => ({ open: open() }), { offers: ['getMany', 'list'] }))
      test(name, run);
  });
}
