import type { Clock, MaybePromise } from '../../base/ports.js';
import type { ConditionData } from '../answer/api-error.js';
import type { Message } from '../answer/messages.js';
import type { ResultItem } from '../answer/result-format.js';
import type { Caller } from '../caller.js';
import type { Catalogue, ModuleName, ParamsOf } from '../catalogue/index.js';
import type { ModuleDescriptor } from '../descriptor/descriptor.js';
import type { GeneratedPage, PageSet } from '../descriptor/page-model.js';
import type { WatchlistTokenVerdict } from '../descriptor/rule.js';
import type { Site } from '../site/site.js';

/** The request that a handler receives. */
export interface ModuleRequest<P = unknown> {
  /** The parsed parameters by their names without the prefix, with defaults. */
  readonly params: P;
  /**
   * The maximum number of results; 0 for modules without a limit. It is within the bounds of the caller and the module,
   * so it can be lower than `params.limit`.
   */
  readonly limit: number;
  /** The `continue` of the previous result, as text; `undefined` for the first request. */
  readonly continue: string | undefined;
  /** `undefined` without a bearer token, and for requests from origins that may not act for the user. */
  readonly caller: Caller | undefined;
  /** The caller's IP address, as reported by the host framework. */
  readonly address: string;
  /** Whether any site may have sent the request and may read the response, which must not contain personal data. */
  readonly isolated: boolean;
  /** Aborted at the deadline, or when the response is no longer needed. */
  readonly signal: AbortSignal;
  /** The site, with all defaults. */
  readonly site: Site;
  /** The server's clock. */
  readonly clock: Clock;
  /**
   * A continue value that callers cannot read, for a position that would reveal something to them. The next request
   * contains what was concealed in its `continue`.
   */
  conceal(position: ContinueValue): string;
  /** Adds a warning to the response. */
  warn(code: string, text: Message | string, data?: ConditionData): void;
  /** `generator` if the results are pages for other modules; return titles or page ids then. */
  readonly role: 'module' | 'generator';
}

/** The position where the next request continues. An array is joined with `|`; an object sets other parameters. */
export type ContinueValue = string | number | readonly (string | number)[] | Readonly<Record<string, string | number>>;

/** The result of a list module. An array alone is the complete list. */
export interface ListResult<Item extends object = ResultItem> {
  /** At most `limit` items, each an object of JSON values. */
  readonly items: readonly Item[];
  /** Absent if there are no more results. */
  readonly continue?: ContinueValue | undefined;
  /** For a generator for which a repeated request would start elsewhere: the start of this result, as a continue value. It is sent to clients that need the same pages again. */
  readonly start?: ContinueValue | undefined;
  /** Further data next to the list, such as `searchinfo`. */
  readonly extra?: ResultItem | undefined;
  /** For a generator whose items have no `title` or `pageid`. */
  readonly pages?: readonly GeneratedPage[] | undefined;
}

/** The result of a prop module: data by `page.id`. */
export interface PropResult {
  /** A list of items for most modules, an object for some. */
  readonly pages: ReadonlyMap<number, unknown> | Readonly<Record<number, unknown>>;
  /** Absent if there are no more results. */
  readonly continue?: ContinueValue | undefined;
  /** Data that does not belong to a page, next to `pages`. */
  readonly extra?: ResultItem;
}

/** The result of a meta module. */
export interface MetaResult {
  /** Plain JSON data; `undefined` to omit the module from the response. */
  readonly data: unknown;
  /** Absent if there are no more results. */
  readonly continue?: ContinueValue | undefined;
}

/** Answers a `list` module. May throw an {@link ApiError}. */
export type ListHandler<P> = (request: ModuleRequest<P>) => MaybePromise<ListResult<object> | readonly object[]>;
/** Answers a `prop` module for the pages of the request. May throw an {@link ApiError}. */
export type PropHandler<P> = (request: ModuleRequest<P> & { readonly pages: PageSet }) => MaybePromise<PropResult>;
/** Answers a `meta` module. May throw an {@link ApiError}. */
export type MetaHandler<P> = (request: ModuleRequest<P>) => MaybePromise<MetaResult>;

/** The handler of a module, by its group. */
export type HandlerOf<M extends ModuleDescriptor, P> = M['group'] extends 'list'
  ? ListHandler<P>
  : M['group'] extends 'prop'
    ? PropHandler<P>
    : MetaHandler<P>;

/**
 * A module that is not in the catalogue: its descriptor and handler. Create it with `customModule`, which checks that
 * their types match.
 */
export interface CustomModule {
  /** The descriptor, for parsing, help and `paraminfo`. */
  readonly descriptor: ModuleDescriptor;
  /** The handler; its parameters are typed by the descriptor. */
  readonly handler: (request: never) => unknown;
}

/** Combines a descriptor and its handler, with parameters typed by the descriptor. */
export const customModule = <const M extends ModuleDescriptor>(
  descriptor: M,
  handler: HandlerOf<M, ParamsOf<M>>,
): CustomModule => ({ descriptor, handler });

/** Handlers by the names of the catalogue's modules. */
export type ModuleHandlers = { readonly [N in ModuleName]?: HandlerOf<Catalogue[N], ParamsOf<N>> };

/** A handler of any group. The descriptor has the group, and results are validated. */
export type AnyHandler = (request: ModuleRequest & { readonly pages: PageSet }) => unknown;

/** Finds user names by ids. The signal is aborted at the deadline of the request. */
export type ResolveUsers = (ids: readonly number[], signal: AbortSignal) => MaybePromise<ReadonlyMap<number, string>>;

/** The parameters for reading another user's watchlist. */
interface WatchlistClaim {
  /** The user's name, in its canonical form. */
  readonly owner: string;
  /** The token from the request. */
  readonly token: string;
}

/** Checks the token of a user's watchlist. */
export type VerifyWatchlistToken = (claim: WatchlistClaim) => MaybePromise<WatchlistTokenVerdict>;
