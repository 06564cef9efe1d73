/**
 * Verifiers for routes in a different process from the authorization server: `remoteGuard(introspectionVerifier({ … }))`, with `remoteGuard` from
 * the entry of your framework.
 *
 * @module oauth-query/guard
 */

export { type AuthInfo, authInfo, type AuthorizedRequest } from '../core/base/auth-info.js';
export type { CheckResult } from '../core/base/http/bearer.js';
export type { TokenCheck } from '../core/base/token-check.js';
export type { GuardOptions } from '../core/base/guard-requirement.js';
export type { IntrospectionVerifierOptions } from './introspection-options.js';
export { introspectionVerifier } from './introspection-verifier.js';
export { type JwtVerifierOptions, jwtVerifier } from './jwt-verifier.js';
export { type OnBehalfOf, onBehalfOf, type OnBehalfOfOptions } from './on-behalf-of.js';
export type { Verifier } from './verifier.js';
