import type { ImpliedScopes } from '../facts/implied-scopes.js';
import type { Resources } from '../facts/resources.js';
import type { ScopeDefinition } from '../facts/settings.js';
import type { ScopeView } from './views.js';

/** Scopes as pages show them: without those that another one implies. */
export const scopeViews = (
  granted: readonly string[],
  {
    scopes,
    impliedScopes,
  }: { readonly scopes: ReadonlyMap<string, ScopeDefinition>; readonly impliedScopes: ImpliedScopes },
  locale: string,
): readonly ScopeView[] =>
  impliedScopes.broadest(granted).map((name) => {
    const { description = name, translations = {} } = scopes.get(name) ?? {};
    const translation = Object.hasOwn(translations, locale) ? translations[locale] : undefined;
    return { name, description: translation ?? description };
  });

/** Shows access on pages. */
export interface AccessViews {
  /** Scopes without those that another one implies, and single claims. */
  scopes(granted: readonly string[], locale: string, claims?: readonly string[]): readonly ScopeView[];
  /** Resources by their names, or by their URLs. The server's own needs none. */
  resources(named: readonly string[]): readonly string[];
}

export const accessViews = (given: {
  readonly scopes: ReadonlyMap<string, ScopeDefinition>;
  readonly impliedScopes: ImpliedScopes;
  readonly resources: Resources;
  readonly configuredIssuer: string | undefined;
  readonly hooks: { readonly describeClaims?: (names: readonly string[], locale: string) => readonly ScopeView[] };
}): AccessViews => ({
  scopes: (granted, locale, claims = []) => [
    ...scopeViews(granted, given, locale),
    ...(given.hooks.describeClaims?.(claims, locale) ?? []),
  ],
  resources: (named) =>
    named
      .filter((resource) => resource !== given.configuredIssuer)
      .map((resource) => given.resources.describe(resource)?.name ?? resource.replace(/^https?:\/\//, '')),
});
