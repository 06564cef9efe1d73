import type { ImpliedScopes } from '../facts/implied-scopes.js';
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
