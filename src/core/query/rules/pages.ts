import { ApiError } from '../answer/api-error.js';
import { message } from '../answer/messages.js';
import { parseTitle } from '../pages/title.js';
import { atMostOneOf, given, mustUseWith, type PageRule, type Rule, valuesOf } from './rule.js';

const FILE = 6;
const CATEGORY = 14;

/** A rule of a prop module that is only looked at when there is a page to work on. */
export const withPages =
  (...rules: readonly Rule[]): PageRule =>
  (request, pages) => {
    if (pages.existing.length > 0) for (const rule of rules) rule(request);
  };

/** A title on another site means nothing without the site. */
export const titleNeeds =
  (other: string, code?: string): Rule =>
  (request) => {
    if (given(request, 'title') && !given(request, other)) {
      throw mustUseWith(request.wire('title'), request.wire(other), code);
    }
  };

export const urlOrProp: Rule = atMostOneOf('url', 'prop');

/** Titles that are compared with links: those that cannot be meant are left out and named. */
export const linkTitles =
  (parameter: string, kind: 'title' | 'category' | 'file'): Rule =>
  (request) => {
    for (const text of valuesOf(request, parameter)) {
      if (typeof text !== 'string') continue;
      const title = parseTitle(text, request.site);
      if (title.kind === 'invalid') request.warn('invalidtitle', message('apierror-invalidtitle', { plaintext: text }));
      else if (kind === 'category' && !(title.kind === 'local' && title.ns === CATEGORY)) {
        request.warn('invalidcategory', message('apiwarn-invalidcategory', { plaintext: text }));
      } else if (kind === 'file' && !(title.kind === 'local' && title.ns === FILE)) {
        request.warn('notfile', message('apiwarn-notfile', { plaintext: text }));
      }
    }
  };

/** Texts for a new page are made for one page at a time. */
export const singlePageTexts: PageRule = (request, pages) => {
  const wants = valuesOf(request, 'prop');
  if (!wants.includes('preloadcontent') && !wants.includes('editintro')) return;
  if (pages.existing.length + pages.missing.length > 1 || pages.revids.size > 1) {
    throw new ApiError('invalidparammix', message('apierror-preload-onepage'));
  }
};
