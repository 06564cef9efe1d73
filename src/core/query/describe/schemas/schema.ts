/** A JSON Schema 2020-12 schema, as used by OpenAPI 3.1 and MCP. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A reference to a component of an OpenAPI document. */
export const ref = (section: string, name: string): JsonSchema => ({ $ref: `#/components/${section}/${name}` });
