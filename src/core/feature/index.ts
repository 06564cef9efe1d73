/**
 * The port of features: what is plugged into a server with `oauthQuery({ features: [ … ] })`. The features of this package use it too.
 *
 * @module oauth-query/feature
 */

import * as option from './options.js';

export { FORBIDDEN_SCHEMES, isPageAddress, isPath, urlProblem } from '../base/addresses/request-addresses.js';
export { isLoopbackHost } from '../base/addresses/loopback.js';
export type { Actor } from '../base/actor.js';
export { abortedInTime } from '../base/deadline.js';
export { BearerError, OAuthError, UnavailableError } from '../base/errors.js';
export { html, type Html } from '../base/html.js';
export { json, redirect } from '../base/http/responses.js';
export { type ProofChecker, ProofError } from '../base/key-proofs.js';
export { KEY_SOURCE, type KeySource } from '../base/key-source.js';
export { RateLimit } from '../base/limits/rate-limit.js';
export { PERSONAL_TOKENS } from '../base/personal-tokens.js';
export { printable } from '../base/printable.js';
export { ASSERTION_ALGORITHMS, isSecretKey, publicKeyProblem } from '../base/public-keys.js';
export { contradiction, type Rules } from '../base/rules.js';
export { SECRETS } from '../base/secret-option.js';
export { fail, isRecord } from '../base/schema.js';
export { isSubset, parseScope } from '../base/scope.js';
export { keyedHash } from '../base/secrets.js';
export { checkAwaited, checkStillAwaited } from '../base/waiting.js';
export type { ClaimsContext, ClaimsPart } from './claims.js';
export type { AskedSignIn, SignInWishes } from '../oauth/sign-in/asked-sign-in.js';
export { feature, type FeatureDefinition, featureMaker } from './feature.js';
export type {
  AddressLimit,
  ClientMetadata,
  ClientRoute,
  FeatureHost,
  HandedOverRequests,
  SelfDescribedClients,
} from './host.js';
export { option };
export type { OwnerRoute, OwnerVisit } from './owner-pages.js';
export type { TokenOwner, Visit } from './owners.js';
export type {
  Answer,
  AskedAuthorization,
  AskedIntrospection,
  AskedScope,
  AskedTokens,
  Call,
  ClientCall,
  Ending,
  FeatureClient,
  FeatureGrant,
  FeatureRoute,
  Form,
  FormCall,
  FormFields,
  FoundToken,
  GrantPart,
  IssuedToken,
  OwnerSession,
  Parts,
  PublicClient,
  ReadAuthorization,
} from './parts.js';
export type { Feature, FeatureMaker, FeatureOf, PlainFeature, Verifying } from './types.js';
export type { Verification, VerifierHost, Verify } from './verify.js';
