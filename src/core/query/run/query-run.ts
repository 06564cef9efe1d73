import type { Authorization } from '../../base/authorization.js';
import type { BodyLimits } from '../../base/http/body.js';
import type { Seal } from '../../base/seal.js';
import type { FeatureHost } from '../../feature/host.js';
import type { PageResolver, PageSet } from '../descriptor/page-model.js';
import type { Site } from '../site/site.js';
import type { CallerLimiter } from './caller-limits.js';
import type { ResolveUsers, VerifyWatchlistToken } from './handlers.js';
import type { QueryModule } from './query-modules.js';
import type { QueryParams } from './query-parameters.js';
import type { RequestContext, ResultBudget } from './request-context.js';

/** The options that requests depend on. */
interface RequestOptions {
  readonly resolvePages?: PageResolver | undefined;
  readonly resolveUsers?: ResolveUsers | undefined;
  readonly verifyWatchlistToken?: VerifyWatchlistToken | undefined;
  /** The response of a module without a handler. */
  readonly unanswered: 'listed' | 'hidden' | 'error';
  /** Whether reading content requires a token. */
  readonly private: boolean;
  readonly cors: readonly string[];
  /** The time limit of all handlers of a request together, in milliseconds. */
  readonly timeout: number;
}

/** The query API, created once at startup. */
export interface QueryService {
  readonly options: RequestOptions;
  /** The server that it is part of. */
  readonly host: FeatureHost;
  /** The path of the endpoint, below the mount point. */
  readonly path: string;
  readonly site: Site;
  readonly modules: ReadonlyMap<string, QueryModule>;
  /** Limits what callers may use; absent without `limits`. */
  readonly limiter: CallerLimiter | undefined;
  /** The full URL of the endpoint, where the API is documented. */
  readonly documentation: string;
  readonly body: BodyLimits;
  /** Encrypts continue values that callers must not read. */
  readonly seal: Seal;
  /** The rights of a caller: those of the token's scopes, such as `apihighlimits`, and those that the application adds. */
  rightsOf(authorization: Authorization): Promise<readonly string[]>;
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
