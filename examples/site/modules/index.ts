import type { ModuleHandlers } from 'oauth-query';
import type { Database } from '../database.js';
import { allfileusages, alllinks, allredirects, alltransclusions } from './all-links.js';
import { allpages } from './all-pages.js';
import { backlinks, embeddedin, imageusage } from './backlinks.js';
import { allcategories, categories, categoryinfo } from './categories.js';
import { categorymembers } from './category-members.js';
import { recentchanges, watchlist, watchlistraw } from './changes.js';
import { contributors, usercontribs } from './contributions.js';
import { extlinks, exturlusage } from './external-links.js';
import { extracts } from './extracts.js';
import { iwbacklinks, iwlinks, langbacklinks, langlinks } from './foreign-links.js';
import { info } from './info.js';
import { fileusage, linkshere, redirects, transcludedin } from './links-here.js';
import { images, links, templates } from './links.js';
import { logevents } from './log-events.js';
import { allmessages } from './messages.js';
import { pagepropnames, pageprops, pageswithprop } from './page-props.js';
import { querypage } from './query-page.js';
import { random } from './random.js';
import { allrevisions, revisions } from './revisions.js';
import { prefixsearch, search } from './search.js';
import { allusers, users } from './users.js';

/** What answers each module: one function for each, which gets the database first and then every request. */
export const moduleHandlers = (database: Database): ModuleHandlers => ({
  allcategories: allcategories(database),
  allfileusages: allfileusages(database),
  alllinks: alllinks(database),
  allmessages: allmessages(database),
  allpages: allpages(database),
  allredirects: allredirects(database),
  allrevisions: allrevisions(database),
  alltransclusions: alltransclusions(database),
  allusers: allusers(database),
  backlinks: backlinks(database),
  categories: categories(database),
  categoryinfo: categoryinfo(database),
  categorymembers: categorymembers(database),
  contributors: contributors(database),
  embeddedin: embeddedin(database),
  extlinks: extlinks(database),
  extracts: extracts(database),
  exturlusage: exturlusage(database),
  fileusage: fileusage(database),
  images: images(database),
  imageusage: imageusage(database),
  info: info(database),
  iwbacklinks: iwbacklinks(database),
  iwlinks: iwlinks(database),
  langbacklinks: langbacklinks(database),
  langlinks: langlinks(database),
  links: links(database),
  linkshere: linkshere(database),
  logevents: logevents(database),
  pagepropnames: pagepropnames(database),
  pageprops: pageprops(database),
  pageswithprop: pageswithprop(database),
  prefixsearch: prefixsearch(database),
  querypage: querypage(database),
  random: random(database),
  recentchanges: recentchanges(database),
  redirects: redirects(database),
  revisions: revisions(database),
  search: search(database),
  templates: templates(database),
  transcludedin: transcludedin(database),
  usercontribs: usercontribs(database),
  users: users(database),
  watchlist: watchlist(database),
  watchlistraw: watchlistraw(database),
});
