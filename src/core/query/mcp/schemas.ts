import type { Schema } from '../../base/openapi.js';
import { listSchema } from '../describe/openapi/answer-schemas.js';
import { type Field, fieldsOf } from '../describe/openapi/fields.js';
import { INLINE } from '../describe/openapi/shared-schemas.js';
import type { ModuleNode } from '../describe/module-tree.js';
import type { Site } from '../site/site.js';

/** The parameters of a module by their names on the wire, as OpenAPI has them. */
export const fieldsByName = (node: ModuleNode, site: Site): ReadonlyMap<string, Field> =>
  new Map(fieldsOf(node, { site, shared: INLINE }).map((field) => [field.wireName, field]));

/** The schema of an argument. A switch can be off here, where at the endpoint it is left out. */
export const argumentSchema = ({ schema, description, deprecated }: Field): Schema => {
  const { description: ofType, ...rest } = schema;
  const text = [description, ofType].filter((part) => typeof part === 'string' && part !== '').join(' ');
  const { enum: _, ...plain } = rest;
  return {
    ...(rest['type'] === 'boolean' ? plain : rest),
    ...(text === '' ? {} : { description: text }),
    ...(deprecated ? { deprecated } : {}),
  };
};

/** An object with these members and no others. */
export const closedObject = (
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[] = [],
): Schema => ({
  type: 'object',
  properties,
  ...(required.length > 0 ? { required } : {}),
  additionalProperties: false,
});

const OBJECTS: Schema = { type: 'array', items: { type: 'object' } };

/** Where the data of a module stand in the answer. */
export const answerSchema = (node: ModuleNode): Schema => {
  const { name, group, module } = node;
  if (group === 'list') return listSchema(node);
  const { place, key = name } = module.result ?? {};
  if (group === 'meta') return place === 'merged' ? { type: 'object' } : { type: 'object', properties: { [key]: {} } };
  const page = { pageid: { type: 'integer' }, ns: { type: 'integer' }, title: { type: 'string' }, [key]: {} };
  return { type: 'object', properties: { pages: { ...OBJECTS, items: { type: 'object', properties: page } } } };
};
