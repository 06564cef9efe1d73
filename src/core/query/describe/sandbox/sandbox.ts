import { unlessKnown } from '../../../base/etag.js';
import type { HttpResponse, Route } from '../../../base/http.js';
import type { SandboxParts, SignInPlaces } from './page.js';

/** How the sandbox page is switched on. */
export interface SandboxOptions {
  /**
   * A public client with the grant `authorization_code`, whose redirect URI is the address of the page. With it people
   * can sign in there and send requests in their own name. Without it, requests are anonymous.
   */
  readonly client_id?: string;
}

/**
 * The page as the option wants it, or nothing.
 *
 * @throws TypeError when the option cannot be meant, with a sentence that names it.
 */
export const sandboxRoutes = (
  option: boolean | SandboxOptions,
  { signIn, ...parts }: Omit<SandboxParts, 'signIn'> & { readonly signIn: SignInPlaces | undefined },
): readonly Route[] => {
  if (option === false) return [];
  const client_id = option === true ? undefined : option.client_id;
  if (client_id === undefined) return [sandboxRoute({ ...parts, signIn: undefined })];
  if (signIn === undefined) {
    throw new TypeError(
      'options.query.sandbox.client_id: the page signs in with an authorization code; add authorization_code to options.grants, or leave client_id out.',
    );
  }
  return [sandboxRoute({ ...parts, signIn: { ...signIn, client_id } })];
};

/** The route of the page. Generated from the descriptions on the first request, and the same for all callers. */
const sandboxRoute = (parts: SandboxParts): Route => {
  const path = `${parts.endpoint}/sandbox`;
  let page: Promise<HttpResponse> | undefined;
  return {
    path,
    handle: async (request) => {
      if (request.method !== 'GET' && request.method !== 'HEAD') return wrongMethod();
      // Loaded here, as the help is: most servers are never asked for it.
      page ??= import('./page.js').then(({ sandboxPage }) => sandboxPage(path, parts));
      return unlessKnown(request, await page);
    },
  };
};

const wrongMethod = (): HttpResponse => ({
  status: 405,
  headers: { allow: 'GET, HEAD', 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
  body: 'This is a page: open it with GET.\n',
});
