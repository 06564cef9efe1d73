import type { TypeName } from '../../descriptor/descriptor.js';
import { integer } from './integer.js';
import { limit } from './limit.js';
import { namespace } from './namespace.js';
import { string } from './string.js';
import { timestamp } from './timestamp.js';
import { title } from './title.js';
import type { TypeDef } from './type-def.js';
import { user } from './user.js';

export { enumeration } from './enum.js';
export type { ParseContext, TypeDef, TypedParameter, ValueParser } from './type-def.js';

/** Present is true, whatever the value: `x=`, `x=0` and `x=false` are all true. */
const boolean: TypeDef<boolean> = { compile: () => () => true };

/** The implementation of every parameter type. */
export const TYPES = { string, integer, limit, boolean, timestamp, user, namespace, title } as const satisfies {
  readonly [T in TypeName]: TypeDef<never> | TypeDef<string> | TypeDef<number> | TypeDef<boolean>;
};
