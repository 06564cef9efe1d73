import type { ModuleName } from '../core/query/index.js';

/** How a tool uses one module: which arguments are which parameters. Names of parameters are those on the wire. */
export interface Variant {
  readonly module: ModuleName;
  /** The argument that selects this variant by its presence, or by its `value`. The last variant needs none. */
  readonly selectedBy?: string;
  /** The value of the `selectedBy` argument that selects this variant. */
  readonly value?: string;
  /** Parameters by argument. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Parameters that are always sent. */
  readonly fixed?: Readonly<Record<string, string>>;
  /** Parameters that are sent if the argument for them is missing. */
  readonly defaults?: Readonly<Record<string, string>>;
}

/** A tool that uses one module for each call. */
export interface ToolSpec {
  readonly name: string;
  readonly title: string;
  /** Added to the description of the module. */
  readonly note?: string;
  readonly required?: readonly string[];
  readonly variants: readonly Variant[];
}

/** The modules that list links of a page, with their prefixes. */
const LINKS = [
  ['links', 'pl', { namespace: 'plnamespace' }],
  ['linkshere', 'lh', { namespace: 'lhnamespace' }],
  ['categories', 'cl', {}],
  ['extlinks', 'el', {}],
  ['templates', 'tl', { namespace: 'tlnamespace' }],
  ['images', 'im', {}],
  ['redirects', 'rd', {}],
] as const satisfies readonly (readonly [ModuleName, string, Readonly<Record<string, string>>])[];

/** The tools of every site, as far as their modules have handlers. */
export const STANDARD_TOOLS: readonly ToolSpec[] = [
  {
    name: 'search',
    title: 'Search',
    required: ['query'],
    variants: [
      {
        module: 'search',
        parameters: { query: 'srsearch', namespace: 'srnamespace', limit: 'srlimit' },
        fixed: { srprop: 'size|timestamp|snippet' },
      },
    ],
  },
  {
    name: 'list_pages',
    title: 'List pages',
    note: 'With category, lists the pages in that category instead.',
    variants: [
      {
        module: 'categorymembers',
        selectedBy: 'category',
        parameters: { category: 'cmtitle', namespace: 'cmnamespace', limit: 'cmlimit' },
        fixed: { cmprop: 'ids|title|type' },
      },
      {
        module: 'allpages',
        parameters: { prefix: 'apprefix', from: 'apfrom', namespace: 'apnamespace', limit: 'aplimit' },
      },
    ],
  },
  {
    name: 'history',
    title: 'History of a page',
    note: 'Newest first.',
    required: ['title'],
    variants: [
      {
        module: 'revisions',
        parameters: { title: 'titles', user: 'rvuser', start: 'rvstart', end: 'rvend', limit: 'rvlimit' },
        fixed: { rvprop: 'ids|timestamp|user|comment|size|flags' },
        defaults: { rvlimit: '10' },
      },
    ],
  },
  {
    name: 'changes',
    title: 'Recent changes',
    note: 'Newest first.',
    variants: [
      {
        module: 'recentchanges',
        parameters: {
          namespace: 'rcnamespace',
          user: 'rcuser',
          type: 'rctype',
          start: 'rcstart',
          end: 'rcend',
          limit: 'rclimit',
        },
        fixed: { rcprop: 'title|ids|timestamp|user|comment|sizes|flags' },
      },
    ],
  },
  {
    name: 'links',
    title: 'Links of a page',
    required: ['title', 'kind'],
    variants: LINKS.map(([module, prefix, parameters]) => ({
      module,
      selectedBy: 'kind',
      value: module,
      parameters: { title: 'titles', limit: `${prefix}limit`, ...parameters },
    })),
  },
  {
    name: 'site_info',
    title: 'About the site',
    variants: [{ module: 'siteinfo', parameters: {}, fixed: { siprop: 'general|namespaces|statistics|rightsinfo' } }],
  },
];
