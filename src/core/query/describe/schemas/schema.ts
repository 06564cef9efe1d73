/** A JSON Schema 2020-12 schema, as used by OpenAPI 3.1 and MCP. */
export type JsonSchema = Readonly<Record<string, unknown>>;
