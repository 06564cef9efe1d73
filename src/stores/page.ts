import type { ListPage } from '../core/base/ports.js';

/** A page from sorted keys, of which one more than needed was fetched, to find out whether there is a next page. */
export function pageOf(found: readonly string[], limit: number): ListPage {
  if (found.length <= limit) return { keys: found };
  const keys = found.slice(0, limit);
  return { keys, next: keys.at(-1) };
}
