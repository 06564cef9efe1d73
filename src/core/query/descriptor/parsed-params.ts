/** The values of a module's parameters, by their names without the prefix. Absent ones have no key. */
export type ParsedParams = Record<string, unknown>;
