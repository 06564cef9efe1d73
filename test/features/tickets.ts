import { OAuthError } from 'oauth-query';
import { feature } from 'oauth-query/feature';

const TICKET = 'urn:example:grant-type:ticket';

/** Exchanges a ticket of a support desk for a token of the user it was opened by. */
export const tickets = (ownerOf: (ticket: string) => Promise<string | undefined>) =>
  feature({
    name: 'tickets',
    grantTypes: [TICKET],
    start: () => ({
      grants: {
        [TICKET]: {
          parameters: { ticket: { required: true } },
          handle: async ({ parameters }) => {
            const sub = await ownerOf(parameters['ticket'] ?? '');
            if (sub === undefined) throw new OAuthError('invalid_grant', 'The ticket is not open.');
            return { sub };
          },
        },
      },
    }),
  });
