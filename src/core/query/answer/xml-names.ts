/** A name for a list without one, as in MediaWiki. */
const NAMELESS = '_v';

/**
 * The element of each entry of a list, by the key of the list, or by the keys of its parent and of the list if the name
 * alone is ambiguous. JSON has no such names, so the result tree does not contain them.
 */
const NAMES: Readonly<Record<string, string>> = {
  // The envelope.
  errors: 'error',
  warnings: 'warning',
  // The page set.
  pages: 'page',
  pageids: 'id',
  normalized: 'n',
  converted: 'c',
  interwiki: 'i',
  badrevids: 'rev',
  'query>redirects': 'r',
  'parse>redirects': 'r',
  // `list` modules.
  allcategories: 'c',
  alldeletedrevisions: 'page',
  allfileusages: 'f',
  allimages: 'img',
  alllinks: 'l',
  allmessages: 'message',
  allpages: 'p',
  allredirects: 'r',
  allrevisions: 'page',
  alltransclusions: 't',
  allusers: 'u',
  backlinks: 'bl',
  redirlinks: 'bl',
  blocks: 'block',
  categorymembers: 'cm',
  deletedrevs: 'page',
  embeddedin: 'ei',
  exturlusage: 'eu',
  filearchive: 'fa',
  imageusage: 'iu',
  iwbacklinks: 'iw',
  langbacklinks: 'll',
  logevents: 'item',
  mystashedfiles: 'file',
  pagepropnames: 'p',
  pageswithprop: 'page',
  prefixsearch: 'ps',
  protectedtitles: 'pt',
  results: 'page',
  random: 'page',
  recentchanges: 'rc',
  search: 'p',
  tags: 'tag',
  trackingcategories: 'tc',
  usercontribs: 'item',
  users: 'user',
  watchlist: 'item',
  watchlistraw: 'wr',
  // `prop` modules.
  categories: 'cl',
  contributors: 'pc',
  deletedrevisions: 'rev',
  duplicatefiles: 'df',
  extlinks: 'el',
  fileusage: 'fu',
  imageinfo: 'ii',
  images: 'im',
  iwlinks: 'iw',
  langlinks: 'll',
  links: 'pl',
  linkshere: 'lh',
  protection: 'pr',
  redirects: 'rd',
  restrictiontypes: 'rt',
  revisions: 'rev',
  roles: 'role',
  slots: 'slot',
  stashimageinfo: 'ii',
  templates: 'tl',
  transcludedin: 'ti',
  // `meta` modules.
  acceptlang: 'lang',
  add: 'g',
  remove: 'g',
  'add-self': 'g',
  'remove-self': 'g',
  aliases: 'alias',
  cascadinglevels: 'level',
  semiprotectedlevels: 'level',
  levels: 'level',
  types: 'type',
  dbrepllag: 'db',
  extensions: 'ext',
  extensiontags: 't',
  fallback: 'lang',
  fallbacks: 'fb',
  fileextensions: 'fe',
  functionhooks: 'h',
  groupmemberships: 'groupmembership',
  groups: 'g',
  implicitgroups: 'g',
  interwikimap: 'iw',
  languages: 'lang',
  languagevariants: 'lang',
  libraries: 'library',
  magicwords: 'magicword',
  namespacealiases: 'ns',
  namespaces: 'ns',
  protocols: 'p',
  rights: 'r',
  showhooks: 'hook',
  skins: 'skin',
  specialpagealiases: 'specialpage',
  subscribers: 's',
  usergroups: 'group',
  'usergroups>rights': 'permission',
  'usergroups>add': 'group',
  'usergroups>remove': 'group',
  variables: 'v',
  variants: 'lang',
  // Other actions.
  examples: 'example',
  extranamespaces: 'ns',
  formatmodules: 'module',
  helpurls: 'helpurl',
  info: 'i',
  modules: 'module',
  Section: 'Item',
  'parse>externallinks': 'el',
  'parse>images': 'img',
  'parse>sections': 's',
  parameters: 'param',
  querymodules: 'module',
  templatedparameters: 'param',
  type: 't',
  values: 'v',
};

/** The element of each entry of a list. */
export const entryName = (key: string, parent: string): string =>
  NAMES[`${parent}>${key}`] ?? (Object.hasOwn(NAMES, key) ? NAMES[key] : undefined) ?? NAMELESS;

/** Objects whose keys are a property of each entry: the slots of a revision by their roles. */
export const KEY_ATTRIBUTES: ReadonlyMap<string, string> = new Map([['slots', 'role']]);

const START =
  'A-Za-z\u{C0}-\u{D6}\u{D8}-\u{F6}\u{F8}-\u{2FF}\u{370}-\u{37D}\u{37F}-\u{1FFF}\u{200C}-\u{200D}\u{2070}-\u{218F}\u{2C00}-\u{2FEF}\u{3001}-\u{D7FF}\u{F900}-\u{FDCF}\u{FDF0}-\u{FFFD}\u{10000}-\u{EFFFF}';
const FURTHER = `${START}_\\-.0-9\u{B7}\u{300}-\u{36F}\u{203F}-\u{2040}`;
const VALID = new RegExp(`^[${START}][${FURTHER}]*$`, 'u');
const INVALID = new RegExp(`[^${FURTHER}]`, 'gu');

/**
 * A key as a name of XML. One that is not a valid name begins with `_`, and each of its other characters is its code
 * point between dots: `a b` is `_a.20.b`.
 */
export const xmlName = (key: string): string => {
  if (VALID.test(key)) return key;
  const coded = key
    .replaceAll('.', '.2E.')
    .replace(INVALID, (mark) => `.${(mark.codePointAt(0) ?? 0).toString(16).toUpperCase()}.`);
  return `_${coded}`;
};
