import { message } from '../../answer/messages.js';
import type { TypeDef, TypedParameter } from './type-def.js';

const allowed = ({ descriptor }: TypedParameter): readonly string[] =>
  typeof descriptor.type === 'string' ? [] : descriptor.type;

/** One of a list of values. Deprecated values produce a warning. */
export const enumeration: TypeDef<string> = {
  compile(parameter) {
    const { descriptor, wireName, modulePath, feature: module } = parameter;
    // Returns the descriptor's string, so that the request's text is not kept in memory.
    const known = new Map(allowed(parameter).map((value) => [value, value]));
    const deprecated = new Set(descriptor.deprecatedvalues);
    if (deprecated.size === 0) return (text) => known.get(text);
    return (text, { warnings }) => {
      if (deprecated.has(text)) {
        const feature = `${module}&${wireName}=${text}`;
        warnings.deprecation(
          modulePath,
          message('apiwarn-deprecation-withvalue', { plaintext: wireName }, { plaintext: text }),
          feature,
        );
      }
      return known.get(text);
    };
  },
  values: allowed,
};
