import { isOrigin } from '../base/addresses/request-addresses.js';
import {
  type Checked,
  either,
  flag,
  type Fields,
  fn,
  listOf,
  mapOf,
  neverUndefined,
  object,
  oneOf,
  optional,
  orElse,
  path,
  required,
  type Schema,
  text,
  unchanged,
  value,
  wholeNumber,
} from '../base/schema.js';
import type { Language } from './builtin/languageinfo.js';
import { catalogue } from './catalogue/index.js';
import type {
  Annotation,
  ExampleDescriptor,
  ModuleDescriptor,
  NarrowedLimit,
  ParamDescriptor,
  ResultDescriptor,
  UserSubtype,
} from './descriptor/descriptor.js';
import type { LimitRule, ModuleRule, PageRule } from './descriptor/rule.js';
import type { QueryOptions } from './options.js';
import type { Diff } from './reader/compare/table.js';
import type { Render } from './reader/renderer.js';
import type { Sanitize } from './reader/sanitize.js';
import type { CallerLimit } from './run/caller-limits.js';
import type { CustomModule, ModuleHandlers } from './run/handlers.js';
import { SITE_OPTIONS, type SiteOptions } from './site/options.js';

const names = listOf('an array of names', text('a name'));

const language = {
  autonym: required(text('the name of the language in the language itself')),
  name: text('the English name of the language'),
  bcp47: text('a language tag (BCP 47)'),
  dir: oneOf('ltr', 'rtl'),
  fallbacks: names,
  variants: names,
  variantnames: mapOf('an object of names by codes', text('a name')),
} satisfies Schema<Language>;

/** Flags of a description are `true` or absent. */
const set = value<true>('true, or absent', (given) => given === true);
const wire = either(text('a text', /^/), value<number>('a number', Number.isFinite));
const number = value<number>('a number', Number.isFinite);

const annotation = {
  name: required(text('the name of the annotation')),
  values: listOf('an array of numbers', number),
} satisfies Fields<Annotation>;

const narrowed = {
  parameter: required(text('the name of a parameter')),
  max: required(number),
  highmax: required(number),
} satisfies Fields<NarrowedLimit>;

const parameter = {
  type: required(
    either(
      oneOf('string', 'integer', 'limit', 'boolean', 'timestamp', 'user', 'namespace', 'title'),
      listOf('an array of the allowed values', text('a text', /^/)),
    ),
  ),
  default: wire,
  multi: set,
  required: set,
  deprecated: set,
  deprecatedvalues: names,
  sensitive: set,
  allowsduplicates: set,
  subtypes: listOf('an array of forms', oneOf<UserSubtype>('name', 'ip', 'temp', 'interwiki', 'id', 'cidr')),
  allspecifier: text('a text'),
  extranamespaces: listOf('an array of numbers', number),
  min: number,
  max: number,
  highmax: number,
  lowlimit: number,
  highlimit: number,
  siteDefault: oneOf('mainPage', 'language'),
  siteValues: oneOf('groups', 'rights', 'assignedRights', 'contentModels'),
  checkedByRule: set,
  narrowedBy: optional(object(narrowed)),
  info: listOf('an array of annotations', object(annotation)),
  templatevars: mapOf('an object of parameters by variables', text('the name of a parameter')),
  description: text('one sentence'),
} satisfies Fields<ParamDescriptor>;

const result = {
  place: oneOf('top', 'results', 'merged'),
  key: text('the name of the data'),
  namedBy: text('the name of a parameter'),
  contentKey: either(text('the name of a key'), mapOf('an object of keys by lists', text('the name of a key'))),
  explicitFalse: names,
  omitEmpty: set,
  list: set,
} satisfies Fields<ResultDescriptor>;

const example = {
  parameters: mapOf('an object of values by parameters', text('a text', /^/)),
  titles: text('a title'),
} satisfies Fields<ExampleDescriptor>;

const descriptor = {
  name: required(text('the name of the module')),
  group: required(oneOf('list', 'prop', 'meta')),
  prefix: required(text('a text, which may be empty', /^/)),
  generator: set,
  deprecated: set,
  readrights: value<false>('false, or absent', (given) => given === false),
  result: optional(object(result)),
  alsoFor: oneOf('missing', 'special', 'revisions', 'none'),
  yields: oneOf('revisions', 'titles'),
  ranked: set,
  pageidKey: text('the name of a key'),
  continueWith: text('the name of a parameter'),
  rules: listOf('an array of rules', fn<ModuleRule>()),
  pageRules: listOf('an array of rules', fn<PageRule>()),
  limitRule: fn<LimitRule>(),
  example: optional(object(example)),
  description: text('one sentence'),
  parameters: required(mapOf('an object of parameters', object(parameter))),
} satisfies Fields<ModuleDescriptor>;

const custom = {
  descriptor: required(object(descriptor)),
  handler: required(fn<CustomModule['handler']>()),
} satisfies Fields<CustomModule>;

const handlers = Object.fromEntries(
  Object.keys(catalogue).map((name) => [
    name,
    neverUndefined(fn('a function that answers the module'), ' Is its name right where it is made or imported?'),
  ]),
) as Fields<ModuleHandlers>; // One entry for each name of the catalogue.

const perMinute = (unit: string) =>
  value<number>(
    `a whole number of ${unit} per minute, 1 or higher`,
    (given) => Number.isSafeInteger(given) && Number(given) >= 1,
  );

const callerLimit = optional(
  object({ requests: perMinute('requests'), cost: perMinute('results') } satisfies Schema<CallerLimit>),
);

const origin = value<string>(
  "a whole origin such as 'https://app.example', or a host such as '*.example.org'",
  (given) => typeof given === 'string' && (given.includes('://') ? isOrigin(given) : /^[^\s/?#@]+$/.test(given)),
);

/**
 * Every option of the query API: accepted values, default, validation. The reference of options is generated from it.
 */
export const QUERY_OPTIONS = {
  site: unchanged<SiteOptions>(object(SITE_OPTIONS)),
  modules: unchanged<ModuleHandlers>(
    object(handlers, {
      takes: "an object of handlers by the names of the catalogue's modules",
      remedy: ' Add your own modules to customModules.',
    }),
  ),
  customModules: unchanged<readonly CustomModule[]>(
    listOf('an array of modules made with customModule', object(custom, { takes: 'made with customModule' })),
  ),
  resolvePages: fn<NonNullable<QueryOptions['resolvePages']>>('a function that finds pages'),
  resolveUsers: fn<NonNullable<QueryOptions['resolveUsers']>>('a function that finds user names by ids'),
  unanswered: orElse(oneOf('listed', 'hidden', 'error'), 'listed'),
  render: fn<Render>('a function that renders a page to HTML'),
  sanitize: fn<Sanitize>('a function that sanitises HTML, as that of the package sanitize-html'),
  diff: fn<Diff>('a function that compares arrays, as diffArrays of the package diff'),
  rights: fn<NonNullable<QueryOptions['rights']>>('a function of the authorization'),
  cors: orElse(listOf("an array of origins such as ['https://app.example']", origin), [], 'none'),
  verifyWatchlistToken: fn<NonNullable<QueryOptions['verifyWatchlistToken']>>(
    "a function that checks the token of a user's watchlist",
  ),
  private: neverUndefined(flag(false)),
  languages: unchanged<Readonly<Record<string, Language>>>(
    mapOf('an object of languages by their codes', object(language)),
  ),
  path: path('/api'),
  timeout: wholeNumber(10_000, 1, 2 ** 31 - 1, 'milliseconds'),
  limits: optional(object({ anonymous: callerLimit, token: callerLimit })),
} satisfies Schema<QueryOptions>;

/** The options, validated and completed. */
export type QuerySettings = Checked<typeof QUERY_OPTIONS>;
