import { contentQuery, memoryContent } from 'oauth-query/content';
import { catalogue } from '../../../src/core/query/catalogue/index.js';
import type { ModuleDescriptor, ParamDescriptor } from '../../../src/core/query/descriptor/descriptor.js';
import { HIDDEN, MARK } from './hidden-site.js';
import type { Params } from './walk.js';

const TITLES = [
  ...['Page 00', 'Page 02', `Page 01 ${HIDDEN}`, `Page 59 ${HIDDEN}`, 'Nowhere', 'Way', 'Open way', `${HIDDEN} way`],
  ...['Talk:Page 00', `Talk:Page 01 ${HIDDEN}`, 'Category:Mixed', `Category:Both ${HIDDEN}`, `Category:Only ${HIDDEN}`],
  ...['Template:Box', `Template:Box ${HIDDEN}`, 'File:Picture.png', `File:${HIDDEN}.png`, 'User:Mallory'],
];

const USERS = ['Alice', 'Mallory', 'Mallory 101', 'Nobody', '192.0.2.9', '#2', '#77'];

/** One of each kind: open, hidden, missing, a redirect to a hidden page and a hidden redirect, with and without a namespace. */
const SOME_TITLES = [
  ...['Page 02', `Page 01 ${HIDDEN}`, 'Nowhere', 'Way'],
  ...[`${HIDDEN} way`, `Category:Both ${HIDDEN}`, `File:${HIDDEN}.png`],
];

/** Values for parameters of a type; a list of values is tried as a whole and one by one. */
const valuesOf = (module: ModuleDescriptor, name: string, { type, multi }: ParamDescriptor): readonly string[] => {
  if (Array.isArray(type)) return [...(multi ? [type.join('|')] : []), ...(type.length > 12 ? [] : type)];
  if (name === 'limit') return ['1', 'max'];
  if (/^(?:user|users|excludeuser)$/.test(name)) return USERS;
  if (/userids?$/.test(name)) return ['1', '2', '3|2|101|9999'];
  if (/pageids?$/.test(name)) return ['1', '2', '9999'];
  if (/title|^images$|^templates$|^categories$/.test(name)) return SOME_TITLES;
  if (/(?:^|hex|prefix)(?:from|to|prefix|startsortkey|endsortkey)$/.test(name)) return ['Page 01', 'Mal', 'Only', '35'];
  if (name === 'search') return SEARCHES;
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- Any other type is text.
  switch (type) {
    case 'boolean':
      return ['1'];
    case 'timestamp':
      return ['2024-01-01T00:00:20Z', '2025-01-01T00:00:20Z'];
    case 'namespace':
      return ['0', '14', '*'];
    case 'user':
      return USERS;
    case 'title':
      return SOME_TITLES;
    case 'integer':
    case 'limit':
      return ['1', '6', '2'];
    default:
      return ['Page', `${HIDDEN}prop`, 'openprop', 'Mallory', '192.0.2.0/24', 'de'];
  }
};

const SEARCHES = [
  ...['word', 'rare', MARK, `${HIDDEN}`, '-open rare', 'intitle:Page', `Page 01 ${HIDDEN}`, 'Much', '"open word"'],
];

/** Parameters that select what a module lists; each is tried with each variation of the others. */
const SUBJECTS: Readonly<Record<string, readonly Params[]>> = {
  backlinks: ['Page 00', `Page 01 ${HIDDEN}`, 'Nowhere'].map((bltitle) => ({ bltitle })),
  categorymembers: ['Mixed', `Both ${HIDDEN}`].map((title) => ({ cmtitle: `Category:${title}` })),
  embeddedin: ['Box', `Box ${HIDDEN}`].map((title) => ({ eititle: `Template:${title}` })),
  imageusage: ['Picture.png', `${HIDDEN}.png`].map((title) => ({ iutitle: `File:${title}` })),
  pageswithprop: ['openprop', `${HIDDEN}prop`].map((pwppropname) => ({ pwppropname })),
  prefixsearch: ['Page', 'Much', 'Category:'].map((pssearch) => ({ pssearch })),
  random: [{ rncontinue: '5|0|5|0' }],
  search: ['word', 'rare'].map((srsearch) => ({ srsearch })),
  usercontribs: [{ ucuser: 'Alice|Mallory|Bob' }, { ucuserprefix: 'Mal' }, { ucuserids: '2|3' }],
  users: [{ ususers: USERS.filter((user) => !user.startsWith('#')).join('|') }, { ususerids: '1|2|3|101' }],
  revisions: [{}, { titles: 'Page 00', rvlimit: '3' }, { titles: '', revids: '1|2|3|9999' }],
};

/** With this subject, a module answers at most one page. */
const isAlone = ({ titles, rvlimit }: Params): boolean => rvlimit !== undefined && titles !== undefined;

/** Requests to one module, with each value of each parameter. */
const requestsTo = (module: ModuleDescriptor): readonly Params[] => {
  const { name, group, prefix, generator } = module;
  const given: Params = { [group]: name, ...(group === 'prop' ? { titles: TITLES.join('|') } : {}) };
  return (SUBJECTS[name] ?? [{}]).flatMap((subject) => {
    const base = withoutEmpty({ ...given, ...subject });
    const variations = Object.entries(module.parameters)
      .filter(([parameter]) => parameter !== 'continue' && !/[{]/.test(parameter))
      .flatMap(([parameter, descriptor]) =>
        valuesOf(module, parameter, descriptor).map((value) => ({ ...base, [prefix + parameter]: value })),
      );
    const asGenerator = Object.fromEntries(
      Object.entries(base).map(([key, value]) =>
        key.startsWith(prefix) && prefix !== '' ? [`g${key}`, value] : [key, value],
      ),
    );
    delete asGenerator[group];
    return [
      base,
      ...variations,
      ...(generator && !isAlone(subject)
        ? [{ ...asGenerator, generator: name, prop: 'info|links', pllimit: '3' }]
        : []),
    ];
  });
};

const withoutEmpty = (params: Params): Params =>
  Object.fromEntries(Object.entries(params).filter(([, value]) => value !== ''));

/** The modules that a site answers. The others have the same response on every site. */
const answered = new Set(['siteinfo', 'logevents', ...Object.keys(contentQuery(memoryContent([])).modules ?? {})]);

const EVERYTHING =
  'wikitext|links|categories|images|templates|externallinks|langlinks|iwlinks|sections|properties|displaytitle|revid';

/** Requests to every module that reads content, and to the other actions that read pages. */
export const EVERY_REQUEST: readonly Params[] = [
  ...Object.values<ModuleDescriptor>(catalogue)
    .filter(({ name }) => answered.has(name))
    .flatMap(requestsTo),
  ...TITLES.flatMap((page) => [
    { action: 'parse', page, prop: EVERYTHING },
    { action: 'parse', page, redirects: '1', prop: 'text' },
    { action: 'parse', title: page, text: `[[${page}]] {{Box}}`, prop: 'links|templates|wikitext' },
    { action: 'compare', fromtitle: page, totitle: 'Page 00', prop: 'diff|diffsize|ids|title|user|comment|size|rel' },
    { action: 'query', titles: page, export: '1' },
    { titles: page, redirects: '1', prop: 'info', inprop: 'url|associatedpage|talkid|subjectid|displaytitle' },
  ]),
  ...['1', '2', '61', '9999'].flatMap((id) => [
    { action: 'parse', pageid: id, prop: 'wikitext|links' },
    { action: 'parse', oldid: id, prop: 'wikitext|links' },
    { action: 'compare', fromrev: id, torev: '1', prop: 'diff|ids|title|user' },
    { action: 'compare', fromrev: id, torelative: 'cur' },
    { action: 'compare', fromid: id, toid: '1' },
    { action: 'query', pageids: id, prop: 'info|revisions', rvprop: 'content|user', rvslots: 'main' },
    { action: 'query', revids: id, prop: 'info|revisions', rvprop: 'content|user', rvslots: 'main' },
  ]),
  ...['Page', 'Much', 'Hidden', 'Category:', 'Nowhere'].map((search) => ({
    action: 'opensearch',
    search,
    redirects: 'resolve',
  })),
  { action: 'paraminfo', modules: 'query+allpages' },
  { action: 'query', meta: 'siteinfo', siprop: 'general|namespaces|statistics|interwikimap' },
  // A filter that most pages fail, so that responses end before they are full.
  { action: 'query', list: 'allpages', apminsize: '20', aplimit: 'max' },
  { action: 'query', list: 'allpages', apprefix: 'Much', aplimit: 'max', apdir: 'descending', apminsize: '20' },
  { action: 'query', list: 'recentchanges', rcnamespace: '14', rclimit: 'max', rcprop: 'title|ids|user' },
];

/** Calls of every tool. */
export const EVERY_CALL: readonly (readonly [tool: string, args: object])[] = [
  ...SEARCHES.flatMap((query) => [
    ['search', { query }] as const,
    ['search', { query, limit: 2, namespace: [0, 14] }] as const,
  ]),
  ...TITLES.flatMap((title) => [
    ['read_page', { title }] as const,
    ['history', { title }] as const,
    ...['links', 'linkshere', 'categories', 'extlinks', 'templates', 'images', 'redirects'].map(
      (kind) => ['links', { title, kind, limit: 20 }] as const,
    ),
  ]),
  ...[1, 2, 61, 9999].map((page_id) => ['read_page', { page_id }] as const),
  ...['Mixed', `Both ${HIDDEN}`, `Only ${HIDDEN}`, 'Nowhere'].map((category) => ['list_pages', { category }] as const),
  ...[{}, { prefix: 'Page', limit: 7 }, { from: 'Page 01', limit: 500 }, { namespace: 10 }].map(
    (args) => ['list_pages', args] as const,
  ),
  ...[{}, { limit: 500 }, { user: 'Mallory' }, { user: 'Alice', limit: 7 }, { namespace: [1, 14] }].map(
    (args) => ['changes', args] as const,
  ),
  ['site_info', {}],
  ['describe_module', {}],
  ['describe_module', { module: 'users' }],
  [
    'query',
    {
      parameters: { list: ['users', 'allusers'], ususers: ['Mallory', 'Alice'], usprop: ['registration', 'editcount'] },
    },
  ],
];
