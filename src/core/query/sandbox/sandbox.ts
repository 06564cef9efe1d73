import type { HttpRequest, HttpResponse, Route } from '../../http.js';
import type { ModuleNode } from '../description/module-tree.js';
import type { Site } from '../site/site.js';

/** How the sandbox page is switched on. */
export interface SandboxOptions {
  /**
   * A public client with the grant `authorization_code`, whose redirect URI is the address of the page. With it people
   * can sign in there and send requests in their own name. Without it the page sends requests without a name.
   */
  readonly client_id?: string;
}

/** Where the server that the query API is part of signs people in. All paths are below its mount point. */
export interface SignInPlaces {
  readonly authorize: string;
  readonly token: string;
  readonly revoke: string;
  /** What `iss` says in its answers (RFC 9207); `undefined` when that is the origin of the page. */
  readonly issuer: string | undefined;
}

/** What the page shows and where it leads. */
export interface SandboxParts {
  /** Path of the endpoint that the page sends its requests to. The page is right below it. */
  readonly endpoint: string;
  readonly tree: ModuleNode;
  readonly site: Site;
  /** Absent when nobody can sign in here. */
  readonly signIn: (SignInPlaces & { readonly client_id: string }) | undefined;
}

const REMEDY = 'give false, true, or { client_id } with the name of a public client.';

const clientOf = (option: true | SandboxOptions): string | undefined => {
  if (option === true) return undefined;
  if (typeof option !== 'object' || option === null || Object.keys(option).some((name) => name !== 'client_id')) {
    throw new TypeError(`query.sandbox: ${REMEDY}`);
  }
  const { client_id } = option;
  if (client_id !== undefined && (typeof client_id !== 'string' || client_id === '')) {
    throw new TypeError(`query.sandbox.client_id: ${REMEDY}`);
  }
  return client_id;
};

/**
 * The page as the option wants it, or nothing.
 *
 * @throws TypeError when the option cannot be meant, with a sentence that names it.
 */
export const sandboxRoutes = (
  option: boolean | SandboxOptions | undefined,
  { signIn, ...parts }: Omit<SandboxParts, 'signIn'> & { readonly signIn: SignInPlaces | undefined },
): readonly Route[] => {
  if (option === false) return [];
  const client_id = clientOf(option === undefined ? true : option);
  if (client_id === undefined) return [sandboxRoute({ ...parts, signIn: undefined })];
  if (signIn === undefined) {
    throw new TypeError(
      'query.sandbox.client_id: the page signs in with an authorization code; add authorization_code to options.grants, or leave client_id out.',
    );
  }
  return [sandboxRoute({ ...parts, signIn: { ...signIn, client_id } })];
};

/** The route of the page. Made of the descriptions when it is first asked for, and the same for everybody from then on. */
const sandboxRoute = (parts: SandboxParts): Route => {
  const path = `${parts.endpoint}/sandbox`;
  let page: Promise<HttpResponse> | undefined;
  return {
    path,
    handle: async (request) => {
      if (request.method !== 'GET' && request.method !== 'HEAD') return wrongMethod();
      // Loaded here, as the help is: most servers are never asked for it.
      page ??= import('./page.js').then(({ sandboxPage }) => sandboxPage(path, parts));
      return fresh(request, await page);
    },
  };
};

const wrongMethod = (): HttpResponse => ({
  status: 405,
  headers: { allow: 'GET, HEAD', 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
  body: 'This is a page: open it with GET.\n',
});

/** Who has the page already is told so (RFC 9110 §13.1.2). */
const fresh = (request: HttpRequest, page: HttpResponse): HttpResponse => {
  const etag = page.headers['etag'];
  const known = request.header('if-none-match')?.split(',') ?? [];
  if (typeof etag !== 'string' || !known.some((tag) => tag.trim().replace(/^W\//, '') === etag)) return page;
  const { 'content-type': _type, ...headers } = page.headers;
  return { status: 304, headers, body: '' };
};
