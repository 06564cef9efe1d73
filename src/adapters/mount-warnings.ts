/** Warnings about how a server is mounted, which validating options cannot detect. */
import { isPublicIssuer } from '../core/base/addresses/loopback.js';
import type { GuardRequirement } from '../core/base/http/bearer.js';
import { isForwarded } from '../core/base/http/forwarded.js';
import type { HttpRequest } from '../core/base/http/messages.js';
import type { Server } from '../core/server/server.js';

/** The tables of routes, of which the framework calls one. */
interface Reached {
  readonly routes: { readonly isReached: boolean };
  readonly whole: { readonly isReached: boolean };
}

/**
 * Warns about an issuer with a path whose metadata is not mounted at the root of the host, where clients look for it. Warns once, with the
 * first response; that of a guard names the document that the client cannot find.
 */
export const warnUnmounted = (
  mounted: object,
  { basePath, wellKnown: documents, warn }: Server,
  { issuer }: { readonly issuer?: string },
) => {
  if (basePath === '' || issuer === undefined || !('wellKnown' in mounted)) return undefined;
  const { wellKnown } = mounted;
  let isDone = false;
  Object.defineProperty(mounted, 'wellKnown', {
    enumerable: true,
    get: () => {
      isDone = true; // It is only read to mount it.
      return wellKnown;
    },
  });
  return (request: HttpRequest, { metadata }: Partial<GuardRequirement> = {}): void => {
    if (isDone || isForwarded(request)) return;
    isDone = true;
    const document = metadata ?? new URL(issuer).origin + documents[0]?.path;
    warn(
      `Clients look for ${document}, which is at the root of the host, and oauth.wellKnown is not mounted there. Mount it: app.use(oauth.wellKnown), or app.register(oauth.wellKnown) on Fastify.`,
      'OQ303',
    );
  };
};

/** Warns about guards without their server: it is created, but the framework does not call it, so no client can get a token. */
export const warnUnreached = ({ routes, whole }: Reached, { basePath, warn }: Server, isFirst = false) => {
  let isDone = !isFirst || basePath !== '';
  return (request: HttpRequest): void => {
    if (isDone || request.header('authorization') === undefined) return;
    isDone = true;
    if (routes.isReached || whole.isReached) return;
    warn(
      'A guard refused a request, and the server it belongs to is not mounted, so clients cannot get a token from it. Mount it before your routes: app.use(oauth), or app.register(oauth) on Fastify.',
      'OQ311',
    );
  };
};

/** Whether this process is one of several of a cluster. Node returns the module itself, unlike its types. */
const isWorker = (): boolean =>
  (process.getBuiltinModule('node:cluster') as { readonly isWorker?: boolean } | undefined)?.isWorker === true;

/** Warns about a server in production, or in several processes, whose grants are kept in the memory of this process. */
export const warnUnstored = (
  { store }: { readonly store?: unknown },
  { issuer }: { readonly issuer?: string },
  { warn }: Server,
): void => {
  const isPublic = isPublicIssuer(issuer);
  if (store !== undefined || !(isPublic || isWorker())) return;
  warn(
    'options.store is missing, so tokens are kept in memory: they are lost when this process ends, and other processes do not accept them. Use a store of oauth-query/stores, or set memoryStore() to confirm.',
    'OQ202',
  );
};
