import type { ScopeDefinition } from '../../options.js';
import type { ScopeView } from './views.js';

/** Scopes as people read them. */
export const scopeViews = (
  scopes: readonly string[],
  definitions: ReadonlyMap<string, ScopeDefinition>,
): readonly ScopeView[] => scopes.map((name) => ({ name, description: definitions.get(name)?.description ?? name }));
