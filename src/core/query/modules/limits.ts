import type { MessageParam } from '../answer/messages.js';
import type { ParameterSource } from '../parameters/parameter.js';
import type { ParsedParams } from '../parameters/parse.js';
import { enumerates } from '../rules/revisions.js';
import { clamp, readInteger } from '../types/integer.js';
import type { ParseContext, TypedParameter } from '../types/index.js';

/** What decides how many results a module may give, beyond its descriptor. */
export interface LimitRequest {
  readonly params: ParsedParams;
  readonly source: ParameterSource;
  readonly context: ParseContext;
  readonly parameter: TypedParameter;
}

type LimitRule = (request: LimitRequest) => number;

const DEFAULT_REVISIONS = 10;

/** With `redirect`, every result may bring others along, so that only half as many may be asked for. */
const linksThroughRedirects: LimitRule = (request) => {
  if (request.params['redirect'] !== true) return asParsed(request);
  forget(request);
  return reread(request, [250, 2500]);
};

/** Content is long, and parsing it takes time. */
const revisions: LimitRule = (request) => {
  const { params, source, parameter, context } = request;
  const parses = params['parse'] === true;
  // Without a selection the latest of each page is shown, however many pages there are.
  if (parameter.moduleName === 'revisions' && !enumerates(params)) {
    return most(context, parses ? [1, 1] : isHeavy(params) ? HEAVY : LIGHT);
  }
  if (source.get(parameter.wireName) === undefined) return parses ? 1 : DEFAULT_REVISIONS;
  if (parses) return reread(request, [1, 1]);
  return isHeavy(params) ? reread(request, HEAVY) : asParsed(request);
};

/** The old module for deleted revisions has a limit of the ordinary kind, which content makes smaller. */
const deletedRevisions: LimitRule = (request) => (isHeavy(request.params) ? reread(request, HEAVY) : asParsed(request));

/** The maximum for ordinary callers and the raised one. */
type Maxima = readonly [max: number, highmax: number];

const LIGHT: Maxima = [500, 5000];
const HEAVY: Maxima = [50, 500];

function isHeavy({ prop, diffto, difftotext }: ParsedParams): boolean {
  const props: readonly unknown[] = Array.isArray(prop) ? prop : [];
  return props.includes('content') || props.includes('parsetree') || diffto !== undefined || difftotext !== undefined;
}

const most = ({ highLimits }: ParseContext, [max, highmax]: Maxima): number => (highLimits ? highmax : max);

const LIMIT_RULES: ReadonlyMap<string, LimitRule> = new Map([
  ['backlinks', linksThroughRedirects],
  ['imageusage', linksThroughRedirects],
  ['revisions', revisions],
  ['deletedrevisions', revisions],
  ['deletedrevs', deletedRevisions],
  ['allrevisions', revisions],
  ['alldeletedrevisions', revisions],
]);

/** How many results the module may give to this request. */
export function limitOf(request: LimitRequest): number {
  return (LIMIT_RULES.get(request.parameter.moduleName) ?? asParsed)(request);
}

function asParsed({ params }: LimitRequest): number {
  const { limit } = params;
  return typeof limit === 'number' ? limit : 0;
}

/** Reads the limit once more, under bounds of its own. */
function reread(request: LimitRequest, maxima: Maxima): number {
  const { source, context, parameter } = request;
  const text = source.get(parameter.wireName);
  if (text === undefined) return Math.min(asParsed(request), most(context, maxima));
  if (text === 'max') {
    (context.limits ??= new Map()).set(parameter.moduleName, most(context, maxima));
    return most(context, maxima);
  }
  const [max, highmax] = maxima;
  return clamp(readInteger(text, parameter.wireName), text, { min: 1, max, highmax }, parameter, context);
}

/** Takes back what was said about the ordinary bounds, which do not hold here. */
function forget({ context, parameter }: LimitRequest): void {
  const { list } = context.warnings;
  const told = list.findIndex(
    ({ code, module, text }) =>
      code === 'outofrange' && module === parameter.modulePath && isText(text.params[0], parameter.wireName),
  );
  if (told >= 0) list.splice(told, 1);
}

const isText = (param: MessageParam | undefined, text: string): boolean =>
  typeof param === 'object' && 'plaintext' in param && param.plaintext === text;
