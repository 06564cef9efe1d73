/**
 * The core without a framework, and the types that all entry points share. Applications import an adapter; this is for who
 * writes handlers, stores, pages or an adapter of their own.
 *
 * @module oauth-query
 */

export type { Authorization } from './authorization.js';
export type { HttpRequest, HttpResponse, Route } from './http.js';
export type { GuardRequirement } from './oauth/bearer.js';
export type { AuthenticationMethod, ClientRegistration, ClientRegistry, GrantName, GrantType } from './oauth/client.js';
export { type ClientSecret, hashClientSecret } from './oauth/client-secret.js';
export type { EventListener, OAuthEvent } from './oauth/events.js';
export type { ExternalKey, Jwk, KeySource, SigningAlgorithm, SigningKey } from './oauth/jwt/signing-keys.js';
export { escapeHtml } from './oauth/pages/layout.js';
export type {
  ConsentView,
  DeviceCodeView,
  DeviceConsentView,
  DeviceDoneView,
  ErrorView,
  HiddenFields,
  LoginView,
  Pages,
  RenderedPage,
  ScopeView,
} from './oauth/pages/views.js';
export type { ChallengeMethod } from './oauth/pkce.js';
export type { Owner } from './oauth/tokens.js';
export { deviceFingerprint } from './oauth/user-code.js';
export type { User, UserDirectory } from './oauth/users.js';
export type {
  AccessTokenOptions,
  DeviceOptions,
  GrantInfo,
  Lifetimes,
  Limits,
  PathName,
  ScopeDefinition,
  ServerOptions,
} from './options.js';
export type { Clock, MaybePromise, RandomBytes, Store } from './ports.js';
export {
  type Annotation,
  ApiError,
  badContinue,
  type Caller,
  type ContinueValue,
  defineModule,
  type ExistingPage,
  type GeneratedPage,
  type HandlerOf,
  type Interwiki,
  type Item,
  type Lag,
  type Language,
  type ListHandler,
  type ListResult,
  type MetaHandler,
  type MetaResult,
  type MissingPage,
  type ModuleDescriptor,
  type ModuleHandlers,
  type ModuleName,
  type ModuleRequest,
  type Namespace,
  type NamespaceOptions,
  type OwnModule,
  ownModule,
  type Page,
  type PageQuery,
  type PageRecord,
  type PageResolver,
  type PageSet,
  type ParamDescriptor,
  type ParamsOf,
  type PropHandler,
  type PropResult,
  type QueryOptions,
  type RedirectTarget,
  type SandboxOptions,
  type Site,
  type SiteOptions,
  type SiteStatistics,
  type TokenExpectation,
  verifyToken,
} from './query/index.js';
export { createServer, type GuardResult, type Server } from './server.js';
