import { ApiError, type ConditionData } from '../answer/api-error.js';
import type { Caller } from '../caller.js';
import { type Message, message, nameList } from '../answer/messages.js';
import type { PageSet } from '../pages/page-model.js';
import type { Site } from '../site/site.js';
import type { MaybePromise } from '../../base/ports.js';

/** What a host says about the token of a watchlist: it is its owner's, it is not, or there is no such user. */
export type WatchlistTokenVerdict = 'valid' | 'wrong' | 'no-user';

/** What a rule may look at. The parameters have been read one by one already. */
export interface RuleRequest {
  /** By their bare names. */
  readonly params: Readonly<Record<string, unknown>>;
  /** `generator` when the module's result becomes the pages that others work on. */
  readonly role: 'module' | 'generator';
  /** `undefined` for a request without a bearer token. */
  readonly caller: Caller | undefined;
  /** The site, with every default filled in. */
  readonly site: Site;
  /** Whether redirects among the pages of the request are followed. */
  readonly redirects: boolean;
  /** Whether a handler answers the module. What its answers go on with is its own then. */
  readonly answered: boolean;
  /** A parameter's name on the wire. */
  wire(name: string): string;
  /** Whether the request itself names the parameter; a default does not count. */
  sent(name: string): boolean;
  /** Gives the handler the parameter's default, or what stands for it, in the place of what was sent. */
  ignore(name: string, instead?: unknown): void;
  /** Tells the client of something that it should know although it is answered. */
  warn(code: string, text: Message | string, data?: ConditionData): void;
  /** Warns of a use that has no future; `feature` names it for programs, as part of a query string. */
  deprecate(text: Message, feature: string): void;
  /** Whether a token opens a user's watchlist, as the host knows. */
  verifyWatchlistToken(owner: string, token: string): MaybePromise<WatchlistTokenVerdict>;
}

/**
 * What a rule has found beside refusals: `nothing` when the answer of the module is empty whatever its handler would say,
 * which is not asked then, nor are further rules; or a smaller limit.
 */
export type RuleOutcome =
  | 'nothing'
  | {
      /** How many results the module may give at most. */
      readonly limit: number;
    }
  | undefined;

/** A condition between several parameters of a module, or between a parameter and its caller. Throws an {@link ApiError}. */
export type ModuleRule = (request: RuleRequest) => RuleOutcome | void;

/** A condition that can only be judged when the pages are known, or that has to ask the host. Throws an {@link ApiError}. */
export type PageRule = (request: RuleRequest, pages: PageSet) => MaybePromise<RuleOutcome | void>;

/** The greatest values of a limit. */
export interface LimitBounds {
  /** For ordinary callers. */
  readonly max: number;
  /** For callers with the right `apihighlimits`. */
  readonly highmax: number;
}

/** What becomes of a module's limit in one request. */
export interface LimitDecision {
  /** Hold beside the declared bounds. */
  readonly bounds?: LimitBounds;
  /** The limit of a request that names none, if it is not the declared default. `max` is the greatest value. */
  readonly fallback?: number | 'max';
}

/** Decides the limit of a request by its other parameters. */
export type LimitRule = (params: Readonly<Record<string, unknown>>) => LimitDecision;

/** Whether a parameter has a value. The empty text and zero are values. */
export const given = ({ params }: RuleRequest, name: string): boolean =>
  params[name] !== undefined && params[name] !== false;

/** The values of a multi-valued parameter. */
export const valuesOf = ({ params }: RuleRequest, name: string): readonly unknown[] => {
  const value = params[name];
  return Array.isArray(value) ? value : [];
};

const quoted = (request: RuleRequest, names: readonly string[]) =>
  [nameList(names.map((name) => request.wire(name))), names.length] as const;

export const atMostOneOf = (...names: readonly string[]): ModuleRule => {
  return (request) => {
    const found = names.filter((name) => given(request, name));
    if (found.length > 1)
      throw new ApiError('invalidparammix', message('apierror-invalidparammix', ...quoted(request, found)));
  };
};

export const exactlyOneOf = (...names: readonly string[]): ModuleRule => {
  return (request) => {
    if (!names.some((name) => given(request, name))) {
      throw new ApiError('missingparam', message('apierror-missingparam-one-of', ...quoted(request, names)));
    }
    atMostOneOf(...names)(request);
  };
};

export const atLeastOneOf = (...names: readonly string[]): ModuleRule => {
  return (request) => {
    if (names.some((name) => given(request, name))) return;
    throw new ApiError('missingparam', message('apierror-missingparam-at-least-one-of', ...quoted(request, names)));
  };
};

/** `A` makes no sense beside `B`. Both are given as they stand on the wire. */
export const cannotUseWith = (a: string, b: string, code = 'invalidparammix'): ApiError =>
  new ApiError(code, message('apierror-invalidparammix-cannotusewith', a, b));

/** `A` makes no sense without `B`. */
export const mustUseWith = (a: string, b: string, code = 'invalidparammix'): ApiError =>
  new ApiError(code, message('apierror-invalidparammix-mustusewith', a, b));

/**
 * Values of `show` that can find nothing together: each word with its `!`, and the further pairs.
 *
 * @param pairs - Two values each; a value that is none of `show` is a flag of the module.
 */
export const noContradiction = (...pairs: readonly (readonly [string, string])[]): ModuleRule => {
  return (request) => {
    const shown = new Set(valuesOf(request, 'show'));
    const has = (value: string): boolean => shown.has(value) || request.params[value] === true;
    for (const value of shown) {
      if (typeof value === 'string' && shown.has(`!${value}`)) throw new ApiError('show', message('apierror-show'));
    }
    if (pairs.some(([a, b]) => has(a) && has(b))) throw new ApiError('show', message('apierror-show'));
  };
};

/** A list of nothing is no filter. */
export const emptyIsAll = (...names: readonly string[]): ModuleRule => {
  return (request) => {
    for (const name of names) if (isEmptySet(request, name)) request.ignore(name);
  };
};

/** A list of nothing finds nothing. */
export const emptyIsNone = (name: string): ModuleRule => {
  return (request) => (isEmptySet(request, name) ? 'nothing' : undefined);
};

export const isEmptySet = ({ params }: RuleRequest, name: string): boolean => {
  const value = params[name];
  return Array.isArray(value) && value.length === 0;
};

/** A rule that does not hold for a generator, whose data are not shown. */
export const unlessGenerator =
  (rule: ModuleRule): ModuleRule =>
  (request) =>
    request.role === 'generator' ? undefined : rule(request);

/** A parameter's name on the wire without a generator's `g`: some of MediaWiki's texts leave it out. */
export const plainName = ({ role, wire }: RuleRequest, name: string): string =>
  role === 'generator' ? wire(name).slice(1) : wire(name);

/** The module shows what belongs to its caller. */
export const loggedIn = (
  key: 'apierror-mustbeloggedin-generic' | 'apierror-mustbeloggedin-uploadstash',
  code = 'notloggedin',
): ModuleRule => {
  return ({ caller }) => {
    if (!caller) throw new ApiError(code, message(key));
  };
};

export const hasRight = ({ caller }: RuleRequest, right: string): boolean => caller?.rights.includes(right) ?? false;

/** A right of all users, unless the site does not define it. */
export const mayByDefault = ({ site, caller }: RuleRequest, right: string): boolean =>
  caller !== undefined && site.rights.includes(right);

export const permissionDenied = (action: string): ApiError =>
  new ApiError('permissiondenied', message('apierror-permissiondenied', action));
