import type { ContinueValue, ModuleHandlers, ModuleName, ModuleRequest } from '../../core/query/index.js';
import type { Content } from '../content.js';
import { allfileusages, alllinks, allredirects, alltransclusions } from './all-links.js';
import type { ContentFunction, Handler, Having } from './answer.js';
import { backlinks, embeddedin, fileusage, imageusage, linkshere, redirects, transcludedin } from './backlinks.js';
import { allcategories, categories, categoryinfo, categorymembers } from './categories.js';
import { logevents, recentchanges, usercontribs } from './changes.js';
import { extracts } from './extracts.js';
import { allimages, imageinfo } from './files.js';
import { info } from './info.js';
import {
  extlinks,
  exturlusage,
  images,
  iwbacklinks,
  iwlinks,
  langbacklinks,
  langlinks,
  links,
  pagepropnames,
  pageprops,
  pageswithprop,
  templates,
} from './links.js';
import { allpages, random } from './pages.js';
import { allrevisions, revisions } from './revisions.js';
import { prefixsearch, search } from './search.js';
import { allusers, users } from './users.js';

/** The functions of a source that a module requires, and a function that creates its handler. */
type Answer<N extends ModuleName> = readonly [
  needs: readonly ContentFunction[],
  make: (content: Having<ContentFunction>) => Handler<N>,
];

/** All modules that a source can answer. */
const ANSWERS: { readonly [N in ModuleName]?: Answer<N> } = {
  allcategories: [['targets', 'pages'], allcategories],
  allfileusages: [['targets', 'pages'], allfileusages],
  allimages: [['pageRange', 'files'], allimages],
  alllinks: [['targets', 'pages'], alllinks],
  allpages: [['pageRange'], allpages],
  allredirects: [['targets', 'pages'], allredirects],
  allrevisions: [['history', 'revisions', 'pages'], allrevisions],
  alltransclusions: [['targets', 'pages'], alltransclusions],
  allusers: [['userRange'], allusers],
  backlinks: [['backlinks', 'pages'], backlinks],
  categories: [['links'], categories],
  categoryinfo: [['sizes'], categoryinfo],
  categorymembers: [['members', 'pages'], categorymembers],
  embeddedin: [['backlinks', 'pages'], embeddedin],
  extlinks: [['links'], extlinks],
  extracts: [['revisions', 'pages'], extracts],
  exturlusage: [['targets', 'pages'], exturlusage],
  fileusage: [['backlinks', 'pages'], fileusage],
  imageinfo: [['files'], imageinfo],
  images: [['links'], images],
  imageusage: [['backlinks', 'pages'], imageusage],
  info: [['pages'], info],
  iwbacklinks: [['targets', 'pages'], iwbacklinks],
  iwlinks: [['links'], iwlinks],
  langbacklinks: [['targets', 'pages'], langbacklinks],
  langlinks: [['links'], langlinks],
  links: [['links'], links],
  linkshere: [['backlinks', 'pages'], linkshere],
  logevents: [['log', 'pages'], logevents],
  pagepropnames: [['targets', 'pages'], pagepropnames],
  pageprops: [['links'], pageprops],
  pageswithprop: [['backlinks'], pageswithprop],
  prefixsearch: [['pageRange'], prefixsearch],
  random: [['shuffled'], random],
  recentchanges: [['history', 'pages'], recentchanges],
  redirects: [['backlinks', 'pages'], redirects],
  revisions: [['revisions', 'pages'], revisions],
  search: [['search'], search],
  templates: [['links'], templates],
  transcludedin: [['backlinks', 'pages'], transcludedin],
  usercontribs: [['history', 'pages'], usercontribs],
  users: [['users'], users],
};

/** Modules that count members, including pages with restricted access. */
const COUNTS: ReadonlySet<string> = new Set(['categoryinfo'] satisfies ModuleName[]);

/** Conceals where a response ends if the next row may be of a page that the caller may not see. */
const concealing = (handler: unknown, content: Content): unknown => {
  if (!content.isRestricted) return handler;
  // Handlers of every group take a request, and their results may continue.
  const answer = handler as (request: ModuleRequest) => MaybeContinued | Promise<MaybeContinued>;
  return async (request: ModuleRequest): Promise<MaybeContinued> => {
    const result = await answer(request);
    const { continue: next } = result;
    return next === undefined || !content.mustConceal(request)
      ? result
      : { ...result, continue: request.conceal(next) };
  };
};

interface MaybeContinued {
  readonly continue?: ContinueValue | undefined;
}

/** Handlers for all modules that this source can answer. */
export const answersFrom = (content: Content): ModuleHandlers => {
  const { source, isRestricted } = content;
  const handlers: [name: string, handler: unknown][] = [];
  for (const [name, [needs, make]] of Object.entries(ANSWERS)) {
    if (isRestricted && (COUNTS.has(name) || !source.pages)) continue;
    // The source has all required functions.
    if (needs.every((need) => source[need]))
      handlers.push([name, concealing(make(content as Having<ContentFunction>), content)]);
  }
  // Names and handlers come from one table.
  return Object.fromEntries(handlers) as ModuleHandlers;
};
