import type { QueryRun } from './query-run.js';
import type { Selected } from './run-module.js';

/** Whom an id means that no user has, as in MediaWiki. */
const UNKNOWN_USER = 'Unknown user';

/** Puts names where the request has ids of users, so that handlers know users by their names alone. */
export const nameUsers = async ({ context, service }: QueryRun, all: readonly Selected[]): Promise<void> => {
  const ids = [...(context.userIds ?? [])].filter((id) => id > 0);
  const { deadline } = context;
  const asked = ids.length > 0 ? service.resolveUsers?.(ids, deadline.signal) : undefined;
  const names = await deadline.waitFor(Promise.resolve(asked));
  const nameOf = (value: unknown): unknown =>
    typeof value === 'string' && value.startsWith('#') ? (names?.get(Number(value.slice(1))) ?? UNKNOWN_USER) : value;
  for (const { module, params } of all) {
    for (const [parameter, { type }] of Object.entries(module.descriptor.parameters)) {
      const value = params[parameter];
      if (type !== 'user' || value === undefined) continue;
      params[parameter] = Array.isArray(value) ? [...new Set(value.map(nameOf))] : nameOf(value);
    }
  }
};
