/**
 * The query API, compatible with that of MediaWiki: `oauthQuery({ features: [query({ … })] })`. The names for writing handlers and modules,
 * and features that need it.
 *
 * @module oauth-query/query
 */

export { ApiError, type ApiErrorDetails, badContinue } from './answer/api-error.js';
export { verifyCsrfToken } from './builtin/tokens.js';
export { catalogue, type ModuleName, type ParamsOf } from './catalogue/index.js';
export { query } from './query.js';
export type { QueryApi } from './query-api.js';
export { defineModule, type ModuleDescriptor, type ParamDescriptor } from './descriptor/descriptor.js';
export {
  type ContinueValue,
  customModule,
  type CustomModule,
  type HandlerOf,
  type ListHandler,
  type ListResult,
  type ModuleHandlers,
  type ModuleRequest,
  type PropHandler,
  type PropResult,
} from './run/handlers.js';
export type { Caller } from './caller.js';
export type { GeneratedPage } from './descriptor/page-model.js';
export type { ResultItem } from './answer/result-format.js';
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
export type { Render, RenderedContent, RenderedSection, RenderPage } from './reader/renderer.js';
export type { PageRule, RuleRequest } from './descriptor/rule.js';
export type { Interwiki, Namespace, NamespaceOptions, Site, SiteOptions, SiteStatistics } from './site/site.js';
export { foldText, termsIn, TEXT_RULES } from './text/words.js';
