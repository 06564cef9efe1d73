/**
 * The core without a framework, and the types shared by all entry points. Applications import an adapter; import this module to
 * write handlers, stores, pages or an adapter.
 *
 * @module oauth-query
 */

export type { Authorization } from './base/authorization.js';
export { BodyError, type BodyProblem } from './base/http/body.js';
export { UnavailableError } from './base/errors.js';
export { type Html, html, type HtmlPart } from './base/html.js';
export type { ResourceDefinition } from './base/resource-metadata.js';
export type { HttpRequest, HttpResponse, RequestBody, Route } from './base/http/messages.js';
export type { GuardRequirement, GuardResult } from './base/http/bearer.js';
export { OAuthError, type OAuthErrorCode, type OAuthErrorInit } from './base/errors.js';
export {
  type CustomGrant,
  customGrant,
  type CustomGrantAnswer,
  type CustomGrantRequest,
  type GrantClient,
  type GrantParameter,
  type GrantParameters,
} from './oauth/custom-grant.js';
export type {
  AuthenticationMethod,
  ClientRegistration,
  ClientRegistry,
  ClientRow,
  ClientSource,
  CustomGrantName,
  GrantName,
  GrantType,
} from './oauth/clients/client.js';
export { checkClient, type ClientCheckOptions } from './oauth/clients/check-client.js';
export type { ClientSecret } from './oauth/clients/client-secret.js';
export type {
  EventOrigin,
  EventOutcome,
  OAuthEvent,
  OAuthEventListener,
  OAuthOccurrence,
  RefusalReason,
} from './oauth/events/events.js';
export type { ExternalKey, Jwk, KeySource, SigningAlgorithm, SigningKey } from './oauth/keys/signing-keys.js';
export { type PageContent, pageLayout } from './oauth/pages/layout.js';
export { type AccentColors, styleSheet } from './base/pages/style.js';
export type { Branding, BrandingLinks } from './base/pages/branding.js';
export type { PageLanguage, PageProblemCode, PageTextName, PageTexts, PluralText } from './base/pages/languages/english.js';
export type {
  ConsentView,
  DeviceCodeView,
  DeviceConsentView,
  DeviceDoneView,
  GrantsView,
  ConnectedAppView,
  ErrorView,
  HiddenFields,
  LoginView,
  PageView,
  RenderedPage,
  ScopeView,
  SiteView,
  Templates,
} from './oauth/pages/views.js';
export type { ChallengeMethod } from './oauth/clients/pkce.js';
export { hashSecret } from './oauth/clients/slow-hash.js';
export type { Owner } from './oauth/records/owner.js';
export { deviceFingerprint } from './oauth/records/user-code.js';
export type { User, UserDirectory } from './oauth/sign-in/users.js';
export type { Issue, IssueRequest } from './oauth/owners/issue.js';
export type { TokenResponse } from './oauth/tokens/tokens.js';
export type { GrantTarget, OwnerGrants } from './oauth/owners/owner-grants.js';
export type { EndedGrants } from './oauth/owners/ended-grants.js';
export type {
  OwnerConnectionRecord,
  OwnerConsentRecord,
  OwnerGrantRecord,
  OwnerRecord,
} from './oauth/owners/owner-records.js';
export type { DoneBy, Owners } from './oauth/owners/owners.js';
export type {
  ConnectedApp,
  GrantPage,
  GrantPageRequest,
  GrantsOf,
  GrantSummary,
} from './oauth/owners/listed-grants.js';
export type {
  DeviceOptions,
  GrantInfo,
  Lifetimes,
  Limits,
  PathName,
  Policy,
  ScopeDefinition,
  Timeouts,
} from './oauth/settings.js';
export type { RegistrationOptions } from './oauth/clients/registrations.js';
export type { AccessTokenOptions, Runtime, ServerOptions } from './server/options/server-options.js';
export type { Clock, ListPage, ListRequest, MaybePromise, RandomBytes, Revision, Store, Timer } from './base/ports.js';
export type { Feature, FeatureHost, SignInPaths } from './base/feature.js';
export type { RequestTrace } from './server/observer.js';
export { createServer, type Server } from './server/server.js';
