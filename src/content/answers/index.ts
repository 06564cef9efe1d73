import type { ContinueValue, ModuleHandlers, ModuleName, ModuleRequest } from '../../core/query/index.js';
import type { Content } from '../content.js';
import { allOf } from './all-links.js';
import type { Answer, ContentFunction, Having } from './answer.js';
import { backlinksBy, linkingPages } from './backlinks.js';
import { allcategories, categories, categoryinfo, categorymembers } from './categories.js';
import { logevents, recentchanges, usercontribs } from './changes.js';
import { extracts } from './extracts.js';
import { allimages, imageinfo } from './files.js';
import { info } from './info.js';
import {
  extlinks,
  exturlusage,
  foreignBacklinks,
  iwlinks,
  langlinks,
  linksOf,
  pagepropnames,
  pageprops,
  pageswithprop,
} from './links.js';
import { allpages, random } from './pages.js';
import { allrevisions, revisions } from './revisions.js';
import { prefixsearch, search } from './search.js';
import { allusers, users } from './users.js';

/** The functions of a source that each module requires, and how it is answered. */
const ANSWERS: {
  readonly [N in ModuleName]?: readonly [needs: readonly ContentFunction[], Answer<N, ContentFunction>];
} = {
  allcategories: [['targets', 'pages'], allcategories],
  allfileusages: [['targets', 'pages'], allOf('file')],
  allimages: [['pageRange', 'files'], allimages],
  alllinks: [['targets', 'pages'], allOf('link')],
  allpages: [['pageRange'], allpages],
  allredirects: [['targets', 'pages'], allOf('redirect')],
  allrevisions: [['history', 'revisions', 'pages'], allrevisions],
  alltransclusions: [['targets', 'pages'], allOf('template')],
  allusers: [['userRange'], allusers],
  backlinks: [['backlinks', 'pages'], backlinksBy('link')],
  categories: [['links'], categories],
  categoryinfo: [['sizes'], categoryinfo],
  categorymembers: [['members', 'pages'], categorymembers],
  embeddedin: [['backlinks', 'pages'], backlinksBy('template')],
  extlinks: [['links'], extlinks],
  extracts: [['revisions', 'pages'], extracts],
  exturlusage: [['targets', 'pages'], exturlusage],
  fileusage: [['backlinks', 'pages'], linkingPages('file')],
  imageinfo: [['files'], imageinfo],
  images: [['links'], linksOf('file')],
  imageusage: [['backlinks', 'pages'], backlinksBy('file')],
  info: [['pages'], info],
  iwbacklinks: [['targets', 'pages'], foreignBacklinks('interwiki', { prefix: 'iwprefix', title: 'iwtitle' })],
  iwlinks: [['links'], iwlinks],
  langbacklinks: [['targets', 'pages'], foreignBacklinks('language', { prefix: 'lllang', title: 'lltitle' })],
  langlinks: [['links'], langlinks],
  links: [['links'], linksOf('link')],
  linkshere: [['backlinks', 'pages'], linkingPages('link')],
  logevents: [['log', 'pages'], logevents],
  pagepropnames: [['targets', 'pages'], pagepropnames],
  pageprops: [['links'], pageprops],
  pageswithprop: [['backlinks'], pageswithprop],
  prefixsearch: [['pageRange'], prefixsearch],
  random: [['shuffled'], random],
  recentchanges: [['history', 'pages'], recentchanges],
  redirects: [['backlinks', 'pages'], linkingPages('redirect')],
  revisions: [['revisions', 'pages'], revisions],
  search: [['search'], search],
  templates: [['links'], linksOf('template')],
  transcludedin: [['backlinks', 'pages'], linkingPages('template')],
  usercontribs: [['history', 'pages'], usercontribs],
  users: [['users'], users],
};

/** Modules that count members, including pages with restricted access. */
const COUNTS: ReadonlySet<string> = new Set(['categoryinfo'] satisfies ModuleName[]);

/** Any handler: its result may continue. */
type Handle = (request: ModuleRequest) => Promise<{ readonly continue?: ContinueValue | undefined }>;

/** Handlers for all modules that this source can answer. */
export const answersFrom = (content: Content): ModuleHandlers => {
  const { source, isRestricted } = content;
  const handlers = Object.entries(ANSWERS)
    .filter(([, [needs]]) => needs.every((need) => source[need]))
    .filter(([name]) => !isRestricted || (source.pages && !COUNTS.has(name)))
    .map(([name, [, answer]]): [string, Handle] => {
      // The source has the functions that the answer needs, and a handler of any group takes a request.
      const handle = answer as unknown as (
        content: Having<ContentFunction>,
        request: ModuleRequest,
      ) => ReturnType<Handle>;
      return [
        name,
        async (request) => {
          const result = await handle(content as Having<ContentFunction>, request);
          const { continue: next } = result;
          // Conceals where a response ends if the next row may be of a page that the caller may not see.
          return next === undefined || !content.mustConceal(request)
            ? result
            : { ...result, continue: request.conceal(next) };
        },
      ];
    });
  // Names and handlers come from one table.
  return Object.fromEntries(handlers) as ModuleHandlers;
};
