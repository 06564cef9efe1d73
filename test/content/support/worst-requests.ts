import { catalogue, type ModuleDescriptor, type ParamDescriptor } from '../../../src/core/query/index.js';
import { SPECIAL } from './large-site.js';
import type { Params } from './walk.js';

const HUB = 'Main Page';
const page = (id: number): string => `Page ${String(id).padStart(7, '0')}`;

/** Searches that match most pages, no page, or many times in one page. */
export const SEARCHES = [
  'the',
  'knot',
  'h*',
  'ha*',
  'har*',
  'harb*',
  'word*',
  'word1*',
  'h* s* b* r* t* l* m* k*',
  'page*',
  'page* p* t* h* o*',
  '"the of"',
  '"of the harbor is in to was and"',
  '"the the the the"',
  'the of and harbor is in to was',
  'the -of -and -harbor',
  'the -h*',
  'harbor word77777 the',
  'a'.repeat(300),
  `${'h* '.repeat(99)}h*`,
  Array.from({ length: 75 }, (_, n) => `${'hbrstlmk'[n % 8]}${'aeiou'[n % 5]}*`).join(' '),
  Array.from({ length: 100 }, (_, n) => `${String.fromCharCode(97 + (n % 26))}*`).join(' '),
  `"${'the of '.repeat(40)}"`,
  'intitle:page',
  'zzzzzz',
] as const;

/** Values of parameters that take any text, by the name of the parameter without its prefix. */
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  search: SEARCHES,
  title: [HUB, page(1000), 'Box', 'Picture.png', 'Category:Everything', 'Template:Box', 'File:Picture.png', 'Nowhere'],
  user: ['User 1', 'User 7', 'Nobody', '192.0.0.1'],
  excludeuser: ['User 1', 'User 7'],
  userprefix: ['U', 'User', '1', 'Z'],
  iprange: ['192.0.0.0/16', '10.0.0.0/16', '192.0.0.0/24'],
  from: ['', 'A', 'P', page(100_000), 'Z', 'Wanted 2'],
  to: ['A', page(1000), 'Zz'],
  prefix: ['', 'P', 'Page 00', 'W', 'Zzz', 'de', 'encyclopedia'],
  lang: ['de', 'en', 'xx'],
  propname: ['displaytitle', 'property 7', 'nothing'],
  query: ['example.org', '*.example.org', '*.org', 'host7.example.org', 'nowhere.example'],
  messages: ['*', 'mainpage|Page 0000204|Page 0000254'],
  filter: ['Page', '9999', 'zz'],
  tag: ['x'],
  startsortkeyprefix: ['P', 'PAGE 01'],
  namespace: ['*', '0', '1', '4', '14', '8'],
  titles: [`${HUB}|${page(1000)}`],
  users: [Array.from({ length: 50 }, (_, n) => `User ${n + 1}`).join('|')],
  userids: [Array.from({ length: 50 }, (_, n) => `${n + 1}`).join('|')],
  categories: ['Category:Everything|Category:Nothing'],
  templates: ['Template:Box|Template:Nothing'],
  images: ['File:Picture.png|File:Nothing.png'],
};
const NUMBERS: readonly string[] = ['1', '500', '100000', '9000'];
const TIMES: readonly string[] = ['2020-01-01T00:00:00Z', '2020-01-02T00:00:00Z', '2021-06-01T00:00:00Z'];

const LISTS: readonly string[] = ['categories', 'templates', 'images'];

const candidates = (name: string, { type, multi, deprecatedvalues = [] }: ParamDescriptor): readonly string[] => {
  if (typeof type !== 'string') {
    const values = type.filter((value) => value !== '' && !deprecatedvalues.includes(value));
    return multi ? [values.join('|'), ...values] : values;
  }
  if (type === 'namespace') return TEXTS['namespace'] ?? [];
  if (type === 'boolean') return ['1'];
  if (type === 'integer') return LISTS.includes(name) ? [] : NUMBERS;
  if (type === 'timestamp') return TIMES;
  if (type === 'limit') return [];
  return TEXTS[name] ?? [];
};

/** Pages for modules that describe pages: one that is linked from everywhere, large ones, and fifty of them. */
const PAGES: readonly Params[] = [
  { titles: HUB },
  { titles: page(SPECIAL.megabyte) },
  { pageids: String(SPECIAL.links) },
  { titles: page(SPECIAL.oneWord) },
  { titles: 'Category:Everything|Template:Box|File:Picture.png' },
  { pageids: Array.from({ length: 50 }, (_, n) => SPECIAL.huge + n).join('|') },
  { pageids: Array.from({ length: 50 }, (_, n) => SPECIAL.links + n).join('|') },
  { pageids: Array.from({ length: 50 }, (_, n) => n * 37 + 1000).join('|') },
  { revids: Array.from({ length: 50 }, (_, n) => n + 1).join('|') },
];

/** What a list must have besides its limit. */
const NEEDS: Readonly<Record<string, readonly Params[]>> = {
  backlinks: [{ title: HUB }, { title: HUB, redirect: '1' }, { title: page(1000), redirect: '1' }],
  embeddedin: [{ title: 'Template:Box' }],
  imageusage: [{ title: 'File:Picture.png' }, { title: 'File:Picture.png', redirect: '1' }],
  categorymembers: [
    { title: 'Category:Everything' },
    { title: 'Category:Everything', sort: 'timestamp' },
    { title: 'Category:Everything', sort: 'timestamp', dir: 'desc' },
    { title: 'Category:Everything', namespace: '4' },
    { title: 'Category:Everything', type: 'file', namespace: '0' },
    { title: 'Category:Everything', sort: 'timestamp', namespace: '12' },
  ],
  search: [{ search: 'the' }, { search: 'h*', prop: '' }, { search: 'knot' }],
  prefixsearch: [{ search: 'P' }, { search: 'P', offset: '9000' }],
  users: [
    { users: Array.from({ length: 50 }, (_, n) => `User ${n + 1}`).join('|'), prop: 'editcount|registration|groups' },
  ],
  usercontribs: [{ user: 'User 1' }, { userprefix: 'U' }, { iprange: '192.0.0.0/16' }, { userids: '1|2|3' }],
  pageswithprop: [{ propname: 'displaytitle' }],
  langbacklinks: [{}, { lang: 'de' }, { lang: 'de', title: 'Seite 7' }],
  iwbacklinks: [{}, { prefix: 'encyclopedia' }],
  querypage: [{ page: 'Ancientpages' }],
};

const prefixed = (prefix: string, params: Params): Params =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [prefix + name, value]));

/** The parameters of a module without its prefix: each at its worst, one at a time. */
const variations = ({ name, parameters }: ModuleDescriptor): readonly Params[] => {
  const limit: Params = 'limit' in parameters ? { limit: 'max' } : {};
  const { prop } = parameters;
  const all: Params =
    prop && typeof prop.type !== 'string' && prop.multi && name !== 'parse'
      ? { prop: prop.type.filter((value) => !(prop.deprecatedvalues ?? []).includes(value)).join('|') }
      : {};
  const bases = (NEEDS[name] ?? [{}]).map((needs) => ({ ...limit, ...all, ...needs }));
  const varied = Object.entries(parameters).flatMap(([parameter, descriptor]) =>
    candidates(parameter, descriptor).map((value) => ({ [parameter]: value })),
  );
  return bases.flatMap((base) => [base, ...varied.map((one) => ({ ...base, ...one }))]);
};

/** Every module with each of its parameters at its worst, alone and as a generator. */
export const worstRequests = (): readonly Params[] =>
  Object.values<ModuleDescriptor>(catalogue).flatMap((module): readonly Params[] => {
    const { name, group, prefix, generator } = module;
    const alone = variations(module).flatMap((params, index) => {
      const own = { [group]: name, ...prefixed(prefix, params) };
      // Which pages matter most for the module itself, and less for each of its parameters.
      const pages = index === 0 ? PAGES : [PAGES[index % PAGES.length]];
      return group === 'prop' ? pages.map((some) => ({ ...own, ...some })) : [own];
    });
    if (!generator) return alone;
    const [first = {}] = variations(module);
    const generated = { generator: name, ...prefixed(`g${prefix}`, first), ...(group === 'prop' ? PAGES[2] : {}) };
    return [
      ...alone,
      { ...generated, prop: 'info', inprop: 'url|displaytitle|talkid|protection' },
      { ...generated, prop: 'revisions', rvprop: 'content|ids|timestamp|sha1', rvslots: 'main' },
      { ...generated, prop: 'links|categories|templates|images|langlinks', pllimit: 'max', cllimit: 'max' },
    ];
  });

/** Requests with all modules of a group that can be combined, each with its highest limit. */
export const manyModules = (): readonly Params[] => {
  const groups = (['list', 'prop'] as const).map((group) => {
    const modules = Object.values<ModuleDescriptor>(catalogue).filter((module) => module.group === group);
    const own = modules.map((module) => prefixed(module.prefix, variations(module)[0] ?? {}));
    return Object.assign({ [group]: modules.map(({ name }) => name).join('|') }, ...own) as Params;
  });
  const [lists = {}, props = {}] = groups;
  return [lists, ...PAGES.map((pages) => ({ ...props, ...pages })), { ...lists, ...props, ...PAGES[7] }];
};

/** The pages with the most links and the longest text, in full. */
export const LONG_PAGES: readonly Params[] = [SPECIAL.links, SPECIAL.megabyte].map((id) => ({
  action: 'parse',
  pageid: String(id),
  prop: 'categories|links|templates|images|externallinks|langlinks|revid|wikitext',
}));

const PAGE_FACTS: Params = {
  prop: 'info',
  inprop: 'protection|talkid|subjectid|associatedpage|url|readable|preload|displaytitle|varianttitles|linkclasses',
};

/** Requests for all that callers with high limits can have of many pages. */
export const MANY_PAGES: readonly Params[] = [
  { list: 'search', srsearch: 'the', srlimit: 'max', srprop: 'size|wordcount|timestamp|snippet|titlesnippet' },
  ...[
    { generator: 'search', gsrsearch: 'the', gsrlimit: 'max' },
    { generator: 'prefixsearch', gpssearch: 'P', gpslimit: 'max' },
    { generator: 'querypage', gqppage: 'Ancientpages', gqplimit: 'max' },
    { generator: 'allredirects', garlimit: 'max' },
  ].flatMap((pages) =>
    [PAGE_FACTS, { ...PAGE_FACTS, format: 'xmlfm' }, { export: '1' }].map((of) => ({ ...pages, ...of })),
  ),
];

/** Pages of markup, in the formats that make it longer. */
export const MUCH_MARKUP: readonly Params[] = ['json', 'jsonfm', 'xml', 'xmlfm'].flatMap((format) => [
  { ...PAGES[5], prop: 'revisions', rvprop: 'content', rvslots: 'main', format },
  { generator: 'allpages', gapfrom: 'Short', gaplimit: '400', export: '1', format },
]);

/** Lists of many users, each of whom takes time on a site that hides pages. */
export const MANY_USERS: readonly Params[] = [
  ...[{ ucuserprefix: 'U' }, { ucuserprefix: '1' }, { uciprange: '192.0.0.0/16' }, { uciprange: '192.0.0.0/20' }].map(
    (users) => ({ list: 'usercontribs', uclimit: 'max', ...users }),
  ),
  { list: 'usercontribs', uclimit: 'max', uciprange: '192.0.0.0/16', ucshow: 'minor' },
  ...[{}, { aufrom: 'User' }].map((from) => ({ list: 'allusers', aulimit: 'max', auprop: 'registration', ...from })),
  { list: 'users', ususers: Array.from({ length: 50 }, (_, n) => `User ${n + 900}`).join('|') },
];

/** Calls of tools with many results. */
export const WORST_CALLS: readonly (readonly [tool: string, args: object])[] = [
  // Few enough to be sent at once: a search that is repeated with a lower limit takes its budget twice.
  ...SEARCHES.flatMap((words) => (words.length > 100 ? [] : [['search', { query: words, limit: 100 }] as const])),
  ['read_page', { page_id: SPECIAL.megabyte }],
  ...[{}, { prefix: 'P' }, { category: 'Everything' }].map((args) => ['list_pages', { ...args, limit: 500 }] as const),
  ['history', { title: HUB, limit: 50 }],
  ...[{}, { user: 'User 7' }, { namespace: [0, 1], type: 'new' }].map(
    (args) => ['changes', { ...args, limit: 500 }] as const,
  ),
  ...['links', 'linkshere', 'categories', 'extlinks', 'templates', 'images', 'redirects'].flatMap((kind) =>
    [HUB, page(SPECIAL.links)].map((title) => ['links', { title, kind, limit: 500 }] as const),
  ),
  ['query', { parameters: { list: 'search|allpages|recentchanges', srsearch: 'the', srlimit: '500', rclimit: '500' } }],
  ['query', { parameters: { prop: 'revisions', rvprop: 'content', rvslots: 'main', ...PAGES[6] } }],
];
