export { ApiError, type ApiErrorDetails, type ConditionData } from './answer/api-error.js';
export type { Language } from './builtin/languageinfo.js';
export { queryTokenKey, type TokenExpectation, verifyToken } from './builtin/tokens.js';
export { catalogue, type Catalogue, type ModuleName, type ParamsOf } from './catalogue/index.js';
export { badContinue } from './modules/continuation.js';
export { createQuery } from './create-query.js';
export {
  type Annotation,
  defineModule,
  type ModuleDescriptor,
  type ParamDescriptor,
  type TypeName,
  type UserSubtype,
} from './descriptor.js';
export {
  type Caller,
  type ContinueValue,
  type GeneratedPage,
  type HandlerOf,
  type Item,
  type ListHandler,
  type ListResult,
  type MetaHandler,
  type MetaResult,
  type ModuleHandlers,
  type ModuleRequest,
  type OwnModule,
  ownModule,
  type PropHandler,
  type PropResult,
} from './modules/handlers.js';
export type { Lag, QueryEnvironment, QueryOptions } from './options.js';
export type {
  ExistingPage,
  MissingPage,
  Page,
  PageQuery,
  PageRecord,
  PageResolver,
  PageSet,
  RedirectTarget,
} from './pages/page-set.js';
export type { SandboxOptions } from './sandbox/sandbox.js';
export type { Interwiki, Namespace, NamespaceOptions, Site, SiteOptions, SiteStatistics } from './site/site.js';
