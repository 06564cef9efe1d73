import type { ParamDescriptor } from '../descriptor.js';
import type { Site } from '../site/site.js';

/** What a description of a parameter means where it says nothing: read here alone, by parsers and by those who explain. */

const LOW_LIMIT = 50;
const HIGH_LIMIT = 500;

/** How many values may be given at once, without and with raised limits. */
export interface ValueCounts {
  readonly low: number;
  readonly high: number;
}

/** `undefined` for a parameter that takes one value. */
export const valueCounts = ({
  multi,
  lowlimit: low = LOW_LIMIT,
  highlimit = HIGH_LIMIT,
}: ParamDescriptor): ValueCounts | undefined => multi && { low, high: Math.max(low, highlimit) };

/** The value that stands for all others, if there is one. A parameter for several namespaces always has one. */
export const everythingOf = ({ type, multi, allspecifier }: ParamDescriptor): string | undefined =>
  type === 'namespace' && multi ? '*' : allspecifier;

/** The bounds of a number, for ordinary callers and for those with high limits. */
export interface Bounds {
  readonly min: number | undefined;
  readonly max: number | undefined;
  /** At least `max`; absent without it. */
  readonly highmax: number | undefined;
}

export const boundsOf = ({ type, min, max, highmax }: ParamDescriptor): Bounds => ({
  min: min ?? (type === 'limit' ? 0 : undefined),
  max,
  highmax: max === undefined ? undefined : Math.max(highmax ?? max, max),
});

/** The namespaces of a site that may be given, ascending. */
export const namespaceIds = ({ extranamespaces = [] }: ParamDescriptor, { namespaces }: Site): readonly number[] => {
  const ids = namespaces.map(({ id }) => id).filter((id) => id >= 0);
  return [...new Set([...ids, ...extranamespaces])].sort((a, b) => a - b);
};
