import { feature, json } from 'oauth-query/feature';
import { query } from 'oauth-query/query';

/** `GET /titles.json`: the first 50 titles that everyone may read. */
export const titles = () =>
  feature({
    name: 'titles',
    needs: [query],
    start: ({ use }) => {
      const { run, errorOf } = use(query);
      const parameters = { list: 'allpages', aplimit: 50 };
      return {
        routes: [
          {
            path: '/titles.json',
            GET: async ({ request }) => {
              try {
                const { data } = await run({ request, caller: undefined, parameters });
                return json(200, { pages: data['allpages'] });
              } catch (error) {
                const { status, code, message } = errorOf(error);
                return json(status, { error: code, error_description: message });
              }
            },
          },
        ],
      };
    },
  });
