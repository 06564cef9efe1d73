import { object } from '../../base/schema.js';
import { IMPLICIT_RIGHTS } from '../catalogue/value-sets.js';
import { foldNamespaceName, type Namespace, namespaceNames, resolveNamespaces } from './namespaces.js';
import { type Interwiki, SITE_OPTIONS, type SiteOptions, type SiteStatistics } from './options.js';

export type { Namespace, NamespaceOptions } from './namespaces.js';
export { type Interwiki, type SiteOptions, type SiteStatistics, VERSION } from './options.js';

const SITE = object(SITE_OPTIONS);

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
  /** The path of the search page, with `$1` for the search text; `undefined` if not set. */
  readonly searchPath?: string | undefined;
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
  /** The rights of all users. */
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

/** The pattern has been checked: `$1` stands in it once. */
const affixes = (pattern: string | false): Site['temporaryAccounts'] => {
  const [before = '', after = ''] = pattern === false ? [] : pattern.split('$1');
  return pattern === false ? undefined : { before, after };
};

/**
 * Fills in what the options leave open and prepares the look-ups.
 *
 * @throws TypeError when an option cannot be meant, with a sentence that names it.
 */
export const resolveSite = (given: SiteOptions = {}): Site => {
  const { temporaryAccounts, namespaces: changes, interwiki, ...options } = SITE.read(given, 'options.query.site');
  const namespaces = resolveNamespaces(options.name, changes);
  const byId = new Map(namespaces.map((namespace) => [namespace.id, namespace]));
  const byName = namespaceNames(namespaces);
  return {
    ...options,
    namespaces,
    interwiki: new Map(Object.entries(interwiki).map(([prefix, entry]) => [prefix.toLowerCase(), entry])),
    implicitRights: IMPLICIT_RIGHTS,
    temporaryAccounts: affixes(temporaryAccounts),
    namespace: (id) => byId.get(id),
    namespaceId: (text) => byName.get(foldNamespaceName(text)),
  };
};
