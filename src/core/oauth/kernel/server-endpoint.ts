import type { HttpResponse } from '../../base/http/messages.js';
import type { PageScope } from './page-scope.js';
import type { RequestScope } from './request-scope.js';

/** Answers the requests of one method. */
export type Answer<Scope extends RequestScope = RequestScope> = (scope: Scope) => HttpResponse | Promise<HttpResponse>;

type Answers<Scope extends RequestScope> = Readonly<Partial<Record<'GET' | 'POST', Answer<Scope>>>>;

/** A path, and what answers the requests for it. */
export interface ServerEndpoint {
  readonly paths: readonly string[];
  /** What programs call. Errors are JSON. */
  readonly programs?: Answers<RequestScope>;
  /** What browsers show. Errors are pages, also for a method that nothing answers. */
  readonly pages?: Answers<PageScope>;
  /** The path where its pages begin, to which an error leads back. The authorization endpoint has none: a client leads there. */
  readonly start?: string;
  /** Whether scripts of other origins may call it, where the host allows their origin; `any` for documents that every origin may read. */
  readonly cors: boolean | 'any';
}
