/**
 * The authorization server, the guards and the query API for Fastify 5.
 *
 * @module oauth-query/fastify
 */

import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { createServer } from '../../core/server.js';
import type { JwtGuardOptions } from '../../resource-server/jwt-guard.js';
import type { IntrospectionGuardOptions } from '../../resource-server/options.js';
import { type Front, frontOf } from '../front.js';
import { type AdapterOptions, remoteIntrospection, remoteJwt, serverOptions } from '../node.js';
import { type FastifyGuard, fastifyGuard } from './guard.js';
import { type MountOptions, fastifyPlugin } from './plugin.js';

export type { Authorization } from '../../core/authorization.js';
export type { JwtGuardOptions } from '../../resource-server/jwt-guard.js';
export type { IntrospectionCredentials, IntrospectionGuardOptions } from '../../resource-server/options.js';
export type { Front, FrontOptions } from '../front.js';
export type { GuardOptions } from '../node.js';
export type { FastifyGuard, FastifyGuardHook } from './guard.js';
export type { MountOptions } from './plugin.js';

/** Everything that can be told to `oauthQuery`; all of it is optional. `owner` gets Fastify's own `FastifyRequest`. */
export interface OAuthQueryOptions extends AdapterOptions<FastifyRequest> {}

/** A plugin to mount with `app.register(…)`, with a `prefix` if it is not to be at the root. */
export interface OAuthQuery extends FastifyPluginAsync<MountOptions> {
  /**
   * Makes guards for the routes of this process: they ask the store about each token, so a revoked one is refused at
   * once.
   */
  readonly guard: FastifyGuard;
  /**
   * The metadata again, for `app.register(oauth.wellKnown)` at the root of the host: where clients look for it when the
   * issuer has a path.
   *
   * @see {@link https://www.rfc-editor.org/rfc/rfc8414#section-3.1 | RFC 8414 §3.1}
   */
  readonly wellKnown: FastifyPluginAsync<MountOptions>;
  /** Answers the requests of programs before the framework sees them, for who wants the last factor of speed. */
  readonly front: Front;
  /** Ends a grant and everything that was issued under it, for example when its owner withdraws consent. */
  readonly revokeGrant: (grantId: string) => Promise<void>;
  /** Ends a remembered approval: the owner is asked again. */
  readonly forgetConsent: (sub: string, client_id: string) => Promise<void>;
}

/**
 * An OAuth 2.0 authorization server, the guard for its tokens and the query API, as one plugin for Fastify 5.
 *
 * @throws TypeError with a sentence that names a wrong option and the remedy.
 */
export const oauthQuery = (options: OAuthQueryOptions = {}): OAuthQuery => {
  const complete = serverOptions(options, 'app.register(oauthQuery({ … }))');
  const server = createServer(complete);
  return Object.assign(fastifyPlugin(server.routes, complete), {
    guard: fastifyGuard(server, complete.onError),
    wellKnown: fastifyPlugin(server.wellKnown, complete),
    front: frontOf(server, complete.onError),
    revokeGrant: (grantId: string) => server.revokeGrant(grantId),
    forgetConsent: (sub: string, client_id: string) => server.forgetConsent(sub, client_id),
  });
};

/** A guard for the routes of another process than the authorization server's; `close` ends its open connections. */
export type RemoteGuard = FastifyGuard & {
  /** Closes the connections that are kept open. They keep no process alive, so nobody has to. */
  readonly close: () => void;
};

/**
 * Protects routes with the tokens of an authorization server elsewhere: asks its introspection endpoint (RFC 7662), once
 * for all requests that bring the same token, and believes an answer for a few seconds.
 *
 * @throws TypeError with a sentence that names a wrong option and the remedy.
 */
export const introspectionGuard = (options: IntrospectionGuardOptions): RemoteGuard => {
  const { remote, onError } = remoteIntrospection(options);
  return Object.assign(fastifyGuard(remote, onError), { close: () => remote.close() });
};

/**
 * Protects routes with JWT access tokens (RFC 9068) of an authorization server elsewhere, without a request per token.
 *
 * @throws TypeError with a sentence that names a wrong option and the remedy.
 */
export const jwtGuard = (options: JwtGuardOptions): RemoteGuard => {
  const { remote, onError } = remoteJwt(options);
  return Object.assign(fastifyGuard(remote, onError), { close: () => remote.close() });
};
