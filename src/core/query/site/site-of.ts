import { fail } from '../../base/schema.js';
import { MAX_LENGTH, normalizeText } from '../../base/text.js';
import type { SiteOptions } from './options.js';
import { resolveSite, type Site } from './site.js';
import { parseTitle } from './title.js';

/** Characters that requests may not contain. */
const NOT_TEXT = /[\ufffe\uffff\p{Surrogate}]/u;

/**
 * The site of a server, with the rules checked that the modules of the catalogue rely on.
 *
 * @param base - The base of absolute URLs; empty if not known.
 * @throws TypeError with a sentence that names the option and the remedy.
 */
export const siteOf = (given: SiteOptions | undefined, base: string): Site => {
  const site = resolveSite({ ...(base !== '' && { server: new URL(base).origin }), ...given });
  const { groups, mainPage } = site;
  if (Object.keys(groups).length === 0) fail('query: options.site.groups must have at least one group.');
  if (normalizeText(mainPage, 'NFC', MAX_LENGTH.title) !== mainPage || NOT_TEXT.test(mainPage))
    fail('query: options.site.mainPage must be a string in the normalization form NFC.');
  const title = parseTitle(mainPage, site);
  if (title.kind === 'invalid') fail(`query: options.site.mainPage is not a title: ${title.reason}`);
  return site;
};
