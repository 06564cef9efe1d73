import type { Guard } from '../../src/adapters/facade.js';
import type { GuardOptions } from '../../src/core/base/guard-requirement.js';

/** What a route of a test asks for. Empty: any valid token. */
export type WantedScope = string | readonly [] | readonly [string, ...string[]];

export const guardWith = <Handler>(guard: Guard<Handler>, scope: WantedScope, options: GuardOptions): Handler => {
  if (typeof scope === 'string') return guard(scope, options);
  const [first, ...more] = scope;
  return first === undefined ? guard.any(options) : guard([first, ...more], options);
};
