import { ApiError } from '../answer/api-error.js';
import { type Deadline, DeadlinePassed } from './deadline.js';
import type { Caller, ModuleRequest } from './handlers.js';
import { limitOf } from './limits.js';
import { message } from '../answer/messages.js';
import type { ModuleUse, QueryModule } from './modules.js';
import type { PageSet } from '../pages/page-set.js';
import type { ParsedParams } from '../parameters/parse.js';
import type { RequestParameters } from '../request/request-parameters.js';
import type { RuleRequest } from '../rules/index.js';
import type { Site } from '../site/site.js';
import type { ParseContext } from '../types/index.js';
import type { Clock } from '../../ports.js';

/** What a request's modules have in common. */
export interface RunContext {
  readonly parameters: RequestParameters;
  readonly parsing: ParseContext;
  readonly caller: Caller | undefined;
  readonly address: string;
  readonly isolated: boolean;
  readonly site: Site;
  readonly clock: Clock;
  readonly deadline: Deadline;
  /** The part of each limit that is asked for: less than 1 when the whole would make the answer too large. */
  readonly share: number;
  /** What to do with a module that nobody answers. */
  readonly missing: 'empty' | 'error';
  onError(error: unknown): void;
}

/** A module of the request with its parameters read. */
export interface Selected {
  readonly module: QueryModule;
  readonly use: ModuleUse;
  readonly params: ParsedParams;
  readonly limit: number;
}

/** Reads a module's parameters and looks at the conditions between them. */
export function select(module: QueryModule, use: ModuleUse, context: RunContext): Selected {
  const { parameters: source, parsing } = context;
  const { rules } = module;
  const { limit: parameter } = use;
  try {
    const params = use.parser.parse(source, parsing);
    if (rules.length > 0) {
      const request = ruleRequest(module, use, params, context);
      for (const rule of rules) rule(request);
    }
    const limit = parameter ? limitOf({ params, source, context: parsing, parameter }) : 0;
    if (module.descriptor.deprecated) warnDeprecated(module, context);
    return { module, use, params, limit };
  } catch (error) {
    throw ofModule(module, error);
  }
}

/** Looks at the conditions that depend on the pages. */
export function checkPages(
  { module, use, params }: Selected,
  pages: PageSet,
  redirects: boolean,
  context: RunContext,
): void {
  const { pageRule } = module;
  if (!pageRule) return;
  try {
    pageRule(ruleRequest(module, use, params, context), pages, { redirects });
  } catch (error) {
    throw ofModule(module, error);
  }
}

/** A refusal says whose it is. */
const ofModule = ({ path }: QueryModule, error: unknown): unknown =>
  error instanceof ApiError ? error.in(path) : error;

function ruleRequest(
  module: QueryModule,
  use: ModuleUse,
  params: ParsedParams,
  { parameters, parsing, caller, site }: RunContext,
): RuleRequest {
  const { wirePrefix, role } = use;
  const feature = `action=query&${module.group}=${module.name}`;
  return {
    params,
    role,
    caller,
    site,
    wire: (name) => wirePrefix + name,
    sent: (name) => parameters.get(wirePrefix + name) !== undefined,
    warn: (code, text, data) => parsing.warnings.add(module.path, code, text, data),
    deprecate: (text, what) => parsing.warnings.deprecation(module.path, text, `${feature}&${what}`),
  };
}

function warnDeprecated({ name, group, path }: QueryModule, { parsing }: RunContext): void {
  const text =
    name === 'deletedrevs' ? message('apiwarn-deprecation-deletedrevs') : message('apiwarn-deprecation-module', name);
  parsing.warnings.deprecation(path, text, `action=query&${group}=${name}`);
}

const NO_PAGES: PageSet = { existing: [], missing: [], revids: new Map() };

/**
 * Asks the handler and looks through what it says. A handler that fails, hangs or answers with something else costs its
 * own data and a warning, and nothing of what the others give; what went wrong is told to the host alone.
 */
export async function runModule<R>(
  selected: Selected,
  pages: PageSet | undefined,
  read: (value: unknown) => R | undefined,
  context: RunContext,
): Promise<R | undefined> {
  const { module } = selected;
  const { handler } = module;
  if (!handler) return withoutHandler(module, context);
  let value: unknown;
  try {
    const answer = handler(new HandlerRequest(selected, pages ?? NO_PAGES, context));
    value = isThenable(answer) ? await context.deadline.within(answer) : answer;
  } catch (error) {
    if (error instanceof ApiError) throw ofModule(module, error);
    context.onError(error);
    const late = error instanceof DeadlinePassed;
    context.parsing.warnings.add(
      module.path,
      late ? 'moduletimeout' : 'modulefailed',
      message(late ? 'apierror-moduletimeout' : 'apierror-modulefailed', module.name),
    );
    return undefined;
  }
  const result = read(value);
  if (result === undefined) {
    context.onError(
      new TypeError(`The handler of the query module "${module.name}" gave a result of the wrong shape.`),
    );
    context.parsing.warnings.add(module.path, 'badresult', message('apiwarn-badwrongresult', module.name));
  }
  return result;
}

function withoutHandler(module: QueryModule, context: RunContext): undefined {
  if (context.missing === 'error') {
    throw new ApiError('moduledisabled', message('apierror-module-disabled', module.name), { module: module.path });
  }
  context.parsing.warnings.add(module.path, 'nohandler', message('apiwarn-nohandler', module.name));
}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';

/** How many results the handler is asked for. */
export const askedFor = ({ limit }: Selected, { share }: RunContext): number =>
  limit === 0 ? 0 : Math.max(1, Math.floor(limit * share));

/** A class, because an object with an accessor of its own is many times as dear to make. */
class HandlerRequest implements ModuleRequest<ParsedParams> {
  readonly params: ParsedParams;
  readonly limit: number;
  readonly continue: string | undefined;
  readonly caller: Caller | undefined;
  readonly address: string;
  readonly isolated: boolean;
  readonly site: Site;
  readonly clock: Clock;
  readonly role: ModuleUse['role'];
  readonly pages: PageSet;
  readonly warn: ModuleRequest['warn'];
  readonly #deadline: Deadline;

  constructor(selected: Selected, pages: PageSet, context: RunContext) {
    const { module, use, params } = selected;
    const { warnings } = context.parsing;
    this.params = params;
    this.limit = askedFor(selected, context);
    this.continue = positionOf(selected, context);
    this.caller = context.caller;
    this.address = context.address;
    this.isolated = context.isolated;
    this.site = context.site;
    this.clock = context.clock;
    this.role = use.role;
    this.pages = pages;
    this.warn = (code, text, data) =>
      warnings.add(module.path, code, typeof text === 'string' ? message('apiwarn-handler', text) : text, data);
    this.#deadline = context.deadline;
  }

  get signal(): AbortSignal {
    return this.#deadline.signal;
  }
}

/** Where the request says that the module goes on. */
function positionOf({ module, use, params }: Selected, { parameters }: RunContext): string | undefined {
  const name = module.continueParameter;
  if (name === undefined || parameters.get(use.wirePrefix + name) === undefined) return undefined;
  const value = params[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
