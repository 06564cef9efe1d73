import { defined } from '../../base/defined.js';
import { fail, type Optional } from '../../base/schema.js';
/** A namespace of the site. */
export interface Namespace {
  /** The id: even for content, odd for talk, below 0 for special namespaces. */
  readonly id: number;
  /** The name in the site's language, with spaces; empty for the main namespace. */
  readonly name: string;
  /** The English name, which works on every site; absent for the main namespace and custom namespaces. */
  readonly canonical?: string | undefined;
  /** Further names accepted in titles. */
  readonly aliases: readonly string[];
  /** Whether the first letter of a title is always upper case. */
  readonly case: 'first-letter' | 'case-sensitive';
  /** Whether a slash in a title separates a subpage. */
  readonly subpages: boolean;
  /** Whether its pages count as content. */
  readonly content: boolean;
  /** Whether its pages cannot be transcluded. */
  readonly nonincludable: boolean;
  /** The content model of its pages; absent for wikitext. */
  readonly defaultContentModel?: string | undefined;
}

/** A namespace to add or change. Omitted properties keep their value, or the default for a new namespace. */
export type NamespaceOptions = Optional<Omit<Namespace, 'id'>>;

const PLAIN = { aliases: [], case: 'first-letter', subpages: false, content: false, nonincludable: false } as const;

/** Id, canonical name, and whether it has subpages. Namespace 4 is named after the site. */
const CORE: readonly (readonly [id: number, canonical: string, subpages: boolean])[] = [
  [-2, 'Media', false],
  [-1, 'Special', false],
  [0, '', false],
  [1, 'Talk', true],
  [2, 'User', true],
  [3, 'User talk', true],
  [4, 'Project', true],
  [5, 'Project talk', true],
  [6, 'File', false],
  [7, 'File talk', true],
  [8, 'MediaWiki', true],
  [9, 'MediaWiki talk', true],
  [10, 'Template', true],
  [11, 'Template talk', true],
  [12, 'Help', true],
  [13, 'Help talk', true],
  [14, 'Category', false],
  [15, 'Category talk', true],
];

const CORE_ALIASES: Readonly<Record<number, readonly string[]>> = { 6: ['Image'], 7: ['Image talk'] };

/** The core namespaces with the site's changes and additions, ascending by id, including the special ones (-2, -1). */
export const resolveNamespaces = (
  siteName: string,
  options: Readonly<Record<number, string | NamespaceOptions>>,
): readonly Namespace[] => {
  const namespaces = new Map<number, Namespace>();
  for (const [id, canonical, subpages] of CORE) {
    const name = id === 4 ? siteName : id === 5 ? `${siteName} talk` : canonical;
    namespaces.set(id, {
      ...PLAIN,
      id,
      name,
      subpages,
      content: id === 0,
      aliases: CORE_ALIASES[id] ?? [],
      ...(id === 0 ? {} : { canonical }),
    });
  }
  for (const [key, change] of Object.entries(options)) {
    const id = Number(key);
    if (!Number.isSafeInteger(id) || (id < 0 && !namespaces.has(id))) {
      fail(`query: options.site.namespaces: "${key}" is not a namespace id. Use an integer from 0 on.`);
    }
    const before = namespaces.get(id) ?? { ...PLAIN, id, name: '' };
    const merged = { ...before, ...(typeof change === 'string' ? { name: change } : defined(change)) };
    if (id !== 0 && merged.name.trim() === '') {
      fail(`query: options.site.namespaces: namespace ${id} has no name. Set its name.`);
    }
    namespaces.set(id, merged);
  }
  return [...namespaces.values()].sort((a, b) => a.id - b.id);
};

/** Normalizes a namespace name for comparison: case, underscores and superfluous spaces do not matter. */
export const foldNamespaceName = (name: string): string =>
  name
    .replace(/[_\s]+/g, ' ')
    .trim()
    .toLowerCase();

/** All names of namespaces, normalized, with their ids. If two namespaces have the same name, the first wins. */
export const namespaceNames = (namespaces: readonly Namespace[]): ReadonlyMap<string, number> => {
  const ids = new Map<string, number>();
  for (const pick of [(n: Namespace) => [n.name], (n: Namespace) => [n.canonical ?? '', ...n.aliases]]) {
    for (const namespace of namespaces) {
      for (const name of pick(namespace).map(foldNamespaceName)) {
        if (name !== '' && !ids.has(name)) ids.set(name, namespace.id);
      }
    }
  }
  return ids;
};
