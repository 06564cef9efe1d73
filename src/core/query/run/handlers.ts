import type { Clock, MaybePromise } from '../../base/ports.js';
import type { Catalogue, ModuleName, ParamsOf } from '../catalogue/index.js';
import type { ConditionData } from '../answer/api-error.js';
import type { ModuleDescriptor } from '../descriptor.js';
import type { Message } from '../answer/messages.js';
import type { Caller } from '../caller.js';
import type { GeneratedPage, PageSet } from '../pages/page-model.js';
import type { ResultItem } from '../answer/result-format.js';
import type { Site } from '../site/site.js';

/** What every handler is given. */
export interface ModuleRequest<P = unknown> {
  /** The parameters by their bare names: checked, converted, defaults filled in. */
  readonly params: P;
  /**
   * How many results may be given at most; 0 for modules without a limit. Already within the bounds of the caller and
   * of the module, so it can be smaller than `params.limit`.
   */
  readonly limit: number;
  /** Where to go on: what an earlier answer's `continue` was, as text; `undefined` at the beginning. */
  readonly continue: string | undefined;
  /** `undefined` for a request without a bearer token, and for one whose origin must not see what its user may. */
  readonly caller: Caller | undefined;
  /** The address of the caller, as the host framework sees it. */
  readonly address: string;
  /** Whether a page of any site may have sent this and may read the answer: nothing personal must be in it. */
  readonly isolated: boolean;
  /**
   * Aborted when the deadline has passed or the answer is no longer needed. Made when it is first looked at, so that a
   * copy of this object does not have it.
   */
  readonly signal: AbortSignal;
  /** The site, with every default filled in. */
  readonly site: Site;
  /** The server's clock, for whatever depends on the time. */
  readonly clock: Clock;
  /** Tells the client of something that it should know although it is answered. */
  warn(code: string, text: Message | string, data?: ConditionData): void;
  /** `generator` when the result becomes the pages that others work on; give titles or page ids then. */
  readonly role: 'module' | 'generator';
}

/** Where a module goes on in the next request. Several values are joined with `|`; an object names other parameters. */
export type ContinueValue = string | number | readonly (string | number)[] | Readonly<Record<string, string | number>>;

/** The answer of a list module. A bare array is the whole list. */
export interface ListResult {
  /** At most `limit` of them. */
  readonly items: readonly ResultItem[];
  /** Where to go on; absent when this was the end. */
  readonly continue?: ContinueValue | undefined;
  /**
   * For a generator that the same request would not begin at the same place again: where this answer began, as a value to go
   * on with. A client that needs the same pages once more is told.
   */
  readonly start?: ContinueValue | undefined;
  /** Further keys beside the list, such as `searchinfo`. */
  readonly beside?: ResultItem;
  /** For a generator whose items do not carry `title` or `pageid` themselves. */
  readonly pages?: readonly GeneratedPage[];
}

/** The answer of a prop module: data by page id, as `page.id` has it. */
export interface PropResult {
  /** By page id: for most modules a list of items, for some an object. */
  readonly pages: ReadonlyMap<number, unknown> | Readonly<Record<number, unknown>>;
  /** Where to go on; absent when this was the end. */
  readonly continue?: ContinueValue | undefined;
  /** Data that belongs to no page, beside `pages`. */
  readonly beside?: ResultItem;
}

/** The answer of a meta module: its data; `undefined` when there is nothing to show at all. */
export interface MetaResult {
  /** Plain JSON data. */
  readonly data: unknown;
  /** Where to go on; absent when this was the end. */
  readonly continue?: ContinueValue | undefined;
}

/** Answers a `list` module. May throw an {@link ApiError}. */
export type ListHandler<P> = (request: ModuleRequest<P>) => MaybePromise<ListResult | readonly ResultItem[]>;
/** Answers a `prop` module: says something about the pages of the request. May throw an {@link ApiError}. */
export type PropHandler<P> = (request: ModuleRequest<P> & { readonly pages: PageSet }) => MaybePromise<PropResult>;
/** Answers a `meta` module. May throw an {@link ApiError}. */
export type MetaHandler<P> = (request: ModuleRequest<P>) => MaybePromise<MetaResult>;

/** The handler of a module, by its group. */
export type HandlerOf<M extends ModuleDescriptor, P> = M['group'] extends 'list'
  ? ListHandler<P>
  : M['group'] extends 'prop'
    ? PropHandler<P>
    : MetaHandler<P>;

/** A module that the catalogue does not have: its description and what answers it. Made by `customModule`, which knows how they fit together. */
export interface CustomModule {
  /** What parsing, help and `paraminfo` know of it. */
  readonly descriptor: ModuleDescriptor;
  /** What answers it; its parameters are typed by the descriptor. */
  readonly handler: (request: never) => unknown;
}

/** Handlers by the names of the catalogue's modules. */
export type ModuleHandlers = { readonly [N in ModuleName]?: HandlerOf<Catalogue[N], ParamsOf<N>> };

/** Joins a description and its handler, with the parameters typed by the description. */
export const customModule = <const M extends ModuleDescriptor>(
  descriptor: M,
  handler: HandlerOf<M, ParamsOf<M>>,
): CustomModule => ({ descriptor, handler });

/** A handler whose type has been forgotten: the endpoint knows the group by the descriptor and checks what comes back. */
export type AnyHandler = (request: ModuleRequest & { readonly pages: PageSet }) => unknown;
