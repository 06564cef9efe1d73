/**
 * An OpenAPI 3.1 document of the query API, for tools and generated clients.
 *
 * @module oauth-query/openapi
 */
import { feature, type PlainFeature } from '../core/feature/index.js';
import { query } from '../core/query/index.js';
import { publicDocument } from '../core/query/toolkit.js';
import { openApiDocument } from './query-openapi.js';

/** Serves the document at `openapi.json` below the path of the API: `features: [query({ … }), openApi()]`. */
export const openApi = (): PlainFeature<'openapi', never, 'query'> =>
  feature({
    name: 'openapi',
    needs: [query],
    start: ({ use, issuer }) => {
      const api = use(query);
      return { routes: [publicDocument(`${api.path}/openapi.json`, () => openApiDocument(api, issuer), true)] };
    },
  });
