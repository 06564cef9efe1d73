import { ApiError, badContinue } from '../answer/api-error.js';
import { message } from '../answer/messages.js';
import type { PageSet } from '../descriptor/page-model.js';
import {
  atMostOneOf,
  emptyIsNone,
  given,
  isEmptySet,
  mustUseWith,
  noContradiction,
  type ModuleRule,
  type PageRule,
  type RuleOutcome,
  type RuleRequest,
  valuesOf,
} from '../descriptor/rule.js';
import { parseTitle } from '../site/title.js';
import { type ContinuePart, continues } from './continue.js';
import { emptyParameter } from './lists.js';
import { FILE } from './titles.js';

/** Runs rules in order, until one has an outcome. */
const all = (rules: readonly ModuleRule[], request: RuleRequest): RuleOutcome => {
  for (const rule of rules) {
    const outcome = rule(request);
    if (outcome !== undefined) return outcome;
  }
  return undefined;
};

/** Rules that apply only if there are pages for the prop module; otherwise its result is empty. */
const when =
  (isWork: (pages: PageSet) => boolean) =>
  (...rules: readonly ModuleRule[]): PageRule =>
  (request, pages) =>
    isWork(pages) ? all(rules, request) : 'nothing';

/** At least one page exists. */
export const withPages = when(({ existing }) => existing.length > 0);
/** At least one title, existing or not. */
export const withTitles = when(
  ({ existing, missing, special }) => existing.length + missing.length + special.length > 0,
);
/** At least one title of a file. */
export const withFiles = when(({ existing, missing }) => [...existing, ...missing].some(({ ns }) => ns === FILE));

/**
 * Rules for pages that link to the titles or files of a request. The continue value consists of what can differ: the
 * namespace of several titles, the title, the namespace of the linking page, and always its id.
 */
export const linkingPages =
  (hasWork: (...rules: readonly ModuleRule[]) => PageRule): PageRule =>
  (request, pages) => {
    const titles = [...pages.existing, ...pages.missing, ...pages.special];
    const form: ContinuePart[] = ['integer'];
    if (valuesOf(request, 'namespace').length > 1) form.unshift('integer');
    if (titles.length > 1) form.unshift('text');
    if (new Set(titles.map(({ ns }) => ns)).size > 1) form.unshift('integer');
    return hasWork(emptyIsNone('namespace'), continues(form), noContradiction())(request, pages);
  };

/** The continue value of page properties is a page id; empty and zero mean the start. */
export const pagePropsContinue: ModuleRule = (request) => {
  const value = request.params['continue'];
  if (value !== '' && value !== '0') continues(['integer'])(request);
};

/** A title on another site requires the site. */
export const titleNeeds =
  (other: string, code?: string): ModuleRule =>
  (request) => {
    if (given(request, 'title') && !given(request, other)) {
      throw mustUseWith(request.wire('title'), request.wire(other), code);
    }
  };

export const urlOrProp: ModuleRule = atMostOneOf('prop', 'url');

/** Texts for a new page require a single page. */
export const singlePageTexts: PageRule = (request, pages) => {
  const wants = valuesOf(request, 'prop');
  if (!wants.includes('preloadcontent') && !wants.includes('editintro')) return;
  if (pages.existing.length + pages.missing.length > 1 || pages.revids.size > 1) {
    throw new ApiError('invalidparammix', message('apierror-preload-onepage'));
  }
};

/** Complete articles are extracted one at a time. The continue value is the index of the page. */
export const extractsOfPages: PageRule = (request, { existing }) => {
  if (existing.length === 0) return 'nothing';
  atMostOneOf('chars', 'sentences')(request);
  const { params, wire, warn } = request;
  const place = params['continue'];
  const isTooMany = params['intro'] !== true && existing.length > 1 && Number(params['limit']) > 1;
  if (isTooMany) warn('textextracts-limit', message('apiwarn-textextracts-limit', wire('limit'), 1));
  if (!request.answered && typeof place === 'number' && (place < 0 || place > existing.length)) throw badContinue();
  return isTooMany ? { limit: 1 } : undefined;
};

export const someImageProp: ModuleRule = (request) => {
  if (isEmptySet(request, 'prop')) throw emptyParameter(request.wire('prop'), 'noprop');
};

/** The continue value is a page id, but never that of the first page. */
export const imagesOfPages: PageRule = ({ params, answered }, { existing, missing }) => {
  const pages = [...existing, ...missing.filter(({ ns }) => ns === FILE)];
  if (pages.length === 0) return 'nothing';
  const place = params['continue'];
  if (!answered && typeof place === 'number' && pages.findIndex(({ id }) => id === place) < 1) throw badContinue();
  return undefined;
};

/** The page on which a bad file is used. */
export const contextTitle =
  (parameter: string): ModuleRule =>
  ({ params, wire, site }) => {
    const text = params[parameter];
    if (typeof text === 'string' && parseTitle(text, site).kind !== 'local') {
      throw new ApiError('invalid-title', message('apierror-bad-badfilecontexttitle', wire(parameter)));
    }
  };

/** Keys of files in the upload stash. */
export const stashKeys: ModuleRule = (request) => {
  const name = given(request, 'filekey') ? 'filekey' : 'sessionkey';
  if (name === 'filekey') request.ignore('sessionkey');
  for (const key of valuesOf(request, name)) {
    if (typeof key === 'string' && !/^[\w\-.]+\.\w*$/.test(key)) {
      throw new ApiError(
        'uploadstash-bad-path-bad-format',
        message('uploadstash-bad-path-bad-format', { plaintext: key }),
      );
    }
  }
};
