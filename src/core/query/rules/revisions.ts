import { ApiError } from '../answer/api-error.js';
import { message } from '../answer/messages.js';
import type { ParsedParams } from '../parameters/parse.js';
import {
  atMostOneOf,
  cannotUseWith,
  given,
  hasRight,
  mustUseWith,
  type PageRule,
  permissionDenied,
  type Rule,
  type RuleRequest,
  titleParts,
  valuesOf,
} from './rule.js';

const WITHOUT_SLOTS = [
  'expandtemplates',
  'generatexml',
  'parse',
  'diffto',
  'difftotext',
  'difftotextpst',
  'contentformat',
] as const;
const LEGACY_PROPS = new Set<unknown>(['content', 'contentmodel', 'slotsize', 'slotsha1', 'parsetree']);

/** What the four modules that show revisions have in common. */
const revisionContent: Rule = (request) => {
  const { wire, params } = request;
  if (given(request, 'slots')) {
    if (valuesOf(request, 'prop').includes('parsetree'))
      throw cannotUseWith(wire('slots'), `${wire('prop')}=parsetree`);
    for (const name of WITHOUT_SLOTS) if (given(request, name)) throw cannotUseWith(wire('slots'), wire(name));
  }
  const diffto = params['diffto'];
  if (typeof diffto === 'string' && !/^(?:prev|next|cur|\d+)$/.test(diffto)) {
    throw new ApiError('diffto', message('apierror-baddiffto', wire('diffto')));
  }
  warnLegacySlots(request);
};

function warnLegacySlots(request: RuleRequest): void {
  if (given(request, 'slots') || request.role === 'generator') return;
  const legacy =
    given(request, 'diffto') ||
    given(request, 'difftotext') ||
    valuesOf(request, 'prop').some((prop) => LEGACY_PROPS.has(prop));
  if (legacy)
    request.deprecate(message('apiwarn-deprecation-missingparam', request.wire('slots')), `!${request.wire('slots')}`);
}

/** A selection among the revisions of one page, as opposed to the latest of each. */
export function enumerates(params: ParsedParams): boolean {
  return (
    ['user', 'excludeuser', 'limit', 'startid', 'endid', 'start', 'end'].some((name) => params[name] !== undefined) ||
    params['dir'] === 'newer'
  );
}

export const revisionPages: PageRule = (request, pages) => {
  if (pages.existing.length === 0 && pages.revids.size === 0) return;
  if (enumerates(request.params)) {
    const prefix = request.wire('');
    if (pages.revids.size > 0) throw new ApiError('invalidparammix', message('apierror-revisions-norevids', prefix));
    if (pages.existing.length > 1)
      throw new ApiError('invalidparammix', message('apierror-revisions-singlepage', prefix));
    atMostOneOf('startid', 'start')(request);
    atMostOneOf('endid', 'end')(request);
    atMostOneOf('user', 'excludeuser')(request);
  }
  revisionContent(request);
};

export const deletedHistory: Rule = (request) => {
  if (!hasRight(request, 'deletedhistory')) throw permissionDenied("view a page's deleted history");
};

const deletedComments: Rule = (request) => {
  const shown = valuesOf(request, 'prop');
  if ((shown.includes('comment') || shown.includes('parsedcomment')) && !hasRight(request, 'deletedhistory')) {
    throw permissionDenied('view deleted comments');
  }
};

export const deletedRevisionPages: PageRule = (request, pages) => {
  if (pages.existing.length + pages.missing.length + pages.revids.size === 0) return;
  atMostOneOf('user', 'excludeuser')(request);
  revisionContent(request);
  deletedComments(request);
};

export const allRevisions: readonly Rule[] = [atMostOneOf('user', 'excludeuser'), revisionContent];

/** With a user the list goes by time, without one by title. */
const byUserOrByTitle: Rule = (request) => {
  const { wire } = request;
  if (given(request, 'user')) {
    for (const name of ['from', 'to', 'prefix', 'excludeuser']) {
      if (given(request, name)) throw cannotUseWith(wire(name), wire('user'));
    }
  } else {
    for (const name of ['start', 'end']) if (given(request, name)) throw mustUseWith(wire(name), wire('user'));
  }
};

export const allDeletedRevisions: readonly Rule[] = [
  byUserOrByTitle,
  titleParts('from', 'to', 'prefix'),
  revisionContent,
  deletedComments,
];

/** Mode 1 goes through the pages of the request, mode 2 through a user's revisions, mode 3 through titles. */
export const deletedRevsModes: PageRule = (request, pages) => {
  const mode = pages.existing.length + pages.missing.length > 0 ? 1 : given(request, 'user') ? 2 : 3;
  const unfit = mode === 3 ? ['start', 'end'] : ['from', 'to', 'prefix'];
  for (const name of unfit) {
    if (given(request, name)) {
      throw new ApiError(
        'badparams',
        message(mode === 3 ? 'apierror-badparams-mode3' : 'apierror-badparams-mode12', name),
      );
    }
  }
  if (given(request, 'user') && given(request, 'excludeuser')) {
    throw new ApiError('badparams', message('apierror-invalidparammix-cannotusewith', 'user', 'excludeuser'));
  }
};
