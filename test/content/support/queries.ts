import { expect } from 'vitest';
import type { QueryHost } from './same-pages.js';
import { type Json, type Params, walk } from './walk.js';

const KNOTS =
  'Boat|Bowline|Reef knot|Rope|Sail|Knot|Mast|Lighthouse|Main Page|Category:Knots|File:Bowline.png|Template:Stub|Page 00003|Nowhere';

/** Each kind of query, and the parameter that limits it. */
export const QUERIES: Readonly<Record<string, readonly [limit: string, params: Params]>> = {
  'pages by title': ['aplimit', { list: 'allpages' }],
  'pages by title, downwards': [
    'aplimit',
    { list: 'allpages', apdir: 'descending', apfrom: 'Rope', apto: 'Page 00140' },
  ],
  'pages with a beginning': ['aplimit', { list: 'allpages', apprefix: 'page 000' }],
  'pages of another namespace': ['aplimit', { list: 'allpages', apnamespace: '14' }],
  redirects: ['aplimit', { list: 'allpages', apfilterredir: 'redirects' }],
  'pages of a size': [
    'aplimit',
    { list: 'allpages', apminsize: '300', apmaxsize: '500', apfilterredir: 'nonredirects' },
  ],
  'pages with language links': ['aplimit', { list: 'allpages', apfilterlanglinks: 'withlanglinks', apto: 'Lz' }],
  categories: ['aclimit', { list: 'allcategories', acprop: 'size|hidden' }],
  'categories of a size': [
    'aclimit',
    { list: 'allcategories', acmin: '3', acmax: '30', acdir: 'descending', acprop: 'size' },
  ],
  'links, each': ['allimit', { list: 'alllinks', alprop: 'ids|title', alfrom: 'Page 0013', alto: 'Rope' }],
  'links, each target once': ['allimit', { list: 'alllinks', alunique: '', alfrom: 'M' }],
  'links to another namespace': [
    'allimit',
    { list: 'alllinks', alnamespace: '12', alprop: 'ids|title', aldir: 'descending' },
  ],
  transclusions: ['atlimit', { list: 'alltransclusions', atprop: 'ids|title', atprefix: 'K' }],
  'file usages': ['aflimit', { list: 'allfileusages', afunique: '' }],
  'all redirects': ['arlimit', { list: 'allredirects', arprop: 'ids|title|fragment' }],
  'all revisions': ['arvlimit', { list: 'allrevisions', arvuser: 'Carol', arvprop: 'ids|timestamp|size|sha1|comment' }],
  users: ['aulimit', { list: 'allusers', auprop: 'editcount|registration' }],
  'named users': ['', { list: 'users', ususers: 'Alice|Nobody|192.0.2.17', usprop: 'editcount' }],
  backlinks: ['bllimit', { list: 'backlinks', bltitle: 'Reef knot' }],
  'backlinks through redirects': ['bllimit', { list: 'backlinks', bltitle: 'Page 00000', blredirect: '' }],
  'backlinks, downwards': ['bllimit', { list: 'backlinks', bltitle: 'Rope', bldir: 'descending' }],
  'uses of a template': ['eilimit', { list: 'embeddedin', eititle: 'Template:Stub' }],
  'uses of a file': ['iulimit', { list: 'imageusage', iutitle: 'File:Picture 1.png' }],
  'members of a category': [
    'cmlimit',
    { list: 'categorymembers', cmtitle: 'Category:Knots', cmprop: 'ids|title|sortkey|sortkeyprefix|type|timestamp' },
  ],
  'members, downwards, from a sort key on': [
    'cmlimit',
    {
      list: 'categorymembers',
      cmtitle: 'Category:All',
      cmdir: 'desc',
      cmstartsortkeyprefix: 'page 00100',
    },
  ],
  'members by time': [
    'cmlimit',
    { list: 'categorymembers', cmtitle: 'Category:Knots', cmsort: 'timestamp', cmdir: 'older' },
  ],
  'uses of an address': ['eulimit', { list: 'exturlusage', euquery: '*.example.org', euprotocol: 'https' }],
  'pages in another language': ['lbllimit', { list: 'langbacklinks', lbllang: 'de', lblprop: 'lllang|lltitle' }],
  'links to another site': ['iwbllimit', { list: 'iwbacklinks', iwblprefix: 'encyclopedia', iwblprop: 'iwtitle' }],
  'names of properties': ['ppnlimit', { list: 'pagepropnames' }],
  'pages with a property': [
    'pwplimit',
    { list: 'pageswithprop', pwppropname: 'displaytitle', pwpprop: 'ids|title|value' },
  ],
  'recent changes': [
    'rclimit',
    {
      list: 'recentchanges',
      rctype: 'edit|new',
      rcprop: 'ids|title|sizes|user|flags|timestamp',
      rcshow: '!anon',
      rcnamespace: '0|1',
    },
  ],
  contributions: [
    'uclimit',
    { list: 'usercontribs', ucuser: 'Bob|Carol', ucprop: 'ids|title|sizediff|flags', ucshow: '!new' },
  ],
  'contributions of a range': ['uclimit', { list: 'usercontribs', uciprange: '192.0.2.0/24' }],
  'titles with a beginning': ['pslimit', { list: 'prefixsearch', pssearch: 'Bo', psnamespace: '0|14' }],
  'categories of pages': ['cllimit', { prop: 'categories', titles: KNOTS, clprop: 'sortkey|hidden' }],
  'sizes of categories': ['', { prop: 'categoryinfo', titles: KNOTS }],
  'addresses of pages': ['ellimit', { prop: 'extlinks', titles: KNOTS }],
  'uses of files': ['fulimit', { prop: 'fileusage', titles: KNOTS }],
  'files of pages': ['imlimit', { prop: 'images', titles: KNOTS }],
  'facts about pages': ['', { prop: 'info', titles: KNOTS, inprop: 'talkid|displaytitle|url|associatedpage' }],
  'links to sites': ['iwlimit', { prop: 'iwlinks', titles: KNOTS }],
  'other languages': ['lllimit', { prop: 'langlinks', titles: KNOTS, lldir: 'descending' }],
  'links of pages': ['pllimit', { prop: 'links', titles: KNOTS }],
  'pages that link here': ['lhlimit', { prop: 'linkshere', titles: KNOTS, lhshow: '!redirect' }],
  'redirects to pages': ['rdlimit', { prop: 'redirects', titles: KNOTS, rdprop: 'pageid|title|fragment' }],
  'templates of pages': ['tllimit', { prop: 'templates', titles: KNOTS }],
  'users of templates': ['tilimit', { prop: 'transcludedin', titles: KNOTS }],
  'properties of pages': ['', { prop: 'pageprops', titles: KNOTS }],
  'texts of pages': [
    '',
    { prop: 'revisions', titles: KNOTS, rvprop: 'ids|content|timestamp|user|size', rvslots: 'main' },
  ],
  'a history': ['rvlimit', { prop: 'revisions', titles: 'Bowline', rvprop: 'ids|timestamp|size', rvdir: 'newer' }],
  'beginnings of pages': ['exlimit', { prop: 'extracts', titles: KNOTS, exintro: '', explaintext: '' }],
  'links of a generator': [
    'gcmlimit',
    { generator: 'categorymembers', gcmtitle: 'Category:Knots', prop: 'links|categories', pllimit: '3', cllimit: '2' },
  ],
  'facts about the pages of a generator': [
    'gaplimit',
    { generator: 'allpages', gapprefix: 'Page 0001', prop: 'info|redirects', rdlimit: '2' },
  ],
  'pages that a generator of links gives': [
    'gpllimit',
    { generator: 'links', titles: 'Boat|Rope|Knot', prop: 'categories' },
  ],
};

/** An answer without the port of its host. */
const portable = (host: QueryHost, json: Json): Json =>
  JSON.parse(JSON.stringify(json).replaceAll(host.base, 'http://host.example')) as Json;

/** All results of a client that follows continuations, and the number of responses. */
export const gather = async (
  host: QueryHost,
  params: Params,
  limit: string,
  size: string,
): Promise<readonly Json[]> => {
  const send = async (all: Params): Promise<Json> => {
    const { json } = await host.query(all);
    expect({ error: json['error'], warnings: json['warnings'] }).toEqual({});
    return portable(host, json);
  };
  return walk(send, { ...params, ...(limit === '' ? {} : { [limit]: size }) });
};

/** The items of lists, and of pages by their title, of all answers together. */
export function merged(answers: readonly Json[]): Json {
  const all: Record<string, unknown[]> = {};
  const add = (name: string, items: readonly unknown[]): void => void (all[name] ??= []).push(...items);
  for (const { query = {} } of answers as readonly { readonly query?: Json }[]) {
    for (const [name, value] of Object.entries(query)) {
      if (name === 'normalized' || !Array.isArray(value)) continue;
      if (name !== 'pages') add(name, value);
      else
        for (const page of value as readonly Json[]) {
          for (const [key, part] of Object.entries(page)) {
            const path = `${String(page['title'])} ${key}`;
            if (Array.isArray(part)) add(path, part);
            else if (!Object.hasOwn(all, path)) all[path] = [part];
          }
        }
    }
  }
  return all;
}
