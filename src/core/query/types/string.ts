import type { TypeDef } from './type-def.js';

/** Any text. */
export const string: TypeDef<string> = {
  compile: () => (text) => text,
  stringify: (value) => value,
};
