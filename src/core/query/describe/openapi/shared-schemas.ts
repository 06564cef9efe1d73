import { ref, type Schema } from '../../../base/openapi.js';

/** A schema that is as short as a reference to it is better read where it stands. */
const SHORT = 48;

/** What is called after a name of a module begins with a small letter, and so never meets a name that we have given. */
export const schemaName = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

/** Where schemas are put that several places use. */
export interface SchemaPlace {
  /**
   * The schema itself, or a reference to it.
   *
   * @param name - How to call it if it is the first of its kind; a number is added if another one is called so.
   */
  share(name: string, schema: Schema): Schema;
  /** As {@link share}, for what is referred to however short it is. */
  define(name: string, schema: Schema): Schema;
}

/** For a schema that stands alone: everything is written where it is used. */
export const IN_PLACE: SchemaPlace = { share: (_name, schema) => schema, define: (_name, schema) => schema };

/**
 * Gathers the schemas that several places use, so that each stands in the document once. What a site decides (its
 * namespaces, groups, rights) decides which are alike, so they are told apart by what they say.
 */
export class SharedSchemas implements SchemaPlace {
  readonly #names = new Map<string, string>();
  readonly #schemas = new Map<string, Schema>();

  share(name: string, schema: Schema): Schema {
    const text = JSON.stringify(schema);
    return text.length < SHORT ? schema : this.#refer(name, text, schema);
  }

  define(name: string, schema: Schema): Schema {
    return this.#refer(name, JSON.stringify(schema), schema);
  }

  #refer(wanted: string, text: string, schema: Schema): Schema {
    const known = this.#names.get(text);
    if (known !== undefined) return ref('schemas', known);
    const base = wanted.replace(/[^A-Za-z0-9._-]/g, '.');
    let name = base;
    for (let number = 2; this.#schemas.has(name); number += 1) name = `${base}-${number}`;
    this.#names.set(text, name);
    this.#schemas.set(name, schema);
    return ref('schemas', name);
  }

  all(): Readonly<Record<string, Schema>> {
    return Object.fromEntries(this.#schemas);
  }
}
