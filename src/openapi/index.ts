/**
 * An OpenAPI 3.1 document of the query API, for tools and generated clients.
 *
 * @module oauth-query/openapi
 */
import { unlessKnown } from '../core/base/http/etag.js';
import { publicDocument } from '../core/base/http/public-document.js';
import { sha256 } from '../core/base/secrets.js';
import type { QueryExtension } from '../core/query/extension.js';
import { openApiDocument } from './query-openapi.js';

/** Serves the document at `openapi.json` below the path of the API: `query({ extensions: [openApi()] })`. */
export const openApi = (): QueryExtension => ({
  start: ({ path, tree, site, host: { issuer } }) => [
    publicDocument(
      `${path}/openapi.json`,
      () => openApiDocument({ tree, site, path }, issuer),
      (request, document) => {
        const headers = { ...document.headers, etag: `"${sha256(document.body).slice(0, 22)}"` };
        return unlessKnown(request, { ...document, headers });
      },
    ),
  ],
});
