import { ApiError, badContinue } from '../answer/api-error.js';
import { type Message, message } from '../answer/messages.js';
import type { ParsedParams } from '../descriptor/module-params.js';
import type { PageSet } from '../descriptor/page-model.js';
import type { RuleOutcome, RuleRequest } from '../descriptor/rule.js';
import type { ModuleParser } from '../parameters/parse.js';
import { DeadlinePassed } from './deadline.js';
import type { ModuleRequest } from './handlers.js';
import { limitOf } from './limits.js';
import type { QueryModule } from './query-modules.js';
import type { QueryRun } from './query-run.js';
import type { RequestContext } from './request-context.js';

/** A module of the request with its parsed parameters. */
export interface Selected {
  readonly module: QueryModule;
  /** The parser of its role. */
  readonly parser: ModuleParser;
  readonly params: ParsedParams;
  readonly limit: number;
  /** Its result is empty, without calling the handler. */
  readonly isSettled: boolean;
}

/** Parses a module's parameters and checks its rules. */
export const select = (module: QueryModule, parser: ModuleParser, run: QueryRun): Selected => {
  const { context } = run;
  const { rules = [], limitRule, deprecated } = module.descriptor;
  context.parsers.push(parser);
  try {
    const params = parser.parse(context.parameters, context);
    let outcome: RuleOutcome;
    if (rules.length > 0) {
      const request = ruleRequest({ module, parser, params }, run);
      for (const rule of rules) {
        outcome = rule(request) ?? undefined;
        if (outcome !== undefined) break;
      }
    }
    const limit = limitOf(params, parser.limit, context, limitRule);
    if (deprecated) warnDeprecated(module, context);
    return withOutcome({ module, parser, params, limit, isSettled: false }, outcome);
  } catch (error) {
    throw withModulePath(module, error);
  }
};

const withOutcome = (selected: Selected, outcome: RuleOutcome): Selected => {
  if (outcome === undefined) return selected;
  return outcome === 'nothing' ? { ...selected, isSettled: true } : { ...selected, limit: outcome.limit };
};

/** Checks the rules that depend on the pages or on functions of the host. */
export const checkPages = async (selected: Selected, pages: PageSet, run: QueryRun): Promise<Selected> => {
  const { pageRules } = selected.module.descriptor;
  if (!pageRules || selected.isSettled) return selected;
  try {
    const request = ruleRequest(selected, run);
    for (const rule of pageRules) {
      const found = rule(request, pages);
      const outcome = (isThenable(found) ? await run.context.deadline.waitFor(found) : found) ?? undefined;
      if (outcome !== undefined) return withOutcome(selected, outcome);
    }
    return selected;
  } catch (error) {
    throw withModulePath(selected.module, error);
  }
};

/** Adds the module's path to an API error. */
const withModulePath = ({ path }: QueryModule, error: unknown): unknown =>
  error instanceof ApiError ? error.in(path) : error;

const ruleRequest = (
  { module, parser, params }: Pick<Selected, 'module' | 'parser' | 'params'>,
  { context: { parameters, warnings, caller }, service: { site, options }, params: { redirects } }: QueryRun,
): RuleRequest => {
  const { wirePrefix, role, feature } = parser;
  return {
    params,
    role,
    caller,
    site,
    redirects,
    answered: module.handler !== undefined,
    wire: (name) => wirePrefix + name,
    sent: (name) => parameters.get(wirePrefix + name) !== undefined,
    ignore: (name, instead = parser.fallback(name)) => {
      if (params[name] !== undefined) params[name] = instead;
    },
    // Without a function of the application, no watchlist is accessible.
    verifyWatchlistToken: (owner, token) => options.verifyWatchlistToken?.({ owner, token }) ?? 'wrong',
    warn: (code, text, data) => warnings.add(module.path, code, asMessage(text), data),
    deprecate: (text, what) => warnings.deprecation(module.path, text, `${feature}&${what}`),
  };
};

/** The host's text, or a built-in message. */
const asMessage = (text: Message | string): Message =>
  typeof text === 'string' ? message('apiwarn-handler', text) : text;

const warnDeprecated = ({ name, path, parser }: QueryModule, { warnings }: RequestContext): void => {
  const text =
    name === 'deletedrevs' ? message('apiwarn-deprecation-deletedrevs') : message('apiwarn-deprecation-module', name);
  warnings.deprecation(path, text, parser.feature);
};

const NO_PAGES: PageSet = { existing: [], missing: [], special: [], revids: new Map(), unknownRevids: [] };

/**
 * Calls the handler and validates its result. If the handler fails, times out or returns an invalid result, its data is
 * omitted with a warning, other modules are not affected, and `onError` receives the reason.
 */
export const runModule = async <R>(
  selected: Selected,
  pages: PageSet | undefined,
  read: (value: unknown) => R | undefined,
  run: QueryRun,
): Promise<R | undefined> => {
  const { module } = selected;
  const { context, service } = run;
  const { handler } = module;
  if (!handler) return withoutHandler(module, run);
  let value: unknown;
  try {
    const answer = handler(handlerRequest(selected, pages ?? NO_PAGES, run));
    value = isThenable(answer) ? await context.deadline.waitFor(answer) : answer;
  } catch (error) {
    if (error instanceof ApiError) throw withModulePath(module, error);
    service.host.onError(error);
    const late = error instanceof DeadlinePassed;
    context.warnings.add(
      module.path,
      late ? 'moduletimeout' : 'modulefailed',
      message(late ? 'apierror-moduletimeout' : 'apierror-modulefailed', module.name),
    );
    return undefined;
  }
  const result = read(value);
  if (result === undefined) {
    service.host.onError(new TypeError(`The handler of the query module "${module.name}" returned an invalid result.`));
    context.warnings.add(module.path, 'badresult', message('apiwarn-badwrongresult', module.name));
  }
  return result;
};

const withoutHandler = (module: QueryModule, { service, context }: QueryRun): undefined => {
  if (service.options.unanswered === 'error') {
    throw new ApiError('moduledisabled', message('apierror-module-disabled', module.name), { module: module.path });
  }
  context.warnings.add(module.path, 'nohandler', message('apiwarn-nohandler', module.name));
};

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';

/** The number of results to request from the handler. */
export const requestedLimit = ({ limit }: Selected, { budget: { limitFactor } }: QueryRun): number =>
  limit === 0 ? 0 : Math.max(1, Math.floor(limit * limitFactor));

const handlerRequest = (
  selected: Selected,
  pages: PageSet,
  run: QueryRun,
): ModuleRequest & { readonly pages: PageSet } => {
  const { module, parser, params } = selected;
  const { caller, request, isolated, warnings, deadline } = run.context;
  const { site, seal, host } = run.service;
  const { clock } = host;
  return {
    params,
    caller,
    isolated,
    site,
    clock,
    pages,
    role: parser.role,
    address: request.ip,
    limit: requestedLimit(selected, run),
    continue: positionOf(selected, run),
    warn: (code, text, data) => warnings.add(module.path, code, asMessage(text), data),
    conceal: (position) => CONCEALED + seal.seal([position].flat().map(String), clock() + LIFETIME),
    get signal() {
      return deadline.signal;
    },
  };
};

/** The beginning of a concealed position: no title contains it. The rest is valid for a day. */
const CONCEALED = '{';
const LIFETIME = 86_400_000;

/** The module's continue value in the request. */
const positionOf = ({ module, parser, params }: Selected, { context, service }: QueryRun): string | undefined => {
  const name = module.continueParameter;
  if (name === undefined || context.parameters.get(parser.wirePrefix + name) === undefined) return undefined;
  const value = params[name];
  if (typeof value !== 'string') return typeof value === 'number' ? String(value) : undefined;
  if (!value.startsWith(CONCEALED)) return value;
  const parts = service.seal.open(value.slice(CONCEALED.length));
  if (!Array.isArray(parts)) throw badContinue();
  return parts.join('|');
};
