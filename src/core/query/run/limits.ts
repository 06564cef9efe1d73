import type { ParsedParams } from '../descriptor/module-params.js';
import type { LimitRule } from '../descriptor/rule.js';
import type { TypedParameter } from '../parameters/types/index.js';
import { readBounded } from '../parameters/types/integer.js';
import type { RequestContext } from './request-context.js';

/**
 * The maximum number of results of a module in this request; 0 for a module without a limit.
 *
 * Applies the bounds of the rule in addition to the declared ones, as MediaWiki does: a limit above both is reduced
 * twice, with two warnings.
 */
export const limitOf = (
  params: ParsedParams,
  parameter: TypedParameter | undefined,
  context: RequestContext,
  rule: LimitRule | undefined,
): number => {
  const asParsed = typeof params['limit'] === 'number' ? params['limit'] : 0;
  if (!parameter || !rule) return asParsed;
  const { bounds, fallback } = rule(params);
  const most = bounds && (context.highLimits ? bounds.highmax : bounds.max);
  const text = context.parameters.get(parameter.wireName);
  if (text === undefined) {
    if (fallback === 'max') return most ?? asParsed;
    return Math.min(fallback ?? asParsed, most ?? Infinity);
  }
  if (!bounds || most === undefined) return asParsed;
  if (text === 'max') {
    (context.limits ??= new Map()).set(parameter.moduleName, most);
    return most;
  }
  return readBounded(text, { min: 1, ...bounds }, parameter, context);
};
