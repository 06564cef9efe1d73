import { foldNamespaceName, namespaceNames, resolveNamespaces } from './namespaces.js';
import type { Namespace, NamespaceOptions } from './namespaces.js';
import { CONTENT_MODELS, GROUPS, IMPLICIT_RIGHTS, RIGHTS } from '../catalogue/value-sets.js';

export type { Namespace, NamespaceOptions } from './namespaces.js';

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

/** A site with every default filled in and its look-ups made. Made once at start. */
export interface Site {
  /** The name of the site. */
  readonly name: string;
  /** The title of the main page. */
  readonly mainPage: string;
  /** The code of the content language. */
  readonly language: string;
  /** Empty when the answer has to use the address of the request. */
  readonly server: string;
  /** The path of a page, with `$1` where the title goes. */
  readonly articlePath: string;
  /** The path below which the site's programs lie. */
  readonly scriptPath: string;
  /** A name for the site's data. */
  readonly siteId: string;
  /** Ascending by id, the special ones (-2, -1) included. */
  readonly namespaces: readonly Namespace[];
  /** Prefixes in lower case. */
  readonly interwiki: ReadonlyMap<string, Interwiki>;
  /** Rights by the group that brings them. */
  readonly groups: Readonly<Record<string, readonly string[]>>;
  /** Every right that exists. */
  readonly rights: readonly string[];
  /** The rights that everybody has. */
  readonly implicitRights: readonly string[];
  /** Every content model that exists. */
  readonly contentModels: readonly string[];
  /** The longest text before and after the changing part; `undefined` if there are no temporary accounts. */
  readonly temporaryAccounts:
    | {
        /** What stands in front of the changing part. */
        readonly before: string;
        /** What follows it. */
        readonly after: string;
      }
    | undefined;
  /** Extensions of files that can be uploaded, without a dot. */
  readonly fileExtensions: readonly string[];
  /** Numbers about the content. */
  readonly statistics: SiteStatistics;
  /** What `siteinfo` gives as `generator`. */
  readonly generator: string;
  /** The licence of the content; both texts are empty if none was given. */
  readonly rightsInfo: {
    /** Where it can be read. */
    readonly url: string;
    /** Its name. */
    readonly text: string;
  };
  /** The namespace of this number. */
  namespace(id: number): Namespace | undefined;
  /** The number of the namespace with this name, canonical name or alias; case, underscores and spaces do not matter. */
  namespaceId(name: string): number | undefined;
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

const NO_STATISTICS: SiteStatistics = {
  pages: 0,
  articles: 0,
  edits: 0,
  images: 0,
  users: 0,
  activeusers: 0,
  admins: 0,
  jobs: 0,
};

const resolveInterwiki = (prefixes: NonNullable<SiteOptions['interwiki']>): ReadonlyMap<string, Interwiki> =>
  new Map(
    Object.entries(prefixes).map(([prefix, entry]) => {
      const interwiki = typeof entry === 'string' ? { url: entry } : entry;
      if (!interwiki.url.includes('$1')) {
        throw new TypeError(`query.site.interwiki: the address of "${prefix}" needs "$1" where the title goes.`);
      }
      return [prefix.toLowerCase(), interwiki];
    }),
  );

const resolveTemporaryAccounts = (pattern: string | false): Site['temporaryAccounts'] => {
  if (pattern === false) return undefined;
  const [before, after, ...more] = pattern.split('$1');
  if (before === undefined || after === undefined || more.length > 0 || before + after === '') {
    throw new TypeError(
      'query.site.temporaryAccounts: the pattern needs "$1" once, and some text beside it, as in "~$1".',
    );
  }
  return { before, after };
};

/**
 * Fills in what the options leave open and prepares the look-ups.
 *
 * @throws TypeError when an option cannot be meant, with a sentence that names it.
 */
export const resolveSite = (options: SiteOptions = {}): Site => {
  const name = options.name ?? 'Site';
  const namespaces = resolveNamespaces(name, options.namespaces ?? {});
  const byId = new Map(namespaces.map((namespace) => [namespace.id, namespace]));
  const byName = namespaceNames(namespaces);
  const articlePath = options.articlePath ?? '/wiki/$1';
  if (!articlePath.includes('$1')) {
    throw new TypeError('query.site.articlePath: the path needs "$1" where the title goes, as in "/wiki/$1".');
  }
  return {
    name,
    mainPage: options.mainPage ?? 'Main Page',
    language: options.language ?? 'zh-cn',
    server: options.server ?? '',
    articlePath,
    scriptPath: options.scriptPath ?? '',
    siteId: options.siteId ?? 'site',
    namespaces,
    interwiki: resolveInterwiki(options.interwiki ?? {}),
    groups: options.groups ?? GROUP_RIGHTS,
    rights: options.rights ?? RIGHTS,
    implicitRights: IMPLICIT_RIGHTS,
    contentModels: options.contentModels ?? CONTENT_MODELS,
    temporaryAccounts: resolveTemporaryAccounts(options.temporaryAccounts ?? '~$1'),
    fileExtensions: options.fileExtensions ?? ['png', 'gif', 'jpg', 'jpeg', 'webp'],
    statistics: { ...NO_STATISTICS, ...options.statistics },
    generator: options.generator ?? `MediaWiki 1.45.0 (oauth-query ${VERSION})`,
    rightsInfo: options.rightsInfo ?? { url: '', text: '' },
    namespace: (id) => byId.get(id),
    namespaceId: (text) => byName.get(foldNamespaceName(text)),
  };
};
