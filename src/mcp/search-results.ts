import type { Site } from '../core/query/index.js';
import { pageAddress } from '../core/query/toolkit.js';
import type { Shape } from './queries.js';
import type { JsonSchema } from './schemas.js';

const TEXT: JsonSchema = { type: 'string' };

/**
 * Adds the `id` that `fetch` takes, and the `url`, to the rows of a search, and the rows as `results`: some clients expect a pair of tools
 * with these names.
 */
export const searchShape =
  (site: Site): Shape =>
  (data) => {
    const { search } = data;
    if (!Array.isArray(search)) return data;
    const rows = search.map((row: { readonly pageid?: unknown; readonly title?: unknown }) => ({
      id: String(row.pageid),
      url: pageAddress(String(row.title), site),
      ...row,
    }));
    return { data: { ...data, search: rows }, results: rows };
  };

/** The schema of `results`. */
export const RESULTS: JsonSchema = {
  type: 'array',
  description: 'The rows of data.search.',
  items: { type: 'object', required: ['id', 'title', 'url'], properties: { id: TEXT, title: TEXT, url: TEXT } },
};
