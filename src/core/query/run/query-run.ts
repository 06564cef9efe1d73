import type { Clock } from '../../base/ports.js';
import type { PageResolver, PageSet } from '../descriptor/page-model.js';
import type { QueryEnvironment } from '../environment.js';
import type { Site } from '../site/site.js';
import type { CallerLimiter } from './caller-limits.js';
import type { ResolveUsers, VerifyWatchlistToken } from './handlers.js';
import type { QueryModule } from './query-modules.js';
import type { QueryParams } from './query-parameters.js';
import type { RequestContext, ResultBudget } from './request-context.js';

/** What queries depend on, created once at startup. */
export interface QueryService {
  readonly modules: ReadonlyMap<string, QueryModule>;
  readonly site: Site;
  readonly clock: Clock;
  readonly resolver: PageResolver;
  /** The response of a module without a handler. */
  readonly unanswered: 'listed' | 'hidden' | 'error';
  /** Limits what callers may use; absent without `limits`. */
  readonly limiter: CallerLimiter | undefined;
  readonly resolveUsers: ResolveUsers | undefined;
  readonly verifyWatchlistToken: VerifyWatchlistToken | undefined;
  readonly seal: QueryEnvironment['seal'];
  onError(error: unknown): void;
}

/** One run of `action=query`. A request runs again if its response is too large. */
export interface QueryRun {
  readonly service: QueryService;
  readonly context: RequestContext;
  readonly params: QueryParams;
  readonly budget: ResultBudget;
  /** Called with the pages of the request, before its modules run. */
  readonly onPages?: ((pages: PageSet) => void) | undefined;
}
