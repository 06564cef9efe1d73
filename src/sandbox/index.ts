/**
 * A page for trying out the query API in a browser.
 *
 * @module oauth-query/sandbox
 */

import { fail, feature, option, type PlainFeature } from '../core/feature/index.js';
import type { FeatureHost, HttpResponse, Route } from '../core/index.js';
import { query, type QueryApi } from '../core/query/index.js';
import { unlessKnown } from '../core/query/toolkit.js';
import { sandboxPage, type SandboxParts } from './page.js';

/** Options of the sandbox page. */
export interface SandboxOptions {
  /**
   * A public client with the grant `authorization_code` and the URL of the page as its redirect URI. Users can then
   * sign in on the page and send requests with their own token. Without it, requests are anonymous.
   */
  readonly client_id?: string | undefined;
}

const TABLE = option.object({
  client_id: option.text('the client_id of a public client'),
} satisfies option.Schema<SandboxOptions>);

/**
 * Serves the page at `sandbox` below the path of the API: `features: [query({ … }), sandbox()]`. It shows the same modules as help and
 * `paraminfo`.
 *
 * @throws TypeError for an invalid option; and when the server is created, for a client that cannot sign users in there.
 */
export const sandbox = (options: SandboxOptions = {}): PlainFeature<'sandbox', never, 'query'> => {
  const { client_id } = TABLE.read(options, 'sandbox');
  return feature({
    name: 'sandbox',
    needs: [query],
    start: (host) => {
      const { path, tree, frame, linkSandbox } = host.use(query);
      const page = `${path}/sandbox`;
      linkSandbox(page);
      const signIn = client_id === undefined ? undefined : signInAs(client_id, host);
      return { routes: [sandboxRoute(page, { endpoint: path, tree, signIn }, frame)] };
    },
  });
};

/** How users sign in on the page. @throws TypeError if they cannot. */
const signInAs = (client_id: string, { signIn, pageClientProblem }: FeatureHost): SandboxParts['signIn'] => {
  if (signIn === undefined)
    return fail(
      'sandbox.client_id needs the grant authorization_code in options.grants: the page signs users in with it.',
    );
  const problem = pageClientProblem(client_id);
  if (problem !== undefined) fail(`sandbox.client_id: the client ${JSON.stringify(client_id)} ${problem}`);
  return { ...signIn, client_id };
};

/** The route of the page, in the language of the reader. */
const sandboxRoute = (path: string, parts: SandboxParts, frame: QueryApi['frame']): Route => ({
  path,
  handle: async (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return wrongMethod();
    return unlessKnown(request, sandboxPage(path, parts, frame.for(request)));
  },
});

const wrongMethod = (): HttpResponse => ({
  status: 405,
  headers: { allow: 'GET, HEAD', 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
  body: 'Use GET to open this page.\n',
});
