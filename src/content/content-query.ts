import { resolveSite } from '../core/query/site/site.js';
import type { QueryOptions } from '../core/query/index.js';
import type { Having } from './answers/answer.js';
import { answersFrom } from './answers/index.js';
import { findPages } from './answers/pages.js';
import { Content, type VisiblePages } from './content.js';
import type { ContentSource } from './source.js';

/** The options of a query API, and what only a content source needs. What they say wins over the source. */
export interface ContentQueryOptions extends QueryOptions {
  /**
   * Which pages a caller may see. A page that is left out is in no list, no search and no count, and is missing for who asks for
   * it. What would count or show it by other ways is not answered: `categoryinfo`, the sizes of categories, numbers of hits and
   * of edits, the statistics of the site, and modules that the source answers by itself. Default: all pages are public.
   */
  readonly visible?: VisiblePages;
}

/**
 * The `query` option for content: a handler for each module that the source can answer, and what finds its pages.
 *
 * @throws TypeError when `source` is none, or `visible` is no function.
 */
export const contentQuery = (source: ContentSource, options: ContentQueryOptions = {}): QueryOptions => {
  const { visible, ...query } = options;
  if (typeof source !== 'object' || source === null) {
    throw new TypeError(
      'contentQuery: the first argument must be a content source, such as what memoryContent(…) gives.',
    );
  }
  if (visible !== undefined && typeof visible !== 'function') {
    throw new TypeError('contentQuery: visible must be a function that gives back the pages which a caller may see.');
  }
  const { statistics, ...known } = source.site ?? {};
  const site = { ...known, ...(statistics && !visible ? { statistics } : {}), ...query.site };
  const content = new Content(source, resolveSite(site), visible);
  const { users, render } = source;
  return {
    ...(source.pages ? { resolvePages: findPages(content as Having<'pages'>) } : {}),
    ...(users && {
      resolveUsers: async (ids, signal) =>
        new Map((await users.call(source, { names: [], ids }, { signal })).map(({ id, name }) => [id, name])),
    }),
    ...(render && { render }),
    ...query,
    site,
    modules: { ...(visible ? {} : source.modules), ...answersFrom(content), ...query.modules },
  };
};
