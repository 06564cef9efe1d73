import { ref, type JsonSchema } from './schema.js';

/** Shorter schemas are not replaced with references. */
const SHORT = 48;

/** The name of a generated schema: starts with a lower-case letter, unlike the built-in ones. */
export const schemaName = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

/** Collects shared schemas. */
export interface SchemaRegistry {
  /**
   * Returns the schema itself if it is short, otherwise a reference to it.
   *
   * @param name - Its name if it is new; a number is appended if another schema has that name.
   */
  inlineOrDefine(name: string, schema: JsonSchema): JsonSchema;
  /** As {@link inlineOrDefine}, but always returns a reference. */
  define(name: string, schema: JsonSchema): JsonSchema;
}

/** Inlines every schema. */
export const INLINE: SchemaRegistry = { inlineOrDefine: (_name, schema) => schema, define: (_name, schema) => schema };

/**
 * Collects shared schemas, so that the document contains each of them once. Schemas are compared by content, because
 * namespaces, groups and rights depend on the site.
 */
export class SharedSchemas implements SchemaRegistry {
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
