import type { QueryApi } from '../core/query/index.js';

/** A module, in the tree of all modules. */
export type ModuleNode = QueryApi['tree'];

/** A parameter of a module. */
export type Field = ReturnType<QueryApi['fields']>[number];

/** A JSON Schema 2020-12 schema. */
export type JsonSchema = Field['schema'];

/** The parameters of a module as in the OpenAPI document, by their names on the wire. */
export const fieldsByName = (node: ModuleNode, { fields }: Pick<QueryApi, 'fields'>): ReadonlyMap<string, Field> =>
  new Map(fields(node).map((field) => [field.wireName, field]));

/** The schema of an argument. Flags may be `false`; the API only knows flags that are present or absent. */
export const argumentSchema = ({ schema, description, deprecated }: Field): JsonSchema => {
  const { description: ofType, ...rest } = schema;
  const text = [description, ofType].filter((part) => typeof part === 'string' && part !== '').join(' ');
  const { enum: _, ...plain } = rest;
  return {
    ...(rest['type'] === 'boolean' ? plain : rest),
    ...(text === '' ? {} : { description: text }),
    ...(deprecated ? { deprecated } : {}),
  };
};

/** The schema of an object without further members. */
export const closedObject = (
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema => ({
  type: 'object',
  properties,
  ...(required.length > 0 ? { required } : {}),
  additionalProperties: false,
});

/** The keywords of a schema of arguments that all models take. */
const PLAIN = ['type', 'description', 'enum', 'required', 'default', 'minimum', 'maximum', 'minItems', 'maxItems'];
const MAX_DESCRIPTION = 1_024;

const shortened = (text: string): string =>
  text.length <= MAX_DESCRIPTION ? text : `${text.slice(0, MAX_DESCRIPTION - 2).replace(/\s\S*$/, '')} …`;

/**
 * A schema of arguments with the keywords that all models take: one `type`, no alternatives, no numbers in `enum`. The tools accept what is left
 * out too: `max` for a limit, `*` for all namespaces.
 */
export const plainSchema = (schema: JsonSchema): JsonSchema => {
  const { anyOf, properties, items, additionalProperties } = schema;
  const [first] = Array.isArray(anyOf) ? (anyOf as readonly JsonSchema[]) : [];
  const all = schema['type'] === undefined && first ? { ...first, ...schema } : schema;
  const plain: Record<string, unknown> = Object.fromEntries(
    PLAIN.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]])),
  );
  if (typeof plain['description'] === 'string') plain['description'] = shortened(plain['description']);
  if (plain['type'] !== 'string') delete plain['enum'];
  if (plain['type'] === 'array') {
    plain['items'] = itemsOf(Object(items));
    if (Array.isArray(plain['default'])) plain['default'] = plain['default'].map(String);
  }
  if (properties !== undefined)
    plain['properties'] = Object.fromEntries(
      Object.entries(properties as Readonly<Record<string, JsonSchema>>).map(([name, one]) => [name, plainSchema(one)]),
    );
  if (additionalProperties !== undefined) plain['additionalProperties'] = additionalProperties !== false;
  return plain;
};

/** Lists are of texts, also those of numbers, because `*` stands for all of them. */
const itemsOf = (items: JsonSchema): JsonSchema => {
  const plain = plainSchema(items);
  return plain['type'] === 'integer' ? { ...plain, type: 'string', minimum: undefined, maximum: undefined } : plain;
};

const OBJECTS: JsonSchema = { type: 'array', items: { type: 'object' } };

/** Any JSON. Clients warn about a schema without a keyword. */
const ANY: JsonSchema = { type: ['array', 'boolean', 'null', 'number', 'object', 'string'] };

const under = (key: string, schema: JsonSchema): JsonSchema => ({ type: 'object', properties: { [key]: schema } });

/** The schema of the data of a module. */
export const answerSchema = (node: ModuleNode): JsonSchema => {
  const { name, group, module } = node;
  const { place, key = name } = module.result ?? {};
  if (group === 'list') return under(key, place === 'results' ? under('results', OBJECTS) : OBJECTS);
  if (group === 'meta') return place === 'merged' ? { type: 'object' } : under(key, ANY);
  const page = { pageid: { type: 'integer' }, ns: { type: 'integer' }, title: { type: 'string' }, [key]: ANY };
  return { type: 'object', properties: { pages: { ...OBJECTS, items: { type: 'object', properties: page } } } };
};
