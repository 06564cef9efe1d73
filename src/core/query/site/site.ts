import { object } from '../../base/schema.js';
import { foldNamespaceName, type Namespace, namespaceNames, resolveNamespaces } from './namespaces.js';
import { type Interwiki, SITE_OPTIONS, type SiteOptions, type SiteStatistics } from './options.js';
import { CONTENT_MODELS, IMPLICIT_RIGHTS, RIGHTS } from './value-sets.js';

export type { Namespace, NamespaceOptions } from './namespaces.js';
export { GENERATOR, type Interwiki, type SiteOptions, type SiteStatistics, VERSION } from './options.js';

const SITE = object(SITE_OPTIONS);

/** A site with all defaults and lookups, created once at startup. */
export interface Site {
  /** The name of the site. */
  readonly name: string;
  /** The name of the site's database. */
  readonly id: string;
  /** The title of the main page. */
  readonly mainPage: string;
  /** The code of the content language. */
  readonly language: string;
  /** The origin of the site's pages; empty if not known. */
  readonly server: string;
  /** The path of a page, with `$1` for the title. */
  readonly articlePath: string;
  /** The path of the search page, with `$1` for the search text; `undefined` if not set. */
  readonly searchPath?: string | undefined;
  /** Ascending by id, including the special ones (-2, -1). */
  readonly namespaces: readonly Namespace[];
  /** Interwiki sites by lower-case prefix. */
  readonly interwiki: ReadonlyMap<string, Interwiki>;
  /** Rights by group. */
  readonly groups: Readonly<Record<string, readonly string[]>>;
  /** All rights: those of the catalogue and of the groups. */
  readonly rights: readonly string[];
  /** The rights of all users. */
  readonly implicitRights: readonly string[];
  /** All content models: those of the catalogue, and the defaults of namespaces. */
  readonly contentModels: readonly string[];
  /** The statistics of `siteinfo`. */
  readonly statistics: SiteStatistics;
  /** The licence of the content; both texts may be empty. */
  readonly rightsInfo: {
    /** Its URL. */
    readonly url: string;
    /** Its name. */
    readonly text: string;
  };
  /** The namespace with this id. */
  namespace(id: number): Namespace | undefined;
  /**
   * The id of the namespace with this name, canonical name or alias; case, underscores and superfluous spaces do not
   * matter.
   */
  namespaceId(name: string): number | undefined;
}

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

/**
 * Applies defaults and prepares lookups.
 *
 * @throws TypeError for an invalid option, with a message that names it.
 */
export const resolveSite = (given: SiteOptions = {}): Site => {
  const {
    namespaces: changes,
    interwiki,
    statistics,
    rightsInfo,
    ...options
  } = SITE.read(given, 'query: options.site');
  const namespaces = resolveNamespaces(options.name, changes);
  const models = namespaces.map(({ defaultContentModel = 'wikitext' }) => defaultContentModel);
  const byId = new Map(namespaces.map((namespace) => [namespace.id, namespace]));
  const byName = namespaceNames(namespaces);
  return {
    ...options,
    namespaces,
    interwiki: new Map(Object.entries(interwiki).map(([prefix, entry]) => [prefix.toLowerCase(), entry])),
    rights: [...new Set([...RIGHTS, ...Object.values(options.groups).flat()])],
    implicitRights: IMPLICIT_RIGHTS,
    contentModels: [...new Set([...CONTENT_MODELS, ...models])],
    statistics: { ...NO_STATISTICS, ...statistics },
    rightsInfo: { url: '', text: '', ...rightsInfo },
    namespace: (id) => byId.get(id),
    namespaceId: (text) => byName.get(foldNamespaceName(text)),
  };
};
