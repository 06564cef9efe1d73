import type { ModuleName } from '../catalogue/index.js';

/** One way to answer a tool: a module, and which of its parameters the arguments are. Names of parameters are those on the wire. */
export interface Way {
  readonly module: ModuleName;
  /** The argument whose presence means this way, where there are several. The last way needs none. */
  readonly chosenBy?: string;
  /** With `chosenBy`: the value that means this way. */
  readonly value?: string;
  /** Parameter by argument. */
  readonly takes: Readonly<Record<string, string>>;
  /** Parameters that are always sent. */
  readonly fixed?: Readonly<Record<string, string>>;
  /** Parameters that are sent where no argument says otherwise. */
  readonly usual?: Readonly<Record<string, string>>;
}

/** A tool that asks one module. */
export interface ToolSpec {
  readonly name: string;
  readonly title: string;
  /** What an assistant should know beside what the module says of itself. */
  readonly note?: string;
  readonly required?: readonly string[];
  readonly ways: readonly Way[];
}

/** How a page can be linked with others, by the module that knows. */
const LINKS = [
  ['links', 'pl', { namespace: 'plnamespace' }],
  ['linkshere', 'lh', { namespace: 'lhnamespace' }],
  ['categories', 'cl', {}],
  ['extlinks', 'el', {}],
  ['templates', 'tl', { namespace: 'tlnamespace' }],
  ['images', 'im', {}],
  ['redirects', 'rd', {}],
] as const satisfies readonly (readonly [ModuleName, string, Readonly<Record<string, string>>])[];

/** The tools that every site has, as far as it has answers. */
export const USUAL_TOOLS: readonly ToolSpec[] = [
  {
    name: 'search',
    title: 'Search',
    required: ['query'],
    ways: [
      {
        module: 'search',
        takes: { query: 'srsearch', namespace: 'srnamespace', limit: 'srlimit' },
        fixed: { srprop: 'size|timestamp|snippet' },
      },
    ],
  },
  {
    name: 'list_pages',
    title: 'List pages',
    note: 'With category it lists what is in a category instead.',
    ways: [
      {
        module: 'categorymembers',
        chosenBy: 'category',
        takes: { category: 'cmtitle', namespace: 'cmnamespace', limit: 'cmlimit' },
        fixed: { cmprop: 'ids|title|type' },
      },
      {
        module: 'allpages',
        takes: { prefix: 'apprefix', from: 'apfrom', namespace: 'apnamespace', limit: 'aplimit' },
      },
    ],
  },
  {
    name: 'history',
    title: 'History of a page',
    note: 'Newest first.',
    required: ['title'],
    ways: [
      {
        module: 'revisions',
        takes: { title: 'titles', user: 'rvuser', start: 'rvstart', end: 'rvend', limit: 'rvlimit' },
        fixed: { rvprop: 'ids|timestamp|user|comment|size|flags' },
        usual: { rvlimit: '10' },
      },
    ],
  },
  {
    name: 'changes',
    title: 'Recent changes',
    note: 'Newest first.',
    ways: [
      {
        module: 'recentchanges',
        takes: {
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
    ways: LINKS.map(([module, prefix, takes]) => ({
      module,
      chosenBy: 'kind',
      value: module,
      takes: { title: 'titles', limit: `${prefix}limit`, ...takes },
    })),
  },
  {
    name: 'site_info',
    title: 'About the site',
    ways: [{ module: 'siteinfo', takes: {}, fixed: { siprop: 'general|namespaces|statistics|rightsinfo' } }],
  },
];
