/** The values of a module's parameters by their bare names. Absent ones have no key. */
export type ParsedParams = Record<string, unknown>;
