import type { Clock } from '../../base/ports.js';
import type { PageResolver } from '../pages/page-model.js';
import type { QueryOptions } from '../options.js';
import type { Site } from '../site/site.js';
import type { QueryModule } from './query-modules.js';
import type { QueryParams } from './query-parameters.js';
import type { RequestContext, Budget } from './request-context.js';

/** What queries depend on, created once at startup. */
export interface QueryService {
  readonly modules: ReadonlyMap<string, QueryModule>;
  readonly site: Site;
  readonly clock: Clock;
  readonly resolver: PageResolver;
  /** The response of a module without a handler. */
  readonly missing: 'empty' | 'error';
  readonly resolveUsers: QueryOptions['resolveUsers'];
  readonly verifyWatchlistToken: QueryOptions['verifyWatchlistToken'];
  onError(error: unknown): void;
}

/** One run of `action=query`. A request runs again if its response is too large. */
export interface QueryRun {
  readonly service: QueryService;
  readonly context: RequestContext;
  readonly params: QueryParams;
  readonly budget: Budget;
}
