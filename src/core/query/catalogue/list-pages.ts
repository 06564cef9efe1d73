import { emptyIsAll, emptyIsNone, type RuleRequest } from '../descriptor/rule.js';
import { continues, continuesIfAny, type ContinueForm } from '../rules/continue.js';
import {
  continueWins,
  deletedFileRights,
  hashes,
  imageOrder,
  linkQuery,
  memberContinue,
  memberOrder,
  noRedirects,
  protectionType,
  quietSearch,
  randomRedirects,
  restrictedReport,
  someSearch,
  throughRedirects,
  uniqueLinks,
} from '../rules/lists.js';
import { titleNeeds } from '../rules/props.js';
import { byTitle, CATEGORY, categoryTarget, chosenNamespace, FILE, fileTarget, linkTarget } from '../rules/titles.js';
import { CONTENT_MODELS, PROTOCOLS } from '../site/value-sets.js';
import { words } from '../site/words.js';
import { module } from './module.js';
import {
  ASCENDING,
  BACKLINKS_PARAMETERS,
  BOOLEAN,
  DEPRECATED_BOOLEAN,
  DEPRECATED_STRING,
  FILTER_REDIRECTS,
  INTEGER,
  LIMIT,
  NAMESPACES,
  OLDER,
  STRING,
  STRINGS,
  TIMESTAMP,
  USER,
} from './shared-parameters.js';

/** Modules that list pages, titles, links between them, and files. */

/** Rules of link lists. With `unique`, each title is listed once, and continue values have no page id. */
const uniqueRules = [
  uniqueLinks,
  continues(({ params }) => (params['unique'] === true ? ['text'] : ['text', 'integer'])),
  continueWins,
];

const imageContinue = ({ params }: RuleRequest): ContinueForm =>
  params['sort'] === 'name' ? ['text'] : ['timestamp', 'text'];

export const allcategories = module(
  { name: 'allcategories', group: 'list', prefix: 'ac', generator: true, result: { contentKey: 'category' } },
  {
    from: STRING,
    continue: STRING,
    to: STRING,
    prefix: STRING,
    dir: ASCENDING,
    min: INTEGER,
    max: INTEGER,
    limit: LIMIT,
    prop: { type: ['hidden', 'size'], multi: true, default: '' },
  },
  { rules: [continues(['text']), byTitle(CATEGORY)] },
);

export const allfileusages = module(
  { name: 'allfileusages', group: 'list', prefix: 'af', generator: true },
  {
    continue: STRING,
    from: STRING,
    to: STRING,
    prefix: STRING,
    unique: BOOLEAN,
    prop: { type: ['ids', 'title'], multi: true, default: 'title' },
    limit: LIMIT,
    dir: ASCENDING,
  },
  { rules: [...uniqueRules, byTitle(FILE)] },
);

export const allimages = module(
  { name: 'allimages', group: 'list', prefix: 'ai', generator: true },
  {
    sort: { type: ['name', 'timestamp'], default: 'name' },
    dir: { type: ['ascending', 'descending', 'newer', 'older'], default: 'ascending' },
    from: STRING,
    to: STRING,
    continue: STRING,
    start: TIMESTAMP,
    end: TIMESTAMP,
    prop: {
      type: words(
        'badfile bitdepth canonicaltitle comment commonmetadata dimensions extmetadata mediatype metadata mime',
        'parsedcomment sha1 size timestamp url user userid',
      ),
      multi: true,
      default: 'timestamp|url',
    },
    prefix: STRING,
    minsize: INTEGER,
    maxsize: INTEGER,
    sha1: STRING,
    sha1base36: STRING,
    user: USER,
    filterbots: { type: ['all', 'bots', 'nobots'], default: 'all' },
    mime: STRINGS,
    limit: LIMIT,
  },
  {
    rules: [
      noRedirects('invalidparammix', 'allimages'),
      imageOrder,
      continues(imageContinue),
      byTitle(FILE),
      hashes,
      emptyIsNone('mime'),
    ],
  },
);

export const alllinks = module(
  { name: 'alllinks', group: 'list', prefix: 'al', generator: true },
  {
    continue: STRING,
    from: STRING,
    to: STRING,
    prefix: STRING,
    unique: BOOLEAN,
    prop: { type: ['ids', 'title'], multi: true, default: 'title' },
    namespace: { type: 'namespace', default: 0, extranamespaces: [-2, -1] },
    limit: LIMIT,
    dir: ASCENDING,
  },
  { rules: [...uniqueRules, byTitle(chosenNamespace)] },
);

export const allpages = module(
  { name: 'allpages', group: 'list', prefix: 'ap', generator: true },
  {
    from: STRING,
    continue: STRING,
    to: STRING,
    prefix: STRING,
    namespace: { type: 'namespace', default: 0 },
    filterredir: FILTER_REDIRECTS,
    filterlanglinks: { type: ['all', 'withlanglinks', 'withoutlanglinks'], default: 'all' },
    minsize: INTEGER,
    maxsize: INTEGER,
    prtype: { type: ['edit', 'move', 'upload'], multi: true },
    prlevel: { type: ['', 'autoconfirmed', 'sysop'], multi: true },
    prfiltercascade: { type: ['all', 'cascading', 'noncascading'], default: 'all' },
    prexpiry: { type: ['all', 'definite', 'indefinite'], default: 'all' },
    limit: LIMIT,
    dir: ASCENDING,
  },
  { rules: [noRedirects('params', 'allpages'), continues(['text']), byTitle(chosenNamespace), protectionType] },
);

export const allredirects = module(
  { name: 'allredirects', group: 'list', prefix: 'ar', generator: true },
  {
    ...alllinks.parameters,
    prop: { type: ['fragment', 'ids', 'interwiki', 'title'], multi: true, default: 'title' },
  },
  { rules: [...uniqueRules, byTitle(chosenNamespace)] },
);

export const alltransclusions = module(
  { name: 'alltransclusions', group: 'list', prefix: 'at', generator: true },
  {
    ...alllinks.parameters,
    namespace: { type: 'namespace', default: 10, extranamespaces: [-2, -1] },
  },
  { rules: [...uniqueRules, byTitle(chosenNamespace)] },
);

export const backlinks = module(
  { name: 'backlinks', group: 'list', prefix: 'bl', generator: true, example: { parameters: { title: 'Main Page' } } },
  BACKLINKS_PARAMETERS,
  { rules: [...linkTarget, emptyIsAll('namespace'), continues(throughRedirects)] },
);

export const categorymembers = module(
  {
    name: 'categorymembers',
    group: 'list',
    prefix: 'cm',
    generator: true,
    example: { parameters: { title: 'Category:Example' } },
  },
  {
    title: STRING,
    pageid: INTEGER,
    prop: {
      type: ['ids', 'sortkey', 'sortkeyprefix', 'timestamp', 'title', 'type'],
      multi: true,
      default: 'ids|title',
    },
    namespace: NAMESPACES,
    type: { type: ['file', 'page', 'subcat'], multi: true, default: 'page|subcat|file' },
    continue: STRING,
    limit: LIMIT,
    sort: { type: ['sortkey', 'timestamp'], default: 'sortkey' },
    dir: { type: ['asc', 'ascending', 'desc', 'descending', 'newer', 'older'], default: 'ascending' },
    start: TIMESTAMP,
    end: TIMESTAMP,
    starthexsortkey: STRING,
    endhexsortkey: STRING,
    startsortkeyprefix: STRING,
    endsortkeyprefix: STRING,
    startsortkey: DEPRECATED_STRING,
    endsortkey: DEPRECATED_STRING,
  },
  { rules: [...linkTarget, categoryTarget, emptyIsAll('namespace'), memberContinue, memberOrder] },
);

export const embeddedin = module(
  {
    name: 'embeddedin',
    group: 'list',
    prefix: 'ei',
    generator: true,
    example: { parameters: { title: 'Template:Example' } },
  },
  {
    title: STRING,
    pageid: INTEGER,
    continue: STRING,
    namespace: NAMESPACES,
    dir: ASCENDING,
    filterredir: FILTER_REDIRECTS,
    limit: LIMIT,
  },
  { rules: [...linkTarget, emptyIsAll('namespace'), continues(['integer', 'integer'])] },
);

export const exturlusage = module(
  { name: 'exturlusage', group: 'list', prefix: 'eu', generator: true },
  {
    prop: { type: ['ids', 'title', 'url'], multi: true, default: 'ids|title|url' },
    continue: STRING,
    protocol: { type: PROTOCOLS, default: '' },
    query: STRING,
    namespace: NAMESPACES,
    limit: LIMIT,
    expandurl: DEPRECATED_BOOLEAN,
  },
  { rules: [linkQuery, emptyIsAll('namespace')] },
);

export const filearchive = module(
  { name: 'filearchive', group: 'list', prefix: 'fa' },
  {
    from: STRING,
    to: STRING,
    prefix: STRING,
    dir: ASCENDING,
    sha1: STRING,
    sha1base36: STRING,
    prop: {
      type: words(
        'archivename bitdepth description dimensions mediatype metadata mime parseddescription sha1 size timestamp',
        'user',
      ),
      multi: true,
      default: 'timestamp',
    },
    limit: LIMIT,
    continue: STRING,
  },
  { rules: [deletedFileRights, continues(['text', 'timestamp', 'integer']), byTitle(FILE), hashes] },
);

export const imageusage = module(
  {
    name: 'imageusage',
    group: 'list',
    prefix: 'iu',
    generator: true,
    example: { parameters: { title: 'File:Example.png' } },
  },
  BACKLINKS_PARAMETERS,
  { rules: [...linkTarget, fileTarget, emptyIsAll('namespace'), continues(throughRedirects)] },
);

export const iwbacklinks = module(
  {
    name: 'iwbacklinks',
    group: 'list',
    prefix: 'iwbl',
    generator: true,
    example: { parameters: { prefix: 'example' } },
  },
  {
    prefix: STRING,
    title: STRING,
    continue: STRING,
    limit: LIMIT,
    prop: { type: ['iwprefix', 'iwtitle'], multi: true, default: '' },
    dir: ASCENDING,
  },
  { rules: [titleNeeds('prefix'), continues(['text', 'text', 'integer'])] },
);

export const langbacklinks = module(
  { name: 'langbacklinks', group: 'list', prefix: 'lbl', generator: true, example: { parameters: { lang: 'en' } } },
  {
    lang: STRING,
    title: STRING,
    continue: STRING,
    limit: LIMIT,
    prop: { type: ['lllang', 'lltitle'], multi: true, default: '' },
    dir: ASCENDING,
  },
  { rules: [titleNeeds('lang', 'nolang'), continues(['text', 'text', 'integer'])] },
);

export const pagepropnames = module(
  { name: 'pagepropnames', group: 'list', prefix: 'ppn' },
  {
    continue: STRING,
    limit: LIMIT,
  },
  { rules: [continuesIfAny('text')] },
);

export const pageswithprop = module(
  {
    name: 'pageswithprop',
    group: 'list',
    prefix: 'pwp',
    generator: true,
    example: { parameters: { propname: 'displaytitle' } },
  },
  {
    propname: { type: 'string', required: true },
    prop: { type: ['ids', 'title', 'value'], multi: true, default: 'ids|title' },
    continue: STRING,
    limit: LIMIT,
    dir: ASCENDING,
  },
  { rules: [continues(['text'])] },
);

export const prefixsearch = module(
  {
    name: 'prefixsearch',
    group: 'list',
    prefix: 'ps',
    generator: true,
    ranked: true,
    continueWith: 'offset',
    example: { parameters: { search: 'exam' } },
  },
  {
    search: { type: 'string', required: true },
    namespace: { ...NAMESPACES, default: 0 },
    limit: LIMIT,
    offset: { type: 'integer', default: 0, min: 0 },
  },
  { rules: [someSearch] },
);

export const protectedtitles = module(
  { name: 'protectedtitles', group: 'list', prefix: 'pt', generator: true },
  {
    namespace: NAMESPACES,
    level: { type: ['autoconfirmed', 'sysop'], multi: true },
    limit: LIMIT,
    dir: OLDER,
    start: TIMESTAMP,
    end: TIMESTAMP,
    prop: {
      type: ['comment', 'expiry', 'level', 'parsedcomment', 'timestamp', 'user', 'userid'],
      multi: true,
      default: 'timestamp|level',
    },
    continue: STRING,
  },
  { rules: [emptyIsAll('namespace', 'level'), continues(['timestamp', 'integer', 'text'])] },
);

export const querypage = module(
  {
    name: 'querypage',
    group: 'list',
    prefix: 'qp',
    generator: true,
    result: { place: 'results', namedBy: 'page' },
    continueWith: 'offset',
    example: { parameters: { page: 'Longpages' } },
  },
  {
    page: {
      type: words(
        'Ancientpages BrokenRedirects Deadendpages DoubleRedirects Fewestrevisions GadgetUsage LintTemplateErrors',
        'ListDuplicatedFiles Listredirects Lonelypages Longpages MediaStatistics Mostcategories Mostimages',
        'Mostinterwikis Mostlinked Mostlinkedcategories Mostlinkedtemplates Mostrevisions Shortpages',
        'Uncategorizedcategories Uncategorizedimages Uncategorizedpages Uncategorizedtemplates Unusedcategories',
        'Unusedimages Unusedtemplates Unwatchedpages Wantedcategories Wantedfiles Wantedpages Wantedtemplates',
        'Withoutinterwiki',
      ),
      required: true,
    },
    offset: { type: 'integer', default: 0 },
    limit: LIMIT,
  },
  { rules: [restrictedReport] },
);

export const random = module(
  { name: 'random', group: 'list', prefix: 'rn', generator: true, pageidKey: 'id' },
  {
    namespace: NAMESPACES,
    filterredir: { type: ['all', 'nonredirects', 'redirects'], default: 'nonredirects' },
    minsize: INTEGER,
    maxsize: INTEGER,
    contentmodel: { type: CONTENT_MODELS, siteValues: 'contentModels' },
    redirect: DEPRECATED_BOOLEAN,
    limit: { type: 'limit', default: 1, min: 1, max: 500, highmax: 5000 },
    continue: STRING,
  },
  { rules: [randomRedirects, continues(['fraction', 'fraction', 'integer', 'flag'])] },
);

export const search = module(
  {
    name: 'search',
    group: 'list',
    prefix: 'sr',
    generator: true,
    ranked: true,
    continueWith: 'offset',
    example: { parameters: { search: 'example' } },
  },
  {
    search: { type: 'string', required: true },
    namespace: { ...NAMESPACES, default: 0 },
    limit: LIMIT,
    offset: { type: 'integer', default: 0, min: 0 },
    what: { type: ['nearmatch', 'text', 'title'] },
    info: {
      type: ['rewrittenquery', 'suggestion', 'totalhits'],
      multi: true,
      default: 'totalhits|suggestion|rewrittenquery',
    },
    prop: {
      type: words(
        'categorysnippet extensiondata isfilematch redirectsnippet redirecttitle sectionsnippet sectiontitle size',
        'snippet timestamp titlesnippet wordcount hasrelated score',
      ),
      multi: true,
      default: 'size|wordcount|timestamp|snippet',
      deprecatedvalues: ['hasrelated', 'score'],
    },
    interwiki: BOOLEAN,
    enablerewrites: BOOLEAN,
    sort: { type: ['relevance'], default: 'relevance' },
  },
  { rules: [quietSearch] },
);

export const trackingcategories = module(
  {
    name: 'trackingcategories',
    group: 'list',
    prefix: 'tc',
    generator: true,
    result: { contentKey: 'category', omitEmpty: true },
  },
  {
    continue: STRING,
    trackingcatname: STRINGS,
    min: INTEGER,
    max: INTEGER,
    limit: LIMIT,
    prop: { type: ['hidden', 'size'], multi: true, default: '' },
  },
  { rules: [continues(['text']), emptyIsAll('trackingcatname')] },
);
