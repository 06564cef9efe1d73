import {
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
import { isOrigin } from '../../base/addresses.js';
import { CONTENT_MODELS, GROUPS, RIGHTS } from '../catalogue/value-sets.js';
import type { NamespaceOptions } from './namespaces.js';

/** The version of this package, as `siteinfo` tells it. */
export const VERSION = '0.1.0';

/** A prefix that leads to another site: in a title, `prefix:Page`. */
export interface Interwiki {
  /** The address of a page there, with `$1` where the title goes. */
  readonly url: string;
  /** Whether the prefix leads to a site of the same family (or to this one). */
  readonly local?: boolean;
  /** The name of the language that the prefix stands for, if it stands for one. */
  readonly language?: string;
}

/** Numbers about the content, as `siteinfo` shows them. */
export interface SiteStatistics {
  /** All pages. */
  readonly pages: number;
  /** Pages of content: not redirects, and in a namespace with content. */
  readonly articles: number;
  /** Revisions that were ever made. */
  readonly edits: number;
  /** Files. */
  readonly images: number;
  /** Registered users. */
  readonly users: number;
  /** Users who did something lately. */
  readonly activeusers: number;
  /** Users in the group `sysop`. */
  readonly admins: number;
  /** Work that waits to be done; an estimate. */
  readonly jobs: number;
}

/** What the query API says and assumes about the site behind it. Everything has a default. */
export interface SiteOptions {
  /** The name of the site, also that of its project namespace. Default `Site`. */
  readonly name?: string;
  /** The title of the main page. Default `Main Page`. */
  readonly mainPage?: string;
  /** The code of the content language. Default `zh-cn`. */
  readonly language?: string;
  /** Scheme, host and port of the site's pages, such as `https://example.org`. Default: those of the issuer. */
  readonly server?: string;
  /** The path of a page, with `$1` where the title goes. Default `/wiki/$1`. */
  readonly articlePath?: string;
  /** The path of the search page, with `$1` for the search text: `/search?q=$1`. Default: the path of the page with that title. */
  readonly searchPath?: string;
  /** The path below which the site's programs lie. Default empty. */
  readonly scriptPath?: string;
  /** A name for the site's data, such as that of its database. Default `site`. */
  readonly siteId?: string;
  /** Namespaces to add or change, by number: a name, or what differs from the default. */
  readonly namespaces?: Readonly<Record<number, string | NamespaceOptions>>;
  /** Prefixes to other sites. Default none. */
  readonly interwiki?: Readonly<Record<string, Interwiki | string>>;
  /** The groups that users can be put into, with the rights that each brings. Default: the usual six. */
  readonly groups?: Readonly<Record<string, readonly string[]>>;
  /** Every right that exists. Default: those of the catalogue. */
  readonly rights?: readonly string[];
  /** Every content model that exists. Default: those of the catalogue. */
  readonly contentModels?: readonly string[];
  /** What names of temporary accounts look like, `$1` for the changing part; `false` for none. Default `~$1`. */
  readonly temporaryAccounts?: string | false;
  /** Extensions of files that can be uploaded. Default: the usual image types. */
  readonly fileExtensions?: readonly string[];
  /** Numbers that `siteinfo` shows; those that are absent are 0. */
  readonly statistics?: Partial<SiteStatistics>;
  /** What `siteinfo` gives as `generator`. Clients refuse to talk to a MediaWiki that is too old. */
  readonly generator?: string;
  /** The licence of the content. */
  readonly rightsInfo?: {
    /** Where it can be read. */
    readonly url: string;
    /** Its name. */
    readonly text: string;
  };
}

const GROUP_RIGHTS: Readonly<Record<(typeof GROUPS)[number], readonly string[]>> = {
  bot: ['apihighlimits', 'autoconfirmed', 'autopatrol', 'bot', 'editsemiprotected', 'nominornewtalk'],
  bureaucrat: ['noratelimit', 'renameuser', 'userrights'],
  'interface-admin': [
    'editinterface',
    'editsitecss',
    'editsitejs',
    'editsitejson',
    'editusercss',
    'edituserjs',
    'edituserjson',
  ],
  'push-subscription-manager': ['manage-all-push-subscriptions'],
  suppress: ['deletelogentry', 'deleterevision', 'hideuser', 'suppressionlog', 'suppressrevision', 'viewsuppressed'],
  sysop: [
    'apihighlimits',
    'autoconfirmed',
    'autopatrol',
    'block',
    'browsearchive',
    'delete',
    'deletedhistory',
    'deletedtext',
    'editprotected',
    'editsemiprotected',
    'move',
    'noratelimit',
    'patrol',
    'protect',
    'rollback',
    'undelete',
    'unwatchedpages',
  ],
};

const names = listOf('an array of names', text('a name'));
const anyText = text('a text, which may be empty', /^/);

const interwiki = {
  url: required(text('the address of a page there, with "$1" where the title goes', /\$1/)),
  local: value<boolean>('true or false', (given) => typeof given === 'boolean'),
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

const statistics = {
  pages: count,
  articles: count,
  edits: count,
  images: count,
  users: count,
  activeusers: count,
  admins: count,
  jobs: count,
} satisfies Schema<SiteStatistics>;

const rightsInfo = { url: required(anyText), text: required(anyText) } satisfies Schema<
  NonNullable<SiteOptions['rightsInfo']>
>;

const pattern = text(
  'text with "$1" once, and more than that, such as "~$1"',
  /^(?!\$1$)(?:(?!\$1)[^])*\$1(?:(?!\$1)[^])*$/,
);

/** Every option below `query.site`: what it takes, its default, its check. */
export const SITE_OPTIONS = {
  name: orElse(text('the name of the site'), 'Site'),
  mainPage: orElse(text('a title'), 'Main Page'),
  language: orElse(text('the code of a language'), 'zh-cn'),
  server: orElse(
    either(
      value<string>("an origin such as 'https://example.org'", isOrigin),
      value<string>("''", (given) => given === ''),
    ),
    '',
    'that of the issuer',
  ),
  articlePath: orElse(text('a path with "$1" where the title goes, as in "/wiki/$1"', /\$1/), '/wiki/$1'),
  searchPath: text('a path with "$1" for the search text, as in "/search?q=$1"', /\$1/),
  scriptPath: orElse(anyText, '', 'empty'),
  siteId: orElse(text('a name'), 'site'),
  namespaces: orElse(
    unchanged<NonNullable<SiteOptions['namespaces']>>(
      mapOf('an object of namespaces by number', either(anyText, object(namespace))),
    ),
    {},
    'the usual sixteen and special',
  ),
  interwiki: orElse(
    mapOf(
      'an object of addresses by prefix',
      refined(
        either(text('an address with "$1" where the title goes', /\$1/), unchanged<Interwiki>(object(interwiki))),
        (given) => (typeof given === 'string' ? { url: given } : given),
      ),
    ),
    {},
    'none',
  ),
  groups: orElse(mapOf('an object of rights by group', names), GROUP_RIGHTS, 'the usual six'),
  rights: orElse(names, RIGHTS, 'those of the catalogue'),
  contentModels: orElse(names, CONTENT_MODELS, 'those of the catalogue'),
  temporaryAccounts: orElse(
    either(
      pattern,
      value<false>('false', (given) => given === false),
    ),
    '~$1',
  ),
  fileExtensions: orElse(names, ['png', 'gif', 'jpg', 'jpeg', 'webp'], 'usual image types'),
  statistics: object(statistics),
  generator: orElse(
    text('text such as "MediaWiki 1.45.0"'),
    `MediaWiki 1.45.0 (oauth-query ${VERSION})`,
    '`MediaWiki 1.45.0` and our own version',
  ),
  rightsInfo: orElse(object(rightsInfo), { url: '', text: '' }, 'empty'),
} satisfies Schema<SiteOptions>;
