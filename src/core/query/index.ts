/**
 * The query API, compatible with that of MediaWiki: `oauthQuery({ query: query({ … }) })`. The names for writing handlers, modules and
 * extensions.
 *
 * @module oauth-query/query
 */

export { ApiError, type ApiErrorDetails, badContinue } from './answer/api-error.js';
export { messageName, messageRows } from './builtin/messages.js';
export { verifyCsrfToken } from './builtin/tokens.js';
export { catalogue, type ModuleName, type ParamsOf } from './catalogue/index.js';
export { query } from './query.js';
export type { QueryExtension, QueryParts } from './extension.js';
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
export { publicDocument } from '../base/http/public-document.js';
export { unlessKnown } from '../base/http/etag.js';
export { nearestName } from '../base/spelling.js';
export { directionOf } from '../base/direction.js';
export { Html } from '../base/html.js';
export { printable } from '../base/printable.js';
export { normalizeText } from '../base/text.js';
export { message } from './answer/messages.js';
export { joinValues } from './parameters/multi-value.js';
export { canonicalAddress } from './site/ip-address.js';
export { canonicalUserName } from './site/user-name.js';
export { pageAddress } from './site/page-address.js';
export { resolveSite } from './site/site.js';
export { parseTitle, prefixedTitle } from './site/title.js';
export { CONTENT_MODELS } from './site/value-sets.js';
export { upperFirst } from './text/first-letter.js';
export { BREAK, foldText, type Term, termsIn, TEXT_RULES } from './text/words.js';
