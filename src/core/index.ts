/**
 * The core without a framework, and the types shared by all entry points. Applications import an adapter; import this module to
 * write handlers, stores, pages or an adapter.
 *
 * @module oauth-query
 */

export type { Authorization } from './base/authorization.js';
export { BodyError, type BodyProblem } from './base/body.js';
export { UnavailableError } from './base/errors.js';
export { type Html, html, type HtmlPart } from './base/html.js';
export type { ResourceDefinition } from './base/resource-metadata.js';
export type { HttpRequest, HttpResponse, RequestBody, Route } from './base/http.js';
export type { GuardRequirement, GuardResult } from './base/bearer.js';
export { OAuthError, type OAuthErrorCode, type OAuthErrorInit } from './base/errors.js';
export {
  type CustomGrant,
  customGrant,
  type CustomGrantAnswer,
  type CustomGrantRequest,
  type GrantClient,
  type GrantParameter,
  type GrantParameters,
} from './oauth/grants/custom-grant.js';
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
} from './oauth/events.js';
export type { ExternalKey, Jwk, KeySource, SigningAlgorithm, SigningKey } from './oauth/jwt/signing-keys.js';
export { type PageContent, pageLayout } from './oauth/pages/layout.js';
export { type AccentColors, styleSheet } from './oauth/pages/style.js';
export type { Branding, BrandingLinks } from './oauth/pages/branding.js';
export {
  ENGLISH,
  type PageProblemCode,
  type PageTextName,
  type PageTexts,
  type PluralText,
} from './oauth/pages/languages/english.js';
export type { LanguageOptions } from './oauth/pages/languages/languages.js';
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
export type { ChallengeMethod } from './oauth/authorization/pkce.js';
export { hashSecret } from './oauth/clients/slow-hash.js';
export type { Owner } from './oauth/sign-in/owner.js';
export { deviceFingerprint } from './oauth/user-code.js';
export type { User, UserDirectory } from './oauth/sign-in/users.js';
export type { Issue, IssueRequest } from './oauth/issue.js';
export type { TokenResponse } from './oauth/tokens/tokens.js';
export type { GrantTarget, OwnerGrants } from './oauth/owners/owner-grants.js';
export type { EndedGrants } from './oauth/owners/ended-grants.js';
export type { OwnerConsentRecord, OwnerGrantRecord, OwnerRecord } from './oauth/owners/owner-records.js';
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
export type { Clock, ListPage, ListRequest, MaybePromise, RandomBytes, Store, Timer } from './base/ports.js';
export {
  type Annotation,
  ApiError,
  badContinue,
  type Caller,
  type ContinueValue,
  type CsrfTokenExpectation,
  type CustomModule,
  customModule,
  defineModule,
  type ExampleDescriptor,
  type ExistingPage,
  type GeneratedPage,
  type HandlerOf,
  type Interwiki,
  type Language,
  type LimitBounds,
  type LimitDecision,
  type LimitRule,
  type ListHandler,
  type ListResult,
  type MetaHandler,
  type MetaResult,
  type MissingPage,
  type ModuleDescriptor,
  type ModuleHandlers,
  type ModuleName,
  type ModuleRequest,
  type ModuleRule,
  type ModuleRules,
  type Namespace,
  type NamespaceOptions,
  type NarrowedLimit,
  type Page,
  type PageQuery,
  type PageRecord,
  type PageResolver,
  type PageRule,
  type PageSet,
  type ParamDescriptor,
  type ParamsOf,
  type PropHandler,
  type PropResult,
  type QueryOptions,
  type RedirectTarget,
  type Render,
  type RenderCall,
  type RenderedContent,
  type RenderedSection,
  type Renderer,
  type RenderPage,
  type ReplicationLag,
  type ResultDescriptor,
  type ResultItem,
  type RuleOutcome,
  type RuleRequest,
  type SandboxOptions,
  type Site,
  type SiteOptions,
  type SiteStatistics,
  verifyCsrfToken,
  type WatchlistClaim,
  type WatchlistTokenVerdict,
} from './query/index.js';
export type { RequestTrace } from './server/observer.js';
export { createServer, type Server } from './server/server.js';
