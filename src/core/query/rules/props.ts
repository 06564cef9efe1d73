import { ApiError, badContinue } from '../answer/api-error.js';
import { message } from '../answer/messages.js';
import { parseTitle } from '../pages/title.js';
import type { PageSet } from '../pages/page-model.js';
import { type ContinuePart, continues } from './continue.js';
import { emptyParameter } from './lists.js';
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
} from './rule.js';
import { FILE } from './titles.js';

/** Rules in their order, until one of them has found something. */
const all = (rules: readonly ModuleRule[], request: RuleRequest): RuleOutcome => {
  for (const rule of rules) {
    const outcome = rule(request);
    if (outcome !== undefined) return outcome;
  }
  return undefined;
};

/** Rules of a prop module that are only looked at when the pages it works on are there; it has nothing to say otherwise. */
const when =
  (isWork: (pages: PageSet) => boolean) =>
  (...rules: readonly ModuleRule[]): PageRule =>
  (request, pages) =>
    isWork(pages) ? all(rules, request) : 'nothing';

/** There is a page that exists. */
export const withPages = when(({ existing }) => existing.length > 0);
/** There is a title, of a page or not. */
export const withTitles = when(
  ({ existing, missing, special }) => existing.length + missing.length + special.length > 0,
);
/** There is the title of a file. */
export const withFiles = when(({ existing, missing }) => [...existing, ...missing].some(({ ns }) => ns === FILE));

/**
 * Pages that link to the titles of a request, or to its files. Where a list of them goes on is told by what can differ: the
 * namespaces of several titles, the titles themselves, several namespaces of the pages, and always the page.
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

/** Properties of pages go on with the id of a page; nothing and zero are the beginning. */
export const pagePropsContinue: ModuleRule = (request) => {
  const value = request.params['continue'];
  if (value !== '' && value !== '0') continues(['integer'])(request);
};

/** A title on another site means nothing without the site. */
export const titleNeeds =
  (other: string, code?: string): ModuleRule =>
  (request) => {
    if (given(request, 'title') && !given(request, other)) {
      throw mustUseWith(request.wire('title'), request.wire(other), code);
    }
  };

export const urlOrProp: ModuleRule = atMostOneOf('prop', 'url');

/** Texts for a new page are made for one page at a time. */
export const singlePageTexts: PageRule = (request, pages) => {
  const wants = valuesOf(request, 'prop');
  if (!wants.includes('preloadcontent') && !wants.includes('editintro')) return;
  if (pages.existing.length + pages.missing.length > 1 || pages.revids.size > 1) {
    throw new ApiError('invalidparammix', message('apierror-preload-onepage'));
  }
};

/** Whole articles are made one at a time. A request goes on with the number of the article. */
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

/** A request goes on with the id of a page, and never with that of the first. */
export const imagesOfPages: PageRule = ({ params, answered }, { existing, missing }) => {
  const pages = [...existing, ...missing.filter(({ ns }) => ns === FILE)];
  if (pages.length === 0) return 'nothing';
  const place = params['continue'];
  if (!answered && typeof place === 'number' && pages.findIndex(({ id }) => id === place) < 1) throw badContinue();
  return undefined;
};

/** The page that a bad file is shown on. */
export const contextTitle =
  (parameter: string): ModuleRule =>
  ({ params, wire, site }) => {
    const text = params[parameter];
    if (typeof text === 'string' && parseTitle(text, site).kind !== 'local') {
      throw new ApiError('invalid-title', message('apierror-bad-badfilecontexttitle', wire(parameter)));
    }
  };

/** Keys of files that wait to be published. */
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
