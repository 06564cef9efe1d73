import type { ModuleName } from '../catalogue/index.js';
import {
  blockedAddress,
  categoryTarget,
  contributionsOf,
  fileTarget,
  hashes,
  imageOrder,
  linkTarget,
  noRedirectsForAllpages,
  patrolFlags,
  protectionType,
} from './lists.js';
import { logAction, logTarget, randomRedirects } from './log.js';
import { linkTitles, singlePageTexts, titleNeeds, urlOrProp, withPages } from './pages.js';
import {
  allDeletedRevisions,
  allRevisions,
  deletedHistory,
  deletedRevisionPages,
  deletedRevsModes,
  revisionPages,
} from './revisions.js';
import { atMostOneOf, loggedIn, noContradiction, type PageRule, type Rule, titleParts, wholeTitles } from './rule.js';

export type { PageRule, Rule, RuleRequest } from './rule.js';

const byTitle = titleParts('from', 'to', 'prefix');

/** Conditions between the parameters of a module, looked at in this order as soon as its parameters are read. */
export const RULES: { readonly [N in ModuleName]?: readonly Rule[] } = {
  allcategories: [byTitle],
  alldeletedrevisions: allDeletedRevisions,
  allfileusages: [byTitle],
  allimages: [imageOrder, byTitle, hashes],
  alllinks: [byTitle],
  allpages: [protectionType, byTitle],
  allredirects: [byTitle],
  allrevisions: allRevisions,
  alltransclusions: [byTitle],
  allusers: [atMostOneOf('group', 'excludegroup')],
  backlinks: linkTarget,
  blocks: [atMostOneOf('users', 'ip'), blockedAddress, noContradiction],
  categorymembers: [...linkTarget, categoryTarget],
  deletedrevs: [deletedHistory, byTitle],
  embeddedin: linkTarget,
  filearchive: [byTitle, hashes],
  imageusage: [...linkTarget, fileTarget],
  iwbacklinks: [titleNeeds('prefix', 'noprefix')],
  langbacklinks: [titleNeeds('lang', 'nolang')],
  logevents: [logAction, logTarget, wholeTitles('title'), titleParts('prefix')],
  mystashedfiles: [loggedIn('apierror-mustbeloggedin-uploadstash', 'stashnotloggedin')],
  notifications: [loggedIn('apierror-mustbeloggedin-generic')],
  random: [randomRedirects],
  recentchanges: [noContradiction, patrolFlags, wholeTitles('title')],
  stashimageinfo: [loggedIn('apierror-mustbeloggedin-uploadstash')],
  unreadnotificationpages: [loggedIn('apierror-mustbeloggedin-generic')],
  usercontribs: [contributionsOf, noContradiction, patrolFlags],
  users: [atMostOneOf('users', 'userids')],
  watchlist: [loggedIn('apierror-mustbeloggedin-watchlist'), noContradiction, patrolFlags],
  watchlistraw: [loggedIn('apierror-mustbeloggedin-watchlist'), noContradiction, titleParts('fromtitle', 'totitle')],
};

/** Conditions that also depend on the pages of the request. */
export const PAGE_RULES: { readonly [N in ModuleName]?: PageRule } = {
  allpages: noRedirectsForAllpages,
  categories: withPages(noContradiction, linkTitles('categories', 'category')),
  contributors: withPages(atMostOneOf('group', 'excludegroup', 'rights', 'excluderights')),
  deletedrevisions: deletedRevisionPages,
  deletedrevs: deletedRevsModes,
  fileusage: withPages(noContradiction),
  images: withPages(linkTitles('images', 'file')),
  info: singlePageTexts,
  iwlinks: withPages(urlOrProp, titleNeeds('prefix')),
  langlinks: withPages(titleNeeds('lang'), urlOrProp),
  links: withPages(linkTitles('titles', 'title')),
  linkshere: withPages(noContradiction),
  redirects: withPages(noContradiction),
  revisions: revisionPages,
  templates: withPages(linkTitles('templates', 'title')),
  transcludedin: withPages(noContradiction),
};
