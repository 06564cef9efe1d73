import { ApiError } from '../answer/api-error.js';
import { message } from '../answer/messages.js';
import type { PageSet } from '../descriptor/page-model.js';
import {
  atMostOneOf,
  cannotUseWith,
  emptyIsNone,
  given,
  hasRight,
  type LimitBounds,
  type LimitRule,
  type ModuleRule,
  mustUseWith,
  type PageRule,
  permissionDenied,
  plainName,
  type RuleRequest,
  unlessGenerator,
  valuesOf,
} from '../descriptor/rule.js';
import { words } from '../site/words.js';
import { continues } from './continue.js';
import { byTitle, chosenNamespace, chosenNamespaces } from './titles.js';

const WITHOUT_SLOTS = words('expandtemplates generatexml parse diffto difftotext difftotextpst contentformat');
const LEGACY_PROPS = new Set<unknown>(['content', 'contentmodel', 'slotsize', 'slotsha1', 'parsetree']);

type Values = RuleRequest['params'];

/** Rules shared by the four modules of revisions. They do not apply to generators, which show no revisions. */
const revisionContent: ModuleRule = unlessGenerator((request) => {
  const { wire, params } = request;
  if (given(request, 'slots')) {
    if (valuesOf(request, 'prop').includes('parsetree'))
      throw cannotUseWith(`${wire('prop')}=parsetree`, wire('slots'));
    const unfit = WITHOUT_SLOTS.find((name) => given(request, name));
    if (unfit !== undefined) throw cannotUseWith(wire(unfit), wire('slots'));
  }
  if (given(request, 'difftotext')) request.ignore('diffto');
  const diffto = params['diffto'];
  if (typeof diffto === 'string' && !/^(?:prev|next|cur|\d+)$/.test(diffto)) {
    throw new ApiError('diffto', message('apierror-baddiffto', wire('diffto')));
  }
  warnLegacySlots(request);
});

const warnLegacySlots = (request: RuleRequest): void => {
  if (given(request, 'slots')) return;
  if (wantsDiff(request.params) || valuesOf(request, 'prop').some((prop) => LEGACY_PROPS.has(prop)))
    request.deprecate(message('apiwarn-deprecation-missingparam', request.wire('slots')), `!${request.wire('slots')}`);
};

const wantsDiff = ({ diffto, difftotext }: Values): boolean => diffto !== undefined || difftotext !== undefined;

/** Whether the request selects among the revisions of one page, rather than the latest of each page. */
const enumerates = (params: Values): boolean => {
  return (
    ['user', 'excludeuser', 'limit', 'startid', 'endid', 'start', 'end'].some((name) => params[name] !== undefined) ||
    params['dir'] === 'newer'
  );
};

export const revisionPages: PageRule = (request, pages) => {
  if (pages.existing.length === 0 && pages.revids.size === 0) return 'nothing';
  const isSelection = enumerates(request.params);
  if (isSelection) {
    const prefix = plainName(request, '');
    if (pages.revids.size > 0) throw new ApiError('invalidparammix', message('apierror-revisions-norevids', prefix));
    if (pages.existing.length > 1)
      throw new ApiError('invalidparammix', message('apierror-revisions-singlepage', prefix));
  }
  revisionContent(request);
  if (isSelection) {
    for (const [a, b] of ONE_OF_TWO) atMostOneOf(a, b)(request);
    continues(['timestamp', 'integer'])(request);
  } else continues(pages.revids.size > 0 ? ['integer'] : ['integer', 'integer'])(request);
  return undefined;
};

const ONE_OF_TWO = [
  ['startid', 'start'],
  ['endid', 'end'],
  ['user', 'excludeuser'],
] as const;

export const deletedHistory: ModuleRule = (request) => {
  if (!hasRight(request, 'deletedhistory')) throw permissionDenied("view a page's deleted history");
};

const mayReadDeleted = (request: RuleRequest): boolean =>
  hasRight(request, 'deletedtext') || hasRight(request, 'undelete');

/** Comments and content of deleted revisions require rights. */
const deletedRevisionRights: ModuleRule = unlessGenerator((request) => {
  const shown = valuesOf(request, 'prop');
  if ((shown.includes('comment') || shown.includes('parsedcomment')) && !hasRight(request, 'deletedhistory')) {
    throw permissionDenied('view deleted comments');
  }
  if (isHeavy(request.params) && !mayReadDeleted(request)) {
    throw permissionDenied('view content of deleted revisions');
  }
});

const hasPages = ({ existing, missing }: PageSet): boolean => existing.length + missing.length > 0;

export const deletedRevisionPages: PageRule = (request, pages) => {
  const isById = pages.revids.size + pages.unknownRevids.length > 0;
  if (!isById && !hasPages(pages)) return 'nothing';
  if (isById && (pages.unknownRevids.length === 0 || !hasRight(request, 'deletedhistory'))) return 'nothing';
  atMostOneOf('user', 'excludeuser')(request);
  revisionContent(request);
  deletedRevisionRights(request);
  continues(isById ? ['integer', 'integer'] : ['integer', 'text', 'timestamp', 'integer'])(request);
  return undefined;
};

export const allRevisions: readonly ModuleRule[] = [
  emptyIsNone('namespace'),
  atMostOneOf('user', 'excludeuser'),
  revisionContent,
  continues(['timestamp', 'integer']),
];

/** With a user the list is sorted by time, without one by title. */
const byUserOrByTitle: ModuleRule = (request) => {
  const name = (parameter: string): string => plainName(request, parameter);
  const isByUser = given(request, 'user');
  const unfit = (isByUser ? ['from', 'to', 'prefix', 'excludeuser'] : ['start', 'end']).find((one) =>
    given(request, one),
  );
  if (unfit !== undefined) throw (isByUser ? cannotUseWith : mustUseWith)(name(unfit), name('user'));
};

const generatesTitles = ({ role, params }: RuleRequest): boolean =>
  role === 'generator' && params['generatetitles'] === true && params['user'] === undefined;

const slowTitles: ModuleRule = (request) => {
  if (!generatesTitles(request) || request.params['dir'] !== 'older') return;
  request.warn('performance', message('apiwarn-alldeletedrevisions-performance', request.wire('dir')));
};

export const allDeletedRevisions: readonly ModuleRule[] = [
  emptyIsNone('namespace'),
  byUserOrByTitle,
  slowTitles,
  revisionContent,
  deletedRevisionRights,
  byTitle(chosenNamespaces),
  continues((request) => {
    if (request.params['user'] !== undefined) return ['timestamp', 'integer'];
    return generatesTitles(request) && request.params['dir'] === 'newer'
      ? ['integer', 'text']
      : ['integer', 'text', 'timestamp', 'integer'];
  }),
];

const sortedByTitle = byTitle(chosenNamespace);
const continuesByTime = continues(['timestamp', 'integer']);
const continuesByTitle = continues(['integer', 'text', 'timestamp', 'integer']);

/** Parameters of the other modes, and the message that MediaWiki has for them. */
const UNFIT_FOR_DELETED_REVS = {
  byPages: { names: ['from', 'to', 'prefix'], text: 'apierror-badparams-mode12' },
  byUser: { names: ['from', 'to', 'prefix'], text: 'apierror-badparams-mode12' },
  byTitles: { names: ['start', 'end'], text: 'apierror-badparams-mode3' },
} as const;

/** `deletedrevs` lists the revisions of the pages in the request, those of a user, or those of a range of titles. */
export const deletedRevsModes: PageRule = (request, pages) => {
  const mode = hasPages(pages) ? 'byPages' : given(request, 'user') ? 'byUser' : 'byTitles';
  const { names, text } = UNFIT_FOR_DELETED_REVS[mode];
  const unfit = names.find((name) => given(request, name));
  if (unfit !== undefined) throw new ApiError('badparams', message(text, unfit));
  if (given(request, 'user') && given(request, 'excludeuser')) {
    throw new ApiError('badparams', message('user and excludeuser cannot be used together'));
  }
  if (valuesOf(request, 'prop').includes('content') && !mayReadDeleted(request)) {
    throw permissionDenied('view deleted revision text');
  }
  if (mode === 'byTitles') sortedByTitle(request);
  const checkContinue = mode === 'byUser' ? continuesByTime : continuesByTitle;
  checkContinue(request);
};

const LIGHT: LimitBounds = { max: 500, highmax: 5000 };
/** For requests with content. */
const HEAVY: LimitBounds = { max: 50, highmax: 500 };
/** For requests that parse content. */
const ONE: LimitBounds = { max: 1, highmax: 1 };
const DEFAULT_REVISIONS = 10;

const isHeavy = ({ prop, diffto, difftotext }: Values): boolean => {
  const props: readonly unknown[] = Array.isArray(prop) ? prop : [];
  return props.includes('content') || props.includes('parsetree') || diffto !== undefined || difftotext !== undefined;
};

/** The limit of a module that lists revisions. */
export const revisionLimit: LimitRule = (params) => {
  if (params['parse'] === true) return { bounds: ONE, fallback: 1 };
  return { ...(isHeavy(params) && { bounds: HEAVY }), fallback: DEFAULT_REVISIONS };
};

/** Without a selection, the latest revision of every page is shown. */
export const revisionsOfPages: LimitRule = (params) => {
  if (enumerates(params)) return revisionLimit(params);
  return { bounds: params['parse'] === true ? ONE : isHeavy(params) ? HEAVY : LIGHT, fallback: 'max' };
};

/** `deletedrevs` has an ordinary limit, which is lower with content. */
export const deletedRevsLimit: LimitRule = (params) => (isHeavy(params) ? { bounds: HEAVY } : {});
