/**
 * The query API, compatible with that of MediaWiki: `oauthQuery({ query: query({ … }) })`. The names for writing handlers, modules and
 * extensions.
 *
 * @module oauth-query/query
 */

export { ApiError, type ApiErrorDetails, badContinue, type ConditionData } from './answer/api-error.js';
export type { Language } from './builtin/languageinfo.js';
export { type CsrfTokenExpectation, verifyCsrfToken } from './builtin/tokens.js';
export { queryTokenKey } from './token-key.js';
export { catalogue, type Catalogue, type ModuleName, type ParamsOf } from './catalogue/index.js';
export { query } from './query.js';
export type { QueryExtension, QueryParts } from './extension.js';
export {
  type Annotation,
  defineModule,
  type ExampleDescriptor,
  type ModuleDescriptor,
  type ModuleRules,
  type NarrowedLimit,
  type ParamDescriptor,
  type ResultDescriptor,
  type TypeName,
  type UserSubtype,
} from './descriptor/descriptor.js';
export { customModule } from './custom-module.js';
export type {
  ContinueValue,
  CustomModule,
  HandlerOf,
  ListHandler,
  ListResult,
  MetaHandler,
  MetaResult,
  ModuleHandlers,
  ModuleRequest,
  PropHandler,
  PropResult,
  WatchlistClaim,
} from './run/handlers.js';
export type { Caller } from './caller.js';
export type { GeneratedPage } from './descriptor/page-model.js';
export type { ResultItem } from './answer/result-format.js';
export type { CallerLimit, CallerLimits } from './run/caller-limits.js';
export type { ReplicationLag } from './endpoint/lag.js';
export type { QueryOptions } from './options.js';
export type {
  ExistingPage,
  MissingPage,
  Page,
  PageQuery,
  PageRecord,
  PageResolver,
  PageSet,
  RedirectTarget,
} from './descriptor/page-model.js';
export type { Render, RenderCall, RenderedContent, RenderedSection, Renderer, RenderPage } from './reader/renderer.js';
export type {
  LimitBounds,
  LimitDecision,
  LimitRule,
  ModuleRule,
  PageRule,
  RuleOutcome,
  RuleRequest,
  WatchlistTokenVerdict,
} from './descriptor/rule.js';
export type { Interwiki, Namespace, NamespaceOptions, Site, SiteOptions, SiteStatistics } from './site/site.js';
