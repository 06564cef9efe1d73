import { INTROSPECT, parseScope } from '../../base/scope.js';
import type { ImpliedScopes } from '../facts/implied-scopes.js';
import type { Client, ClientRegistration } from './client.js';

/** Scopes of the server, for validating registrations. */
export interface ScopeRules {
  /** All scopes of the server. */
  readonly scopes: ReadonlySet<string>;
  /** Implied scopes; a client that may request a scope may also request these. */
  readonly impliedScopes?: ImpliedScopes;
  /** Scopes that a client only gets by naming them in a request or in its `default_scope`. */
  readonly neverByDefault?: ReadonlySet<string>;
}

/** Collects a problem, as the end of a sentence, so that all of them are found. */
export type Report = (problem: string) => void;

/** The scopes named by a registration; all but `introspect` if it names none. */
const namedScopes = ({ scope }: ClientRegistration, rules: ScopeRules, report: Report): readonly string[] => {
  if (scope === undefined) return [...rules.scopes].filter((name) => name !== INTROSPECT);
  const parsed = parseScope(scope);
  if (parsed === undefined) report('scope must be scopes separated by single spaces');
  const unknown = parsed?.find((name) => !rules.scopes.has(name));
  if (unknown !== undefined) report(`scope names ${JSON.stringify(unknown)}, which options.scopes does not have`);
  return parsed ?? [];
};

/** The scopes a client may request, and those it gets if it requests none. */
export const registeredScopes = (
  registration: ClientRegistration,
  rules: ScopeRules,
  report: Report,
): Pick<Client, 'scopes' | 'defaultScope'> => {
  const named = namedScopes(registration, rules, report);
  const scopes = new Set(rules.impliedScopes?.expand(named) ?? named);
  if (registration.default_scope === undefined)
    return { scopes, defaultScope: named.filter((scope) => rules.neverByDefault?.has(scope) !== true) };
  const parsed = parseScope(registration.default_scope);
  if (parsed === undefined) report('default_scope must be scopes separated by single spaces');
  const unknown = parsed?.find((scope) => !scopes.has(scope));
  if (unknown !== undefined) report(`default_scope names ${JSON.stringify(unknown)}, which the client may not request`);
  return { scopes, defaultScope: parsed ?? [] };
};
