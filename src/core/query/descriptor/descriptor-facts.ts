import type { Site } from '../site/site.js';
import type { ParamDescriptor } from './descriptor.js';

/** Defaults of parameter descriptors, shared by parsers and descriptions. */

const LOW_LIMIT = 50;
const HIGH_LIMIT = 500;

/** The maximum numbers of values, without and with high limits. */
export interface ValueCounts {
  readonly low: number;
  readonly high: number;
}

/** `undefined` for a parameter with a single value. */
export const valueCounts = ({
  multi,
  lowlimit: low = LOW_LIMIT,
  highlimit = HIGH_LIMIT,
}: ParamDescriptor): ValueCounts | undefined => multi && { low, high: Math.max(low, highlimit) };

/** The value that selects all values, if there is one. Always `*` for several namespaces. */
export const everythingOf = ({ type, multi, allspecifier }: ParamDescriptor): string | undefined =>
  type === 'namespace' && multi ? '*' : allspecifier;

/** The bounds of a number, without and with high limits. */
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

/** The allowed namespace ids, ascending. */
export const namespaceIds = ({ extranamespaces = [] }: ParamDescriptor, { namespaces }: Site): readonly number[] => {
  const ids = namespaces.map(({ id }) => id).filter((id) => id >= 0);
  return [...new Set([...ids, ...extranamespaces])].sort((a, b) => a - b);
};
