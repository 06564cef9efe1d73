import { defined } from '../core/base/defined.js';
import { mistake } from '../core/base/mistakes.js';
import type { QueryOptions } from '../core/query/index.js';
import { resolveSite } from '../core/query/toolkit.js';
import type { Having } from './answers/answer.js';
import { answersFrom } from './answers/index.js';
import { findPages } from './answers/pages.js';
import { Content, type VisiblePages } from './content.js';
import type { ContentSource } from './source.js';

/** The options of the query API, and those of content sources. They override the source. */
export interface ContentQueryOptions extends QueryOptions {
  /**
   * Returns the pages that a caller may see. Other pages are treated as if they did not exist, as are users who have
   * only edited such pages. Results that would count them are omitted: `categoryinfo`, sizes of categories, numbers of
   * hits and edits, registrations of users, statistics of the site, and modules that the source implements itself.
   * Default: all pages are public.
   */
  readonly visible?: VisiblePages;
}

/**
 * Returns the `query` option for a content source: handlers for all modules that it can answer, and its page resolver.
 *
 * @throws TypeError if `source` is not a content source, or `visible` is not a function.
 */
export const contentQuery = (source: ContentSource, options: ContentQueryOptions = {}): QueryOptions => {
  const { visible, ...query } = options;
  if (source instanceof Promise)
    throw mistake('contentQuery: the content source is a promise. Await it first: contentQuery(await …).', 'OQ103');
  if (typeof source !== 'object' || source === null) {
    throw new TypeError(
      'contentQuery: the first argument must be a content source, such as the result of memoryContent(…).',
    );
  }
  if ('visible' in options && typeof visible !== 'function') {
    throw new TypeError('contentQuery: visible must be a function that returns the pages that a caller may see.');
  }
  const { statistics, ...known } = source.site ?? {};
  const site = { ...known, ...(statistics && !visible ? { statistics } : {}), ...defined(query.site ?? {}) };
  const content = new Content(source, resolveSite(site), visible);
  const { users, render } = source;
  return {
    ...(source.pages ? { resolvePages: findPages(content as Having<'pages'>) } : {}),
    ...(users && {
      resolveUsers: async (ids, signal) =>
        new Map((await users.call(source, { names: [], ids }, { signal })).map(({ id, name }) => [id, name])),
    }),
    ...(render && { render }),
    ...defined(query),
    site,
    modules: { ...(visible ? {} : source.modules), ...answersFrom(content), ...query.modules },
  };
};
