import { fail } from '../../base/schema.js';
import { MAX_LENGTH, normalizeText } from '../../base/text.js';
import type { SiteOptions } from './options.js';
import { resolveSite, type Site } from './site.js';
import { parseTitle } from './title.js';

/** Characters that requests may not contain. */
const NOT_TEXT = /[\ufffe\uffff\p{Surrogate}]/u;

/** Modules list these names as the values of a parameter. */
const checkNames = (option: string, names: readonly string[]): void => {
  if (names.length === 0) fail(`options.query.site.${option} must have at least one name.`);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) fail(`options.query.site.${option} has ${JSON.stringify(twice)} twice. Remove one.`);
};

/**
 * The site of a server, with the rules checked that the modules of the catalogue rely on.
 *
 * @param base - The base of absolute URLs; empty if not known.
 * @throws TypeError with a sentence that names the option and the remedy.
 */
export const siteOf = (given: SiteOptions | undefined, base: string): Site => {
  const site = resolveSite({ ...(base !== '' && { server: new URL(base).origin }), ...given });
  const { groups, rights, implicitRights, contentModels, mainPage } = site;
  checkNames('groups', Object.keys(groups));
  checkNames('rights', rights);
  checkNames('contentModels', contentModels);
  if (rights.every((right) => implicitRights.includes(right)))
    fail('options.query.site.rights must have a right that not all users have.');
  if (normalizeText(mainPage, 'NFC', MAX_LENGTH.title) !== mainPage || NOT_TEXT.test(mainPage))
    fail('options.query.site.mainPage must be text in the normalization form NFC.');
  const title = parseTitle(mainPage, site);
  if (title.kind === 'invalid') fail(`options.query.site.mainPage is not a title: ${title.reason}`);
  return site;
};
