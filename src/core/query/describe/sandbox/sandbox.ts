import { unlessKnown } from '../../../base/etag.js';
import type { HttpResponse, Route } from '../../../base/http.js';
import type { SandboxParts, SignInPaths } from './page.js';

/** Options of the sandbox page. */
export interface SandboxOptions {
  /**
   * A public client with the grant `authorization_code` and the URL of the page as its redirect URI. Users can then
   * sign in on the page and send requests with their own token. Without it, requests are anonymous.
   */
  readonly client_id?: string;
}

/** The path of the page, below that of the API. */
export const sandboxPath = (endpoint: string): string => `${endpoint}/sandbox`;

/**
 * How the page signs users in; `undefined` if it does not.
 *
 * @throws TypeError for an invalid option, with a message that names it.
 */
export const sandboxSignIn = (
  option: boolean | SandboxOptions,
  paths: SignInPaths | undefined,
): SandboxParts['signIn'] => {
  const client_id = typeof option === 'boolean' ? undefined : option.client_id;
  if (client_id === undefined) return undefined;
  if (paths === undefined) {
    throw new TypeError(
      'options.query.sandbox.client_id: the page signs in with an authorization code. Add authorization_code to options.grants, or remove client_id.',
    );
  }
  return { ...paths, client_id };
};

/**
 * The route of the sandbox page, if it is enabled.
 *
 * @throws TypeError for an invalid option, with a message that names it.
 */
export const sandboxRoutes = (
  option: boolean | SandboxOptions,
  { signIn, ...parts }: Omit<SandboxParts, 'signIn'> & { readonly signIn: SignInPaths | undefined },
): readonly Route[] => (option === false ? [] : [sandboxRoute({ ...parts, signIn: sandboxSignIn(option, signIn) })]);

/** The route of the page. The page is generated on the first request, and is the same for all callers. */
const sandboxRoute = (parts: SandboxParts): Route => {
  const path = sandboxPath(parts.endpoint);
  let page: Promise<HttpResponse> | undefined;
  return {
    path,
    handle: async (request) => {
      if (request.method !== 'GET' && request.method !== 'HEAD') return wrongMethod();
      // Imported on demand, like the help: most servers never serve it.
      page ??= import('./page.js').then(({ sandboxPage }) => sandboxPage(path, parts));
      return unlessKnown(request, await page);
    },
  };
};

const wrongMethod = (): HttpResponse => ({
  status: 405,
  headers: { allow: 'GET, HEAD', 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
  body: 'Use GET to open this page.\n',
});
