import { boundsOf, clamp, readInteger } from './integer.js';
import type { TypeDef } from './type-def.js';

/** How many results are wanted: an integer, or `max` for as many as this caller may have. */
export const limit: TypeDef<number> = {
  provesClean: true,
  compile(parameter) {
    const { wireName, moduleName, descriptor } = parameter;
    const bounds = boundsOf({ ...descriptor, min: descriptor.min ?? 0 });
    return (text, context) => {
      if (text !== 'max') return clamp(readInteger(text, wireName), text, bounds, parameter, context);
      const most = (context.highLimits ? bounds.highmax : bounds.max) ?? Number.MAX_SAFE_INTEGER;
      (context.limits ??= new Map()).set(moduleName, most);
      return most;
    };
  },
  stringify: String,
};
