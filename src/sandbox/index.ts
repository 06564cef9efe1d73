/**
 * A page for trying out the query API in a browser.
 *
 * @module oauth-query/sandbox
 */
import { fail, object, type Schema, text } from '../core/base/schema.js';
import type { HttpResponse, Route } from '../core/index.js';
import { type QueryExtension, type QueryParts, unlessKnown } from '../core/query/index.js';
import { sandboxPage, type SandboxParts } from './page.js';

/** Options of the sandbox page. */
export interface SandboxOptions {
  /**
   * A public client with the grant `authorization_code` and the URL of the page as its redirect URI. Users can then
   * sign in on the page and send requests with their own token. Without it, requests are anonymous.
   */
  readonly client_id?: string;
}

const TABLE = object({ client_id: text('the client_id of a public client') } satisfies Schema<SandboxOptions>);

/**
 * Serves the page at `sandbox` below the path of the API: `query({ extensions: [sandbox()] })`. It shows the same modules as help
 * and `paraminfo`.
 *
 * @throws TypeError for an invalid option; and when the server is created, for a client that cannot sign users in there.
 */
export const sandbox = (options: SandboxOptions = {}): QueryExtension => {
  const { client_id } = TABLE.read(options, 'sandbox');
  return {
    isSandbox: true,
    start: ({ path, tree, frame, host }) => {
      if (client_id === undefined) return [sandboxRoute({ endpoint: path, tree, signIn: undefined }, frame)];
      const {
        signIn = fail(
          'sandbox.client_id needs the grant authorization_code in options.grants: the page signs users in with it.',
        ),
      } = host;
      const problem = host.pageClientProblem(client_id);
      if (problem !== undefined) fail(`sandbox.client_id: the client ${JSON.stringify(client_id)} ${problem}`);
      return [sandboxRoute({ endpoint: path, tree, signIn: { ...signIn, client_id } }, frame)];
    },
  };
};

/** The route of the page, in the language of the reader. */
const sandboxRoute = (parts: SandboxParts, frame: QueryParts['frame']): Route => {
  const path = `${parts.endpoint}/sandbox`;
  return {
    path,
    handle: async (request) => {
      if (request.method !== 'GET' && request.method !== 'HEAD') return wrongMethod();
      return unlessKnown(request, sandboxPage(path, parts, frame.for(request)));
    },
  };
};

const wrongMethod = (): HttpResponse => ({
  status: 405,
  headers: { allow: 'GET, HEAD', 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
  body: 'Use GET to open this page.\n',
});
