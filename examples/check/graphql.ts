/** Subscriptions of graphql-ws. */
import { GraphQLError, type GraphQLSchema } from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import type { TokenCheck } from 'oauth-query/guard';
import type { WebSocketServer } from 'ws';

export const subscriptions = (sockets: WebSocketServer, schema: GraphQLSchema, check: TokenCheck) =>
  useServer(
    {
      schema,
      onConnect: async ({ connectionParams }) => {
        const { authorization } = await check(connectionParams?.['token'], { scope: 'photos.read' });
        return authorization !== undefined; // false closes the connection with 4403
      },
      context: async ({ connectionParams }) => {
        const { authorization, refused } = await check(connectionParams?.['token'], { scope: 'photos.read' });
        if (refused) throw new GraphQLError(refused.message, { extensions: { code: refused.error } });
        return { auth: authorization };
      },
    },
    sockets,
  );
