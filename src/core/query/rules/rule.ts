import { ApiError, type ConditionData } from '../answer/api-error.js';
import type { Caller } from '../modules/handlers.js';
import { type Message, message, nameList } from '../answer/messages.js';
import type { PageSet } from '../pages/page-set.js';
import type { ParsedParams } from '../parameters/parse.js';
import type { Site } from '../site/site.js';
import { parseTitle } from '../pages/title.js';

/** What a rule may look at. The parameters have been read one by one already. */
export interface RuleRequest {
  readonly params: ParsedParams;
  readonly role: 'module' | 'generator';
  readonly caller: Caller | undefined;
  readonly site: Site;
  /** A parameter's name on the wire. */
  wire(name: string): string;
  /** Whether the request itself names the parameter; a default does not count. */
  sent(name: string): boolean;
  warn(code: string, text: Message, data?: ConditionData): void;
  deprecate(text: Message, feature: string): void;
}

/** A condition between several parameters of a module, or between a parameter and its caller. */
export type Rule = (request: RuleRequest) => void;

/** A condition that can only be judged when the pages are known. */
export type PageRule = (request: RuleRequest, pages: PageSet, input: { readonly redirects: boolean }) => void;

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

export function atMostOneOf(...names: readonly string[]): Rule {
  return (request) => {
    const found = names.filter((name) => given(request, name));
    if (found.length > 1)
      throw new ApiError('invalidparammix', message('apierror-invalidparammix', ...quoted(request, found)));
  };
}

export function exactlyOneOf(...names: readonly string[]): Rule {
  const most = atMostOneOf(...names);
  return (request) => {
    if (!names.some((name) => given(request, name))) {
      throw new ApiError('missingparam', message('apierror-missingparam-one-of', ...quoted(request, names)));
    }
    most(request);
  };
}

/** `A` makes no sense beside `B`. Both are given as they stand on the wire. */
export const cannotUseWith = (a: string, b: string): ApiError =>
  new ApiError('invalidparammix', message('apierror-invalidparammix-cannotusewith', a, b));

/** `A` makes no sense without `B`. */
export const mustUseWith = (a: string, b: string, code = 'invalidparammix'): ApiError =>
  new ApiError(code, message('apierror-invalidparammix-mustusewith', a, b));

export const invalidTitle = (text: string): ApiError =>
  new ApiError('invalidtitle', message('apierror-invalidtitle', { plaintext: text }));

/** Texts that are compared with titles have to be the beginning of one. */
export function titleParts(...names: readonly string[]): Rule {
  return ({ params, site }) => {
    for (const name of names) {
      const part = params[name];
      if (typeof part !== 'string') continue;
      const title = parseTitle(`${part}x`, site);
      if (title.kind !== 'local' || part.includes('#')) throw invalidTitle(part);
    }
  };
}

/** Texts that have to be titles as a whole. */
export function wholeTitles(...names: readonly string[]): Rule {
  return ({ params, site }) => {
    for (const name of names) {
      const text = params[name];
      if (typeof text === 'string' && parseTitle(text, site).kind === 'invalid') throw invalidTitle(text);
    }
  };
}

/** `minor` and `!minor` at once can find nothing. */
export const noContradiction: Rule = (request) => {
  const shown = new Set(valuesOf(request, 'show'));
  for (const value of shown) {
    if (typeof value === 'string' && shown.has(`!${value}`)) throw new ApiError('show', message('apierror-show'));
  }
};

/** The module shows what belongs to its caller. */
export function loggedIn(
  key: 'apierror-mustbeloggedin-generic' | 'apierror-mustbeloggedin-uploadstash' | 'apierror-mustbeloggedin-watchlist',
  code = 'notloggedin',
): Rule {
  return ({ caller }) => {
    if (!caller) throw new ApiError(code, message(key));
  };
}

export const hasRight = ({ caller }: RuleRequest, right: string): boolean => caller?.rights.includes(right) ?? false;

export const permissionDenied = (action: string): ApiError =>
  new ApiError('permissiondenied', message('apierror-permissiondenied', action));
