/**
 * The core without a framework, and the types of what an application hands in and gets back. Applications import an adapter; import this
 * module for these types, or to write an adapter.
 *
 * @module oauth-query
 */

export type { Authorization } from './base/authorization.js';
export { customGrant } from './feature/custom-grant.js';
export type { FeatureHost } from './feature/host.js';
export type { Feature } from './feature/types.js';
export type { GuardRequirement, GuardResult } from './base/http/bearer.js';
export { BodyError } from './base/http/body.js';
export { OAuthError, type OAuthErrorCode, UnavailableError } from './base/errors.js';
export type { HttpRequest, HttpResponse, Route } from './base/http/messages.js';
export type { ResourceDefinition } from './base/resource-metadata.js';
export { checkClient } from './oauth/clients/check-client.js';
export type { ClientRegistration, ClientRegistry, ClientRow, ClientSource } from './oauth/clients/client.js';
export { hashSecret } from './oauth/clients/slow-hash.js';
export type { CustomGrant, CustomGrantRequest } from './oauth/kernel/custom-grant.js';
export type { OAuthEvent } from './oauth/events/events.js';
export type { SigningKey } from './base/key-source.js';
export type { Issue } from './oauth/owners/issue.js';
export type { GrantSummary } from './oauth/owners/listed-grants.js';
export type { OwnerGrants } from './oauth/owners/owner-grants.js';
export type { OwnerRecord } from './oauth/owners/owner-records.js';
export type { Owners } from './oauth/owners/owners.js';
export type { Owner } from './oauth/records/owner.js';
export { deviceFingerprint } from './oauth/device/user-code.js';
export type { GrantInfo, ScopeDefinition } from './oauth/facts/settings.js';
export type { User, UserDirectory } from './oauth/sign-in/users.js';
export type { TokenResponse } from './oauth/tokens/token-response.js';
export type { RequestTrace } from './server/observer.js';
export type { ServerOptions } from './server/options/server-options.js';
export { createServer, type Server } from './server/server.js';
