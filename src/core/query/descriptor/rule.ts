import type { MaybePromise } from '../../base/ports.js';
import { ApiError, apiError, type ConditionData } from '../answer/api-error.js';
import { type Message, message, nameList } from '../answer/messages.js';
import type { Caller } from '../caller.js';
import type { Site } from '../site/site.js';
import type { PageSet } from './page-model.js';

/** The host's verdict on a watchlist token: valid, wrong, or the user does not exist. */
export type WatchlistTokenVerdict = 'valid' | 'wrong' | 'no-user';

/** The request that a rule checks, with parsed parameters. */
export interface RuleRequest {
  /** Parameters by their names without the prefix. */
  readonly params: Readonly<Record<string, unknown>>;
  /** `generator` if the module generates pages for others. */
  readonly role: 'module' | 'generator';
  /** `undefined` without a bearer token. */
  readonly caller: Caller | undefined;
  /** The site, with all defaults. */
  readonly site: Site;
  /** Whether redirects are resolved. */
  readonly redirects: boolean;
  /** Whether the module has a handler, which then defines the form of its continue values. */
  readonly answered: boolean;
  /** The name of a parameter on the wire. */
  wire(name: string): string;
  /** Whether the request contains the parameter; defaults do not count. */
  sent(name: string): boolean;
  /** Replaces the value for the handler with the default, or with `instead`. */
  ignore(name: string, instead?: unknown): void;
  /** Adds a warning to the response. */
  warn(code: string, text: Message | string, data?: ConditionData): void;
  /** Adds a deprecation warning; `feature` identifies the usage, as part of a query string. */
  deprecate(text: Message, feature: string): void;
  /** Checks the token of a user's watchlist with the host's function. */
  verifyWatchlistToken(owner: string, token: string): MaybePromise<WatchlistTokenVerdict>;
}

/**
 * The outcome of a rule that did not throw: `nothing` if the module's result is empty without calling its handler or
 * further rules; or a lower limit.
 */
export type RuleOutcome =
  | 'nothing'
  | {
      /** The maximum number of results. */
      readonly limit: number;
    }
  | undefined;

/** A condition on several parameters of a module, or on a parameter and the caller. Throws an {@link ApiError}. */
export type ModuleRule = (request: RuleRequest) => RuleOutcome | void;

/** A condition that depends on the pages, or calls a function of the host. Throws an {@link ApiError}. */
export type PageRule = (request: RuleRequest, pages: PageSet) => MaybePromise<RuleOutcome | void>;

/** The maximum values of a limit. */
export interface LimitBounds {
  /** For ordinary callers. */
  readonly max: number;
  /** For callers with the right `apihighlimits`. */
  readonly highmax: number;
}

/** The limit of a module in one request. */
interface LimitDecision {
  /** Bounds in addition to the declared ones. */
  readonly bounds?: LimitBounds;
  /** The default limit, if it is not the declared one. `max` is the maximum. */
  readonly fallback?: number | 'max';
}

/** Determines the limit of a request from its other parameters. */
export type LimitRule = (params: Readonly<Record<string, unknown>>) => LimitDecision;

/** Whether a parameter has a value. An empty text and zero are values. */
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
    if (found.length > 1) throw apiError('invalidparammix', ...quoted(request, found));
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

/** The error for `a` together with `b`, both as on the wire. */
export const cannotUseWith = (a: string, b: string, code = 'invalidparammix'): ApiError =>
  new ApiError(code, message('apierror-invalidparammix-cannotusewith', a, b));

/** The error for `a` without `b`. */
export const mustUseWith = (a: string, b: string, code = 'invalidparammix'): ApiError =>
  new ApiError(code, message('apierror-invalidparammix-mustusewith', a, b));

/**
 * Rejects values of `show` that exclude each other: each word with its `!` form, and the given pairs.
 *
 * @param pairs - A value that `show` does not have is a flag of the module.
 */
export const noContradiction = (...pairs: readonly (readonly [string, string])[]): ModuleRule => {
  return (request) => {
    const shown = new Set(valuesOf(request, 'show'));
    const has = (value: string): boolean => shown.has(value) || request.params[value] === true;
    for (const value of shown) {
      if (typeof value === 'string' && shown.has(`!${value}`)) throw apiError('show');
    }
    if (pairs.some(([a, b]) => has(a) && has(b))) throw apiError('show');
  };
};

/** An empty list is ignored. */
export const emptyIsAll = (...names: readonly string[]): ModuleRule => {
  return (request) => {
    for (const name of names) if (isEmptySet(request, name)) request.ignore(name);
  };
};

/** An empty list has no results. */
export const emptyIsNone = (name: string): ModuleRule => {
  return (request) => (isEmptySet(request, name) ? 'nothing' : undefined);
};

export const isEmptySet = ({ params }: RuleRequest, name: string): boolean => {
  const value = params[name];
  return Array.isArray(value) && value.length === 0;
};

/** A rule that does not apply to generators, whose data is not shown. */
export const unlessGenerator =
  (rule: ModuleRule): ModuleRule =>
  (request) =>
    request.role === 'generator' ? undefined : rule(request);

/** A parameter's name on the wire without a generator's `g`, which some of MediaWiki's messages omit. */
export const plainName = ({ role, wire }: RuleRequest, name: string): string =>
  role === 'generator' ? wire(name).slice(1) : wire(name);

/** The module requires a caller. */
export const loggedIn = (
  key: 'apierror-mustbeloggedin-generic' | 'apierror-mustbeloggedin-uploadstash',
  code = 'notloggedin',
): ModuleRule => {
  return ({ caller }) => {
    if (!caller) throw new ApiError(code, message(key));
  };
};

export const hasRight = ({ caller }: RuleRequest, right: string): boolean => caller?.rights.includes(right) ?? false;

export const permissionDenied = (action: string): ApiError => apiError('permissiondenied', action);
