import type { TypeDef, TypedParameter } from './type-def.js';

const SYNTAX = /^[+-]?\d{1,9}$/;

function known({ descriptor, site }: TypedParameter): readonly number[] {
  const ids = site.namespaces.map(({ id }) => id).filter((id) => id >= 0);
  return [...new Set([...ids, ...(descriptor.extranamespaces ?? [])])].sort((a, b) => a - b);
}

/** The number of one of the site's namespaces. Names are not understood. */
export const namespace: TypeDef<number> = {
  provesClean: true,
  compile(parameter) {
    const ids = new Set(known(parameter));
    return (text) => {
      if (!SYNTAX.test(text)) return undefined;
      const id = Number(text) + 0;
      return ids.has(id) ? id : undefined;
    };
  },
  stringify: String,
  values: known,
};
