import { isOrigin } from '../../base/addresses/request-addresses.js';
import {
  condition,
  either,
  flag,
  listOf,
  mapOf,
  object,
  oneOf,
  orElse,
  refined,
  required,
  type Schema,
  text,
  unchanged,
  value,
  wholeNumber,
} from '../../base/schema.js';
import type { NamespaceOptions } from './namespaces.js';
import { GROUPS } from './value-sets.js';
import { words } from './words.js';

/** The version of this package, for `siteinfo`. */
export const VERSION = '0.4.0';

/** The software, as clients see it. They refuse old versions of MediaWiki. */
export const GENERATOR = `MediaWiki 1.45.0 (oauth-query ${VERSION})`;

/** An interwiki prefix: `prefix:Page` is a page on another site. */
export interface Interwiki {
  /** The URL of a page there, with `$1` for the title. */
  readonly url: string;
  /** Whether it is a site of the same family, or this one. */
  readonly local?: boolean | undefined;
  /** The name of the language, if the prefix stands for one. */
  readonly language?: string | undefined;
}

/** The statistics of `siteinfo`. */
export interface SiteStatistics {
  /** All pages. */
  readonly pages: number;
  /** Content pages: in a content namespace, and not redirects. */
  readonly articles: number;
  /** All revisions ever made. */
  readonly edits: number;
  /** Files. */
  readonly images: number;
  /** Registered users. */
  readonly users: number;
  /** Users with recent activity. */
  readonly activeusers: number;
  /** Users in the group `sysop`. */
  readonly admins: number;
  /** The estimated length of the job queue. */
  readonly jobs: number;
}

/** The site of the query API. Every option has a default. */
export interface SiteOptions {
  /** The name of the site and of its project namespace. Default `Site`. */
  readonly name?: string | undefined;
  /** The name of the site's database: `wikiid` of `siteinfo`, by which programs tell sites apart. Default `site`. */
  readonly id?: string | undefined;
  /** The title of the main page. Default `Main Page`. */
  readonly mainPage?: string | undefined;
  /** The code of the content language. Default `zh-cn`. */
  readonly language?: string | undefined;
  /** The origin of the site's pages, such as `https://example.org`. Default: that of the issuer. */
  readonly server?: string | undefined;
  /** The path of a page, with `$1` for the title. Default `/wiki/$1`. */
  readonly articlePath?: string | undefined;
  /** The path of the search page, with `$1` for the search text: `/search?q=$1`. Default: the page with that title. */
  readonly searchPath?: string | undefined;
  /** Namespaces to add or change, by id: a name, or the properties to change. */
  readonly namespaces?: Readonly<Record<number, string | NamespaceOptions>> | undefined;
  /** Interwiki prefixes. Default: none. */
  readonly interwiki?: Readonly<Record<string, Interwiki | string>> | undefined;
  /** User groups with their rights. Default: six groups of MediaWiki. */
  readonly groups?: Readonly<Record<string, readonly string[]>> | undefined;
  /** The statistics of `siteinfo`. Default: 0 for each. */
  readonly statistics?: Partial<SiteStatistics> | undefined;
  /** The licence of the content, with its URL and its name. Default: empty. */
  readonly rightsInfo?:
    | {
        /** Its URL. */
        readonly url?: string;
        /** Its name. */
        readonly text?: string;
      }
    | undefined;
}

const GROUP_RIGHTS: Readonly<Record<(typeof GROUPS)[number], readonly string[]>> = {
  bot: ['apihighlimits', 'autoconfirmed', 'autopatrol', 'bot', 'editsemiprotected', 'nominornewtalk'],
  bureaucrat: ['noratelimit', 'renameuser', 'userrights'],
  'interface-admin': words('editinterface editsitecss editsitejs editsitejson editusercss edituserjs edituserjson'),
  'push-subscription-manager': ['manage-all-push-subscriptions'],
  suppress: ['deletelogentry', 'deleterevision', 'hideuser', 'suppressionlog', 'suppressrevision', 'viewsuppressed'],
  sysop: words(
    'apihighlimits autoconfirmed autopatrol block browsearchive delete deletedhistory deletedtext editprotected',
    'editsemiprotected move noratelimit patrol protect rollback undelete unwatchedpages',
  ),
};

const names = listOf('an array of names', text('a name'));
const anyText = text('a text, which may be empty', /^/);

const interwiki = {
  url: required(text('the URL of a page there, with "$1" for the title', /\$1/)),
  local: condition,
  language: text('the name of a language'),
} satisfies Schema<Interwiki>;

const namespace = {
  name: anyText,
  canonical: text('a name'),
  aliases: names,
  case: oneOf('first-letter', 'case-sensitive'),
  subpages: flag(false),
  content: flag(false),
  nonincludable: flag(false),
  defaultContentModel: text('the name of a content model'),
} satisfies Schema<NamespaceOptions>;

const count = wholeNumber(0, 0, Number.MAX_SAFE_INTEGER);

const STATISTIC = /^(?:pages|articles|edits|images|users|activeusers|admins|jobs)$/;

/** Every option of `query.site`: accepted values, default, validation. */
export const SITE_OPTIONS = {
  name: orElse(text('the name of the site'), 'Site'),
  id: orElse(text("the name of a database, such as 'enwiki'", /^[\w-]{1,64}$/), 'site'),
  mainPage: orElse(text('a title'), 'Main Page'),
  language: orElse(text('the code of a language, such as en or pt-br', /^[a-z]{2,}(?:-[a-z0-9]+)*$/i), 'zh-cn'),
  server: orElse(
    either(
      value<string>("an origin such as 'https://example.org'", isOrigin),
      value<string>("''", (given) => given === ''),
    ),
    '',
    'that of the issuer',
  ),
  articlePath: orElse(text('a path with "$1" for the title, such as "/wiki/$1"', /\$1/), '/wiki/$1'),
  searchPath: text('a path with "$1" for the search text, such as "/search?q=$1"', /\$1/),
  namespaces: orElse(
    unchanged<NonNullable<SiteOptions['namespaces']>>(
      mapOf('an object of namespaces by number', either(anyText, object(namespace))),
    ),
    {},
    'the core namespaces of MediaWiki',
  ),
  interwiki: orElse(
    mapOf(
      'an object of URLs by prefix',
      refined(either(text('a URL with "$1" for the title', /\$1/), unchanged<Interwiki>(object(interwiki))), (given) =>
        typeof given === 'string' ? { url: given } : given,
      ),
    ),
    {},
    'none',
  ),
  groups: orElse(mapOf('an object of rights by group', names), GROUP_RIGHTS, 'six groups of MediaWiki'),
  statistics: orElse(
    mapOf('an object of counts by name', count, STATISTIC, 'is no statistic of siteinfo'),
    {},
    '0 for each',
  ),
  rightsInfo: orElse(
    mapOf(
      "an object such as { url: 'https://…', text: 'CC BY 4.0' }",
      anyText,
      /^(?:url|text)$/,
      'is neither url nor text',
    ),
    {},
    'empty',
  ),
} satisfies Schema<SiteOptions>;
