import type { RequestListener } from 'node:http';
import { adminPages } from 'oauth-query/admin';
import { clientDocuments, storedClients } from 'oauth-query/clients';
import { dpop } from 'oauth-query/dpop';
import { mcp } from 'oauth-query/mcp';
import { openApi } from 'oauth-query/openapi';
import { openIdConnect } from 'oauth-query/openid';
import { pushedRequests } from 'oauth-query/par';
import { personalTokens } from 'oauth-query/personal-tokens';
import { query } from 'oauth-query/query';
import { sandbox } from 'oauth-query/sandbox';
import type { Framework } from '../candidates.js';
import { listener as listenerWith, optionsFor } from './oauth-query.js';
import { OPENID_SCOPE, PAGES, SCOPE, type Setup, WEB } from './setting.js';

const others = Array.from({ length: 100 }, (_one, index) => ({
  ...WEB,
  client_id: `client-${index}`,
  redirect_uris: [`https://app-${index}.example/cb`],
}));

/** The options of the same server with everything else switched on. */
const withFeatures = async (setup: Setup) => {
  const options = await optionsFor(setup);
  const inTheStore = storedClients(options.store);
  return {
    ...options,
    clients: [
      ...options.clients.map((client) =>
        client.client_id === WEB.client_id ? { ...client, scope: OPENID_SCOPE } : client,
      ),
      ...others,
      inTheStore,
      clientDocuments({ trust: ['client.example'], scopes: [SCOPE] }),
    ],
    features: [
      openIdConnect({ claims: () => ({ name: 'Alice' }) }),
      dpop(),
      pushedRequests(),
      adminPages({ clients: inTheStore, isAdmin: () => false }),
      query({
        modules: { allpages: ({ limit }: { limit: number }) => ({ items: PAGES.slice(0, limit) }) },
      }),
      sandbox(),
      mcp(),
      openApi(),
      personalTokens(),
    ],
  };
};

export const listener = (framework: Framework, setup: Setup): Promise<RequestListener> =>
  listenerWith(framework, setup, withFeatures);
