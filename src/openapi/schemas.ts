import type { QueryApi } from '../core/query/index.js';

/** A module, in the tree of all modules. */
export type ModuleNode = QueryApi['tree'];

/** A parameter on the wire, for a query string or a form. */
export type Field = ReturnType<QueryApi['fields']>[number];

/** A JSON Schema 2020-12 schema. */
export type JsonSchema = Field['schema'];

/** A reference to a component of an OpenAPI document. */
export const ref = (section: string, name: string): JsonSchema => ({ $ref: `#/components/${section}/${name}` });

/** Shorter schemas are not replaced with references. */
const SHORT = 48;

/**
 * Collects shared schemas, so that the document contains each of them once. Schemas are compared by content, because
 * namespaces, groups and rights depend on the site.
 */
export class SharedSchemas implements NonNullable<Parameters<QueryApi['fields']>[1]> {
  readonly #names = new Map<string, string>();
  readonly #schemas = new Map<string, JsonSchema>();

  inlineOrDefine(name: string, schema: JsonSchema): JsonSchema {
    const text = JSON.stringify(schema);
    return text.length < SHORT ? schema : this.#refer(name, text, schema);
  }

  define(name: string, schema: JsonSchema): JsonSchema {
    return this.#refer(name, JSON.stringify(schema), schema);
  }

  #refer(wanted: string, text: string, schema: JsonSchema): JsonSchema {
    const known = this.#names.get(text);
    if (known !== undefined) return ref('schemas', known);
    const base = wanted.replace(/[^A-Za-z0-9._-]/g, '.');
    let name = base;
    for (let number = 2; this.#schemas.has(name); number += 1) name = `${base}-${number}`;
    this.#names.set(text, name);
    this.#schemas.set(name, schema);
    return ref('schemas', name);
  }

  all(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries(this.#schemas);
  }
}

const BARS = { style: 'pipeDelimited', explode: false } as const;

/** The field as a query parameter. */
export const toParameter = ({ wireName, description, schema, pattern, ...field }: Field): object => {
  const { required, deprecated, multi } = field;
  const named = pattern === undefined ? schema : { type: 'object', patternProperties: { [pattern]: schema } };
  return {
    name: wireName,
    in: 'query',
    description: description || undefined,
    required: required || undefined,
    deprecated: deprecated || undefined,
    ...(pattern === undefined ? (multi ? BARS : {}) : { style: 'form', explode: true }),
    schema: named,
  };
};

/** The fields as a form. */
export const toForm = (fields: readonly Field[]): JsonSchema => {
  const required = fields.filter((field) => field.required).map(({ wireName }) => wireName);
  const entriesOf = (wanted: readonly Field[], nameOf: (field: Field) => string): JsonSchema =>
    Object.fromEntries(
      wanted.map((field) => [
        nameOf(field),
        {
          ...field.schema,
          ...(field.description !== '' && { description: field.description }),
          deprecated: field.deprecated || undefined,
        },
      ]),
    );
  const named = fields.filter(({ pattern }) => pattern === undefined);
  const templated = fields.filter(({ pattern }) => pattern !== undefined);
  return {
    type: 'object',
    required: required.length > 0 ? required : undefined,
    properties: entriesOf(named, ({ wireName }) => wireName),
    patternProperties: templated.length > 0 ? entriesOf(templated, ({ pattern = '' }) => pattern) : undefined,
  };
};

/** The encoding of the form: several values are separated by a bar, as in a query string. */
export const encodingOf = (fields: readonly Field[]): object =>
  Object.fromEntries(fields.filter(({ multi }) => multi).map(({ wireName }) => [wireName, BARS]));
