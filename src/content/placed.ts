import type { RedirectTarget, Site } from '../core/query/index.js';
import { canonicalAddress, canonicalUserName, parseTitle, prefixedTitle } from '../core/query/toolkit.js';
import type { MemoryPage } from './memory/store.js';
import type { ContentTitle } from './source.js';

/** The canonical form of the name of a user. One that no site allows stays as it is. */
export const placeUser = (name: string, userId: number, site: Site): string =>
  (userId === 0 ? canonicalAddress(name) : undefined) ?? canonicalUserName(name, site) ?? name;

/** A page whose titles and users are written as requests find them. A title that is not valid stays as it is. */
export const placePage = (page: MemoryPage, site: Site): MemoryPage => ({
  ...page,
  title: placeTitle({ ns: page.ns ?? 0, title: page.title }, site),
  ...(page.user !== undefined && { user: placeUser(page.user, page.userid ?? 0, site) }),
  ...(page.redirect && { redirect: placeRedirect(page.redirect, site) }),
  ...(page.links && {
    links: page.links.map((link) => (FOREIGN.has(link.kind) ? link : { ...link, title: placeTitle(link, site) })),
  }),
  ...(page.history && {
    history: page.history.map((revision) =>
      revision.user === undefined
        ? revision
        : { ...revision, user: placeUser(revision.user, revision.userid ?? 0, site) },
    ),
  }),
});

/** Links whose targets are no pages of the site. */
const FOREIGN: ReadonlySet<string> = new Set(['url', 'language', 'interwiki', 'property']);

const placeTitle = ({ ns, title }: ContentTitle, site: Site): string => {
  const placed = site.namespace(ns) && parseTitle(prefixedTitle(ns, title, site), site);
  const isTitle = placed?.kind === 'local' && placed.ns === ns && placed.fragment === '' && placed.text !== '';
  return isTitle ? placed.text : title;
};

const placeRedirect = (redirect: RedirectTarget, site: Site): RedirectTarget => {
  const to = parseTitle(redirect.to, site);
  return to.kind === 'local' && to.text !== '' ? { ...redirect, to: to.prefixed } : redirect;
};
