import type { MutableItem } from '../answer/result-format.js';
import type { RequestContext } from '../run/request-context.js';
import type { ParseParams } from './descriptors.js';
import type { ReaderParts } from './subquery.js';

/** One piece of information about a page. */
export type Prop = ParseParams['prop'][number];

/** One request of `action=parse`. */
export interface Reading extends ReaderParts {
  readonly params: ParseParams;
  readonly context: RequestContext;
  readonly wants: ReadonlySet<Prop>;
}

/** The page and its revision, or the text. */
export interface Subject {
  /** `undefined` for a text of the request. */
  readonly pageid: number | undefined;
  readonly ns: number;
  readonly title: string;
  readonly revid: number | undefined;
  /** Absent if not requested, or if `prop=revisions` has no handler. */
  readonly text: string | undefined;
  readonly model: string;
  readonly redirects: readonly MutableItem[];
}
