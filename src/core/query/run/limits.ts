import type { ParsedParams } from '../descriptor/parsed-params.js';
import type { LimitDecision, LimitRule } from '../descriptor/rule.js';
import type { ParameterSource } from '../parameters/parameter.js';
import type { ParseContext, TypedParameter } from '../parameters/types/index.js';
import { readBounded } from '../parameters/types/integer.js';

/** The input for the limit of a module, apart from its descriptor. */
export interface LimitRequest {
  readonly params: ParsedParams;
  readonly source: ParameterSource;
  readonly context: ParseContext;
  readonly parameter: TypedParameter;
}

/** The maximum number of results of a module in this request. */
export const limitOf = (request: LimitRequest, rule: LimitRule | undefined): number => {
  const { limit } = request.params;
  const asParsed = typeof limit === 'number' ? limit : 0;
  return rule ? decide(request, rule(request.params), asParsed) : asParsed;
};

/**
 * Applies the bounds of the rule in addition to the declared ones, as MediaWiki does: a limit above both is reduced
 * twice, with two warnings.
 */
const decide = ({ source, context, parameter }: LimitRequest, decision: LimitDecision, asParsed: number): number => {
  const { bounds, fallback } = decision;
  const most = bounds && (context.highLimits ? bounds.highmax : bounds.max);
  const text = source.get(parameter.wireName);
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
