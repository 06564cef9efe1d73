import type { Pages } from '../pages/render.js';
import type { RequestScope } from './request-scope.js';

/** What belongs to a request whose response a person reads. */
export interface PageScope extends RequestScope {
  /** The pages in the language of the request. */
  readonly pages: Pages;
}
