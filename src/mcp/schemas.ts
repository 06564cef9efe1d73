import type { ModuleNode } from '../core/query/describe/module-tree.js';
import { listSchema } from '../core/query/describe/schemas/answer-schemas.js';
import { type Field, fieldsOf } from '../core/query/describe/schemas/fields.js';
import type { JsonSchema } from '../core/query/describe/schemas/schema.js';
import { INLINE } from '../core/query/describe/schemas/shared-schemas.js';
import type { Site } from '../core/query/site/site.js';

/** The parameters of a module as in the OpenAPI document, by their names on the wire. */
export const fieldsByName = (node: ModuleNode, site: Site): ReadonlyMap<string, Field> =>
  new Map(fieldsOf(node, { site, shared: INLINE }).map((field) => [field.wireName, field]));

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

const OBJECTS: JsonSchema = { type: 'array', items: { type: 'object' } };

/** Any JSON. Clients warn about a schema without a keyword. */
const ANY: JsonSchema = { type: ['array', 'boolean', 'null', 'number', 'object', 'string'] };

/** The schema of the data of a module. */
export const answerSchema = (node: ModuleNode): JsonSchema => {
  const { name, group, module } = node;
  if (group === 'list') return listSchema(node);
  const { place, key = name } = module.result ?? {};
  if (group === 'meta') return place === 'merged' ? { type: 'object' } : { type: 'object', properties: { [key]: ANY } };
  const page = { pageid: { type: 'integer' }, ns: { type: 'integer' }, title: { type: 'string' }, [key]: ANY };
  return { type: 'object', properties: { pages: { ...OBJECTS, items: { type: 'object', properties: page } } } };
};
