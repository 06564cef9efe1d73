/** A JSON Schema 2020-12 schema, as used by OpenAPI 3.1 and MCP. */
export type JsonSchema = Readonly<Record<string, unknown>>;

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
