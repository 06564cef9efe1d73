import type { QueryRun } from './query-run.js';
import type { Selected } from './run-module.js';

/** The name of an unknown user id, as in MediaWiki. */
const UNKNOWN_USER = 'Unknown user';

/** Replaces user ids with names, so that handlers only receive names. */
export const resolveUserIds = async ({ context, service }: QueryRun, all: readonly Selected[]): Promise<void> => {
  const ids = [...(context.userIds ?? [])].filter((id) => id > 0);
  const { deadline } = context;
  const asked = ids.length > 0 ? service.options.resolveUsers?.(ids, deadline.signal) : undefined;
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
