import type { TypeDef } from './type-def.js';

/** Present is true, whatever the value: `x=`, `x=0` and `x=false` are all true. */
export const boolean: TypeDef<boolean> = {
  compile: () => () => true,
};
