import { boundsOf } from '../../descriptor/descriptor-facts.js';
import { readBounded } from './integer.js';
import type { TypeDef } from './type-def.js';

/** A number of results: an integer, or `max` for the caller's maximum. */
export const limit: TypeDef<number> = {
  compile(parameter) {
    const { moduleName, descriptor } = parameter;
    const bounds = boundsOf(descriptor);
    return (text, context) => {
      if (text !== 'max') return readBounded(text, bounds, parameter, context);
      const most = (context.highLimits ? bounds.highmax : bounds.max) ?? Number.MAX_SAFE_INTEGER;
      (context.limits ??= new Map()).set(moduleName, most);
      return most;
    };
  },
};
