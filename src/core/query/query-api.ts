import type { HttpRequest, HttpResponse, RequestBody } from '../base/http/messages.js';
import type { MaybePromise } from '../base/ports.js';
import type { ApiError } from './answer/api-error.js';
import type { Caller } from './caller.js';
import type { ApiFrame } from './describe/help/page.js';
import type { ModuleNode } from './describe/module-tree.js';
import type { Field } from './describe/schemas/fields.js';
import type { SchemaRegistry } from './describe/schemas/shared-schemas.js';
import type { Site } from './site/site.js';

/** A query of a feature, for a caller. */
export interface ApiQuery {
  /** The request that the query belongs to. */
  readonly request: HttpRequest;
  /** `undefined` for an anonymous one. */
  readonly caller: Caller | undefined;
  /** The parameters of `action=query`, by their names on the wire. */
  readonly parameters: Readonly<Record<string, string | number>>;
}

/** The result of such a query, in formatversion 2. */
export interface ApiAnswer {
  /** The members of `query`, and the members next to it that modules add. */
  readonly data: Readonly<Record<string, unknown>>;
  /** The parameters that continue the query; `undefined` at its end. */
  readonly next: ApiQuery['parameters'] | undefined;
  /** Warnings, as sentences. */
  readonly warnings: readonly string[];
}

/** How much data a query returns. If it is more, the query is run again with lower limits, and continues. */
export interface AnswerSize {
  /** The number of results that all modules share. */
  readonly rows: number;
  /** The length of data. */
  readonly lengthOf: (data: ApiAnswer['data']) => number;
  /** The largest length. */
  readonly most: number;
}

/** A caller who may pass, or the response to reject its request with. */
export type Admission =
  | { readonly caller: Caller | undefined; readonly headers?: HttpResponse['headers'] | undefined }
  | { readonly response: HttpResponse };

/** The query API, as features that need it get it: `host.use(query)`. */
export interface QueryApi {
  /** The path of the endpoint, below the mount point. */
  readonly path: string;
  /** The version of the API, as `siteinfo` shows it. */
  readonly version: string;
  /** Whether reading content requires a token. */
  readonly private: boolean;
  /** The site, with defaults. */
  readonly site: Site;
  /** The frame of help, in its languages. */
  readonly frame: ApiFrame;
  /** All modules of the API. */
  readonly tree: ModuleNode;
  /** The parameters of a module as JSON Schema. @param shared - Replaces schemas with references; without it, each is complete. */
  readonly fields: (node: ModuleNode, shared?: SchemaRegistry) => readonly Field[];
  /** Whether scripts of an origin may send requests with a signed-in user. */
  readonly isAllowedOrigin: (origin: string) => boolean;
  /**
   * For scripts of another origin that may send a request: the headers of its response, and the response to a preflight.
   *
   * @param allowed - The methods and the headers that they may send, each separated by commas.
   */
  readonly crossOrigin: (
    request: HttpRequest,
    allowed: { readonly methods: string; readonly headers: string },
  ) => {
    /** Of every response to the request. */
    readonly headers: HttpResponse['headers'];
    /** The response to a preflight; `undefined` for any other request. */
    readonly response: HttpResponse | undefined;
  };
  /**
   * A function that checks the token of a request and counts it. It throws an `ApiError` if the caller has sent too many.
   *
   * @param isPublic - Whether callers without a token may pass.
   */
  readonly admission: (
    route: { readonly resource: string; readonly scopes: readonly string[] },
    isPublic: boolean,
  ) => (request: HttpRequest) => Promise<Admission>;
  /**
   * The body of a request, within the limits of the API.
   *
   * @throws BodyError
   */
  readonly readBody: (request: HttpRequest) => MaybePromise<RequestBody>;
  /**
   * Runs `action=query`, with the same checks as a request to the API.
   *
   * @throws ApiError
   */
  readonly run: (query: ApiQuery, size?: AnswerSize) => Promise<ApiAnswer>;
  /** An error as callers may see it. Unexpected errors are reported to the application. */
  readonly errorOf: (error: unknown) => ApiError;
  /** Help links to this page for trying the API out. @param path - Below the mount point. */
  readonly linkSandbox: (path: string) => void;
}
