import { expect, test } from 'vitest';
import { everyRow } from '../../rows.js';
import { startSite, useSite } from './support.js';

const site = useSite({ mcp: { modules: ['backlinks', 'categories'] } });

interface Schema {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly description?: string;
}

const tools = async (): Promise<readonly { readonly name: string; readonly inputSchema: Schema }[]> => {
  const { result } = (await site.send('tools/list')).json as { readonly result: { readonly tools: never } };
  return result.tools;
};

/** A call of each tool. */
const CALLS: Readonly<Record<string, object>> = {
  search: { query: 'boat' },
  read_page: { title: 'Rope' },
  fetch: { id: '2' },
  list_pages: {},
  history: { title: 'Rope' },
  changes: {},
  links: { title: 'Main Page', kind: 'links' },
  site_info: {},
  describe_module: {},
  query: { parameters: { list: 'allpages' } },
  query_backlinks: { bltitle: 'Rope' },
  query_categories: { titles: ['Rope'] },
};

const EMPTY = [null, '', ' \n', [], {}, [null, '', []]];
const WORDS = ['null', 'None', 'undefined'];

/** Arguments that are any text, so that they can be one of these words. */
const TEXTS = new Set(
  'title prefix from category user bltitle titles clcategories blcontinue clcontinue blpageid'.split(' '),
);

test('an optional argument that is empty is absent, in every tool', async () => {
  const all = await tools();
  expect(all.map(({ name }) => name)).toEqual(Object.keys(CALLS));
  await everyRow(all, async ({ name, inputSchema: { properties = {}, required = [] } }) => {
    const args = CALLS[name] ?? {};
    const resultOf = async (given: object): Promise<unknown> => {
      const { isError, text, result } = await site.call(name, given);
      expect([isError, isError ? text : '']).toEqual([false, '']);
      // Each cursor is new, and so is the time of the site.
      return JSON.stringify({ ...result, cursor: typeof result.cursor }).replace(/"time":"[^"]*"/, '');
    };
    const expected = await resultOf(args);
    const optional = Object.keys(properties).filter((one) => !required.includes(one) && !(one in args));
    for (const form of EMPTY) {
      const filled = Object.fromEntries(optional.map((one) => [one, form]));
      expect(await resultOf({ ...filled, ...args }), JSON.stringify(form)).toEqual(expected);
    }
    for (const word of WORDS) {
      const filled = Object.fromEntries(optional.filter((one) => !TEXTS.has(one)).map((one) => [one, word]));
      expect(await resultOf({ ...filled, ...args }), word).toEqual(expected);
    }
  });
});

test('a required argument that is empty is named in the error', async () => {
  const all = await tools();
  const cases = all.flatMap(({ name, inputSchema: { required = [] } }) =>
    required.flatMap((argument) => EMPTY.map((form) => [name, argument, form] as const)),
  );
  expect(cases.length).toBeGreaterThan(30);
  await everyRow(cases, async ([name, argument, form]) => {
    const { isError, text } = await site.call(name, { ...CALLS[name], [argument]: form });
    expect(isError).toBe(true);
    expect(text).toContain(`${name} needs the argument ${argument}`);
  });
});

test('a text may be one of the words', async () => {
  expect((await site.call('search', { query: 'null' })).result.data.search).toEqual([]);
  expect((await site.call('list_pages', { prefix: 'none' })).result.data.allpages).toEqual([]);
});

test('namespaces are texts in the schema, and may be numbers', async () => {
  const [search] = await tools();
  expect(search?.inputSchema.properties?.['namespace']).toMatchObject({ type: 'array', items: { type: 'string' } });
  for (const namespace of [['4'], [4], '4', 4]) {
    const { result } = await site.call('search', { query: 'treasure', namespace });
    expect(result.data.search).toMatchObject([{ title: 'Harbour:Secret' }]);
  }
});

const KEYWORDS = new Set(
  'type description enum items properties required additionalProperties default minimum maximum minItems maxItems'.split(
    ' ',
  ),
);
const TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object'];

/** What a schema has that not all models take. */
const faultsOf = (schema: Schema, path: string): readonly string[] => [
  ...Object.keys(schema).flatMap((key) => (KEYWORDS.has(key) ? [] : [`${path}: ${key}`])),
  ...(TYPES.includes(String(schema.type)) ? [] : [`${path}: type ${JSON.stringify(schema.type)}`]),
  ...(schema.enum === undefined || (schema.type === 'string' && schema.enum.every((one) => typeof one === 'string'))
    ? []
    : [`${path}: enum`]),
  ...(schema.type === 'array' && schema.items === undefined ? [`${path}: no items`] : []),
  ...([undefined, true, false].includes(schema.additionalProperties as undefined) ? [] : [`${path}: additional`]),
  ...((schema.description ?? '').length <= 1_024 ? [] : [`${path}: description`]),
  ...(schema.items ? faultsOf(schema.items, `${path}[]`) : []),
  ...Object.entries(schema.properties ?? {}).flatMap(([name, one]) => [
    ...(/^[A-Za-z0-9_-]{1,64}$/.test(name) ? [] : [`${path}: name ${name}`]),
    ...faultsOf(one, `${path}.${name}`),
  ]),
  ...(schema.required ?? []).flatMap((name) => (schema.properties?.[name] ? [] : [`${path}: requires ${name}`])),
];

test('the schemas of arguments have only keywords that all models take, also for all modules', async () => {
  const all = await startSite({ mcp: { modules: 'all' } });
  const { result } = (await all.send('tools/list')).json as {
    readonly result: { readonly tools: readonly { readonly name: string; readonly inputSchema: Schema }[] };
  };
  all.close();
  expect(result.tools.length).toBeGreaterThan(50);
  expect(result.tools.flatMap(({ name, inputSchema }) => faultsOf(inputSchema, name))).toEqual([]);
  expect(result.tools.filter(({ name }) => !/^[A-Za-z0-9_-]{1,64}$/.test(name))).toEqual([]);
});
