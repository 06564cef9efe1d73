import { atLeastOneOf, atMostOneOf, emptyIsAll, loggedIn, noContradiction } from '../descriptor/rule.js';
import { continues, continuesByTitle } from '../rules/continue.js';
import { linkQuery } from '../rules/lists.js';
import {
  contextTitle,
  extractsOfPages,
  imagesOfPages,
  linkingPages,
  pagePropsContinue,
  singlePageTexts,
  someImageProp,
  stashKeys,
  titleNeeds,
  urlOrProp,
  withFiles,
  withPages,
  withTitles,
} from '../rules/props.js';
import { deletedRevisionPages, revisionLimit, revisionPages, revisionsOfPages } from '../rules/revisions.js';
import { linkTitles } from '../rules/titles.js';
import { CONTRIBUTOR_RIGHTS, GROUPS, PROTOCOLS } from '../site/value-sets.js';
import { words } from '../site/words.js';
import { module } from './module.js';
import {
  ASCENDING,
  BOOLEAN,
  DEPRECATED_BOOLEAN,
  INTEGER,
  LIMIT,
  LINKING_PAGES_PARAMETERS,
  LINK_NAMESPACES,
  NAMESPACES,
  OLDER,
  REVISION_LIMIT,
  REVISION_PARAMETERS,
  STRING,
  STRINGS,
  TIMESTAMP,
  USER,
} from './shared-parameters.js';

/** Modules about given pages. */

export const categories = module(
  { name: 'categories', group: 'prop', prefix: 'cl', generator: true },
  {
    prop: { type: ['hidden', 'sortkey', 'timestamp'], multi: true },
    show: { type: ['!hidden', 'hidden'], multi: true },
    limit: LIMIT,
    continue: STRING,
    categories: STRINGS,
    dir: ASCENDING,
  },
  { pageRules: [withPages(linkTitles('categories', 'category'), continues(['integer', 'text']), noContradiction())] },
);

export const categoryinfo = module(
  { name: 'categoryinfo', group: 'prop', prefix: 'ci', alsoFor: 'missing', example: { titles: 'Category:Example' } },
  {
    continue: STRING,
  },
  { pageRules: [withTitles()] },
);

export const contributors = module(
  { name: 'contributors', group: 'prop', prefix: 'pc', result: { place: 'merged' } },
  {
    group: { type: GROUPS, siteValues: 'groups', multi: true },
    excludegroup: { type: GROUPS, siteValues: 'groups', multi: true },
    rights: { type: CONTRIBUTOR_RIGHTS, siteValues: 'assignedRights', multi: true },
    excluderights: { type: CONTRIBUTOR_RIGHTS, siteValues: 'assignedRights', multi: true },
    limit: LIMIT,
    continue: STRING,
  },
  { rules: [atMostOneOf('group', 'excludegroup', 'rights', 'excluderights'), continues(['integer', 'integer'])] },
);

export const deletedrevisions = module(
  {
    name: 'deletedrevisions',
    group: 'prop',
    prefix: 'drv',
    generator: true,
    result: { contentKey: 'content' },
    alsoFor: 'revisions',
    yields: 'titles',
  },
  {
    ...REVISION_PARAMETERS,
    limit: REVISION_LIMIT,
    start: TIMESTAMP,
    end: TIMESTAMP,
    dir: OLDER,
    tag: STRING,
    user: USER,
    excludeuser: USER,
    continue: STRING,
  },
  { pageRules: [deletedRevisionPages], limitRule: revisionLimit },
);

export const duplicatefiles = module(
  { name: 'duplicatefiles', group: 'prop', prefix: 'df', example: { titles: 'File:Example.png' } },
  {
    limit: LIMIT,
    continue: STRING,
    dir: ASCENDING,
    localonly: BOOLEAN,
  },
  { pageRules: [withFiles(continues(['text', 'text']))] },
);

export const extlinks = module(
  { name: 'extlinks', group: 'prop', prefix: 'el', generator: true, result: { contentKey: 'url' } },
  {
    limit: LIMIT,
    continue: STRING,
    protocol: { type: PROTOCOLS, default: '' },
    query: STRING,
    expandurl: DEPRECATED_BOOLEAN,
  },
  { pageRules: [withPages(linkQuery)] },
);

export const extracts = module(
  { name: 'extracts', group: 'prop', prefix: 'ex', result: { place: 'merged' } },
  {
    chars: { type: 'integer', min: 1, max: 1200 },
    sentences: { type: 'integer', min: 1, max: 10 },
    limit: { type: 'limit', default: 20, min: 1, max: 20 },
    intro: BOOLEAN,
    plaintext: BOOLEAN,
    sectionformat: { type: ['plain', 'raw', 'wiki'], default: 'wiki' },
    continue: INTEGER,
  },
  { pageRules: [extractsOfPages] },
);

export const fileusage = module(
  {
    name: 'fileusage',
    group: 'prop',
    prefix: 'fu',
    generator: true,
    alsoFor: 'missing',
    example: { titles: 'File:Example.png' },
  },
  LINKING_PAGES_PARAMETERS,
  { pageRules: [linkingPages(withFiles)] },
);

export const imageinfo = module(
  {
    name: 'imageinfo',
    group: 'prop',
    prefix: 'ii',
    result: { place: 'merged' },
    alsoFor: 'missing',
    example: { titles: 'File:Example.png' },
  },
  {
    prop: {
      type: words(
        'archivename badfile bitdepth canonicaltitle comment commonmetadata dimensions extmetadata mediatype',
        'metadata mime parsedcomment sha1 size thumbmime timestamp uploadwarning url user userid',
      ),
      multi: true,
      default: 'timestamp|user',
    },
    limit: { type: 'limit', default: 1, min: 1, max: 500, highmax: 5000 },
    start: TIMESTAMP,
    end: TIMESTAMP,
    urlwidth: { type: 'integer', default: -1 },
    urlheight: { type: 'integer', default: -1 },
    metadataversion: { type: 'string', default: '1' },
    // The site's language; see for-site.ts.
    extmetadatalanguage: { type: 'string', default: 'zh-cn', siteDefault: 'language' },
    extmetadatamultilang: BOOLEAN,
    extmetadatafilter: STRINGS,
    urlparam: { type: 'string', default: '' },
    badfilecontexttitle: STRING,
    continue: STRING,
    localonly: BOOLEAN,
  },
  { rules: [contextTitle('badfilecontexttitle')], pageRules: [withFiles(continues(['text', 'text']))] },
);

export const images = module(
  { name: 'images', group: 'prop', prefix: 'im', generator: true },
  {
    limit: LIMIT,
    continue: STRING,
    images: STRINGS,
    dir: ASCENDING,
  },
  { pageRules: [withPages(continues(['integer', 'text']), linkTitles('images', 'file'))] },
);

const PRELOAD_ONLY = [{ name: 'preloadcontentonly' }] as const;
const EDIT_INTRO_ONLY = [{ name: 'editintroonly' }] as const;

export const info = module(
  { name: 'info', group: 'prop', prefix: 'in', result: { place: 'merged' }, alsoFor: 'missing' },
  {
    prop: {
      type: words(
        'associatedpage displaytitle editintro linkclasses notificationtimestamp preloadcontent protection',
        'subjectid talkid url varianttitles visitingwatchers watched watchers watchlistlabels preload readable',
      ),
      multi: true,
      deprecatedvalues: ['preload', 'readable'],
    },
    // The site's main page; see for-site.ts.
    linkcontext: { type: 'title', default: 'Main Page', siteDefault: 'mainPage' },
    defaultlinkcaption: BOOLEAN,
    testactions: STRINGS,
    testactionsdetail: { type: ['boolean', 'full', 'quick'], default: 'boolean' },
    testactionsautocreate: BOOLEAN,
    preloadcustom: { type: 'string', info: PRELOAD_ONLY },
    preloadparams: { type: 'string', multi: true, info: PRELOAD_ONLY },
    preloadnewsection: { type: 'boolean', info: PRELOAD_ONLY },
    editintrostyle: { type: ['lessframes', 'moreframes'], default: 'moreframes', info: EDIT_INTRO_ONLY },
    editintroskip: { type: 'string', multi: true, info: EDIT_INTRO_ONLY },
    editintrocustom: { type: 'string', info: EDIT_INTRO_ONLY },
    continue: STRING,
  },
  { pageRules: [singlePageTexts, continuesByTitle] },
);

export const iwlinks = module(
  { name: 'iwlinks', group: 'prop', prefix: 'iw', result: { contentKey: 'title' } },
  {
    prop: { type: ['url'], multi: true },
    prefix: STRING,
    title: STRING,
    dir: ASCENDING,
    limit: LIMIT,
    continue: STRING,
    url: DEPRECATED_BOOLEAN,
  },
  { pageRules: [withPages(titleNeeds('prefix'), urlOrProp, continues(['integer', 'text', 'text']))] },
);

export const langlinks = module(
  { name: 'langlinks', group: 'prop', prefix: 'll', result: { contentKey: 'title' } },
  {
    prop: { type: ['autonym', 'langname', 'url'], multi: true },
    lang: STRING,
    title: STRING,
    dir: ASCENDING,
    // The site's language; see for-site.ts.
    inlanguagecode: { type: 'string', default: 'zh-cn', siteDefault: 'language' },
    limit: LIMIT,
    continue: STRING,
    url: DEPRECATED_BOOLEAN,
  },
  { pageRules: [withPages(titleNeeds('lang'), urlOrProp, continues(['integer', 'text']))] },
);

export const links = module(
  { name: 'links', group: 'prop', prefix: 'pl', generator: true },
  {
    namespace: LINK_NAMESPACES,
    limit: LIMIT,
    continue: STRING,
    titles: STRINGS,
    dir: ASCENDING,
  },
  {
    pageRules: [
      withPages(emptyIsAll('namespace'), linkTitles('titles', 'title'), continues(['integer', 'integer', 'text'])),
    ],
  },
);

export const linkshere = module(
  { name: 'linkshere', group: 'prop', prefix: 'lh', generator: true, alsoFor: 'special' },
  LINKING_PAGES_PARAMETERS,
  { pageRules: [linkingPages(withTitles)] },
);

export const pageimages = module(
  { name: 'pageimages', group: 'prop', prefix: 'pi', result: { place: 'merged' } },
  {
    prop: { type: ['name', 'original', 'thumbnail'], multi: true, default: 'thumbnail|name' },
    thumbsize: { type: 'integer', default: 50 },
    limit: { type: 'limit', default: 50, min: 1, max: 50, highmax: 100 },
    license: { type: ['any', 'free'], default: 'free' },
    continue: INTEGER,
    langcode: STRING,
  },
  { rules: [someImageProp], pageRules: [imagesOfPages] },
);

export const pageprops = module(
  { name: 'pageprops', group: 'prop', prefix: 'pp' },
  {
    continue: STRING,
    prop: STRINGS,
  },
  { rules: [emptyIsAll('prop'), pagePropsContinue] },
);

export const redirects = module(
  { name: 'redirects', group: 'prop', prefix: 'rd', generator: true, alsoFor: 'special' },
  {
    prop: { type: ['fragment', 'pageid', 'title'], multi: true, default: 'pageid|title' },
    namespace: NAMESPACES,
    show: { type: ['!fragment', 'fragment'], multi: true },
    limit: LIMIT,
    continue: STRING,
  },
  { pageRules: [linkingPages(withTitles)] },
);

const SINGLE_PAGE_ONLY = [{ name: 'singlepageonly' }] as const;

export const revisions = module(
  {
    name: 'revisions',
    group: 'prop',
    prefix: 'rv',
    generator: true,
    yields: 'revisions',
    result: { contentKey: 'content' },
  },
  {
    ...REVISION_PARAMETERS,
    limit: { ...REVISION_LIMIT, info: SINGLE_PAGE_ONLY },
    startid: { type: 'integer', info: SINGLE_PAGE_ONLY },
    endid: { type: 'integer', info: SINGLE_PAGE_ONLY },
    start: { type: 'timestamp', info: SINGLE_PAGE_ONLY },
    end: { type: 'timestamp', info: SINGLE_PAGE_ONLY },
    dir: { ...OLDER, info: SINGLE_PAGE_ONLY },
    user: { ...USER, info: SINGLE_PAGE_ONLY },
    excludeuser: { ...USER, info: SINGLE_PAGE_ONLY },
    tag: STRING,
    continue: STRING,
  },
  { pageRules: [revisionPages], limitRule: revisionsOfPages },
);

export const stashimageinfo = module(
  {
    name: 'stashimageinfo',
    group: 'prop',
    prefix: 'sii',
    alsoFor: 'none',
    continueWith: 'prop',
    example: { parameters: { filekey: '1a2b3c.4d5e6f.1.png' } },
  },
  {
    filekey: STRINGS,
    sessionkey: { type: 'string', multi: true, deprecated: true },
    prop: {
      type: words(
        'badfile bitdepth canonicaltitle commonmetadata dimensions extmetadata metadata mime sha1 size thumbmime',
        'timestamp url',
      ),
      multi: true,
      default: 'timestamp|url',
    },
    urlwidth: { type: 'integer', default: -1 },
    urlheight: { type: 'integer', default: -1 },
    urlparam: { type: 'string', default: '' },
  },
  { rules: [loggedIn('apierror-mustbeloggedin-uploadstash'), atLeastOneOf('filekey', 'sessionkey'), stashKeys] },
);

export const templates = module(
  { name: 'templates', group: 'prop', prefix: 'tl', generator: true },
  {
    namespace: LINK_NAMESPACES,
    limit: LIMIT,
    continue: STRING,
    templates: STRINGS,
    dir: ASCENDING,
  },
  {
    pageRules: [
      withPages(emptyIsAll('namespace'), linkTitles('templates', 'title'), continues(['integer', 'integer', 'text'])),
    ],
  },
);

export const transcludedin = module(
  {
    name: 'transcludedin',
    group: 'prop',
    prefix: 'ti',
    generator: true,
    alsoFor: 'special',
    example: { titles: 'Template:Example' },
  },
  LINKING_PAGES_PARAMETERS,
  { pageRules: [linkingPages(withTitles)] },
);
