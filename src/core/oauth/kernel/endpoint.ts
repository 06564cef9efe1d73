import type { HttpRequest, HttpResponse } from '../../base/http/messages.js';
import type { OAuthContext } from './context.js';

export type EndpointHandler = (request: HttpRequest, context: OAuthContext) => HttpResponse | Promise<HttpResponse>;

type Method = 'GET' | 'POST';

/** A path, with a handler for each method. */
export interface Endpoint {
  readonly paths: readonly string[];
  readonly methods: Readonly<Partial<Record<Method, EndpointHandler>>>;
  /** The methods used by browsers: their errors are pages. All others are for programs. */
  readonly pageMethods: readonly Method[];
  /** The path where its pages begin, to which an error leads back. The authorization endpoint has none: a client leads there. */
  readonly start?: string;
  /** Whether scripts of other origins may call it, where the host allows their origin; `any` for documents that every origin may read. */
  readonly cors: boolean | 'any';
}
