/**
 * An OpenAPI 3.1 document of the query API, for tools and generated clients.
 *
 * @module oauth-query/openapi
 */
import { publicDocument, type QueryExtension } from '../core/query/index.js';
import { openApiDocument } from './query-openapi.js';

/** Serves the document at `openapi.json` below the path of the API: `query({ extensions: [openApi()] })`. */
export const openApi = (): QueryExtension => ({
  start: (api) => [publicDocument(`${api.path}/openapi.json`, () => openApiDocument(api), true)],
});
