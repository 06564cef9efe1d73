import { feature, json } from 'oauth-query/feature';

/** Each token says which tenant its owner belongs to, and `GET /oauth/tenant` tells whoever has one. */
export const tenants = (tenantOf: (sub: string) => string | Promise<string>) =>
  feature({
    name: 'tenants',
    claims: {
      names: ['tenant'],
      of: async ({ owner }) => (owner === undefined ? {} : { tenant: await tenantOf(owner.sub) }),
    },
    start: ({ guard }) => ({
      tokens: { fields: (_asked, { claims }) => ({ tenant: claims['tenant'] }) },
      routes: [
        {
          path: '/oauth/tenant',
          GET: async ({ request }) => {
            const found = await guard(request, { scopes: [] });
            return 'response' in found ? found.response : json(200, found.authorization.claims ?? {});
          },
        },
      ],
    }),
  });
