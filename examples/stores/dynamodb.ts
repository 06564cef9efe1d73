/** A store in DynamoDB. `docs/stores.md` says which tables it needs. */
import { randomUUID } from 'node:crypto';
import type { Clock, Store } from 'oauth-query/store';

type Item = Readonly<Record<string, unknown>>;
/** What this store needs of `DynamoDBDocument.from(new DynamoDBClient())`, from `@aws-sdk/lib-dynamodb`. */
interface Documents {
  put(input: object): Promise<unknown>;
  get(input: object): Promise<{ Item?: Item | undefined }>;
  delete(input: object): Promise<unknown>;
  query(input: object): Promise<{ Items?: Item[] | undefined; LastEvaluatedKey?: Item | undefined }>;
}

/** How long an expired record is kept, because the clocks of other processes may be behind. */
const SLACK_SECONDS = 120;

export function dynamoStore(db: Documents, table: string, clock: Clock = Date.now): Required<Store> {
  const endOf = (ends: number) => ({ ends, remove_at: Math.ceil(ends / 1000) + SLACK_SECONDS });
  const itemOf = (id: string, value: { readonly rev?: string }, ends: number): Item => ({
    ...{ id, json: JSON.stringify(value), rev: value.rev ?? randomUUID() },
    ...endOf(ends),
  });
  /** Whether the condition held. */
  async function put(TableName: string, Item: Item, ConditionExpression: string, values: Item): Promise<boolean> {
    try {
      await db.put({ TableName, Item, ConditionExpression, ExpressionAttributeValues: values });
      return true;
    } catch (error) {
      if (Reflect.get(Object(error), 'name') === 'ConditionalCheckFailedException') return false;
      throw error;
    }
  }
  /** The item, also if it has expired. Reads are eventually consistent unless told otherwise. */
  const read = async (id: string): Promise<Item | undefined> =>
    (await db.get({ TableName: table, Key: { id }, ConsistentRead: true })).Item;
  async function get(id: string): Promise<object | undefined> {
    const item = await read(id);
    return item !== undefined && Number(item['ends']) > clock() ? JSON.parse(String(item['json'])) : undefined;
  }
  /** Before the record, so that a live record is in its groups whatever fails in between. */
  async function enter(id: string, ends: number, groups: readonly string[]): Promise<void> {
    const later = 'attribute_not_exists(grp) OR ends < :ends';
    for (const grp of new Set(groups))
      await put(`${table}_groups`, { grp, id, ...endOf(ends) }, later, { ':ends': ends });
  }
  return {
    async add(id, value, ends, groups = []) {
      const now = clock();
      if (!(ends > now)) return false;
      const item = itemOf(id, value, ends);
      await enter(id, ends, groups);
      if (await put(table, item, 'attribute_not_exists(id) OR ends <= :now', { ':now': now })) return true;
      // The SDK sends a request again whose response was lost: then this call wrote the record that it found.
      return (await read(id))?.['rev'] === item['rev'];
    },
    async swap(id, before, value, ends, groups = []) {
      const now = clock();
      if (!(ends > now)) return false;
      const item = itemOf(id, value, ends);
      await enter(id, ends, groups);
      const values = { ':before': before, ':rev': item['rev'], ':now': now };
      return put(table, item, 'rev IN (:before, :rev) AND ends > :now', values);
    },
    get,
    getMany: (ids) => Promise.all(ids.map(get)),
    delete: async (id) => void (await db.delete({ TableName: table, Key: { id } })),
    async list(group, { after = '\u0001', limit }) {
      const ids: string[] = [];
      let from: Item | undefined;
      do {
        const { Items = [], LastEvaluatedKey } = await db.query({
          TableName: `${table}_groups`,
          KeyConditionExpression: 'grp = :grp AND id > :after',
          FilterExpression: 'ends > :now',
          ExpressionAttributeValues: { ':grp': group, ':after': after, ':now': clock() },
          ConsistentRead: true,
          ExclusiveStartKey: from,
        });
        ids.push(...Items.map(({ id }) => String(id)));
        from = LastEvaluatedKey;
      } while (from !== undefined && ids.length <= limit);
      return ids.length > limit ? { keys: ids.slice(0, limit), next: ids[limit - 1] } : { keys: ids };
    },
  };
}
