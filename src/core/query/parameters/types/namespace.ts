import { namespaceIds } from '../../descriptor/descriptor-facts.js';
import type { TypeDef, TypedParameter } from './type-def.js';

const SYNTAX = /^[+-]?\d{1,9}$/;

const known = ({ descriptor, site }: TypedParameter): readonly number[] => namespaceIds(descriptor, site);

/** A namespace id of the site. Names are not accepted. */
export const namespace: TypeDef<number> = {
  compile(parameter) {
    const ids = new Set(known(parameter));
    return (text) => {
      if (!SYNTAX.test(text)) return undefined;
      const id = Number(text) + 0;
      return ids.has(id) ? id : undefined;
    };
  },
  values: known,
};
