import type { Readable } from 'node:stream';

/** A request as the core sees it: readonly, and its body is only read when a route needs it. */
export interface HttpRequest {
  /** In upper case, such as `GET`. */
  readonly method: string;
  /** The raw query string, without the question mark. */
  readonly query: string;
  /** A header by its lower-case name; repeats are joined or dropped the way `node:http` does it. */
  header(name: string): string | undefined;
  /** Names and values in turn, as they came: the only place where a repeated header can be seen. */
  readonly rawHeaders: readonly string[];
  /** The address of the caller as the host framework sees it (its trust-proxy setting included). */
  readonly ip: string;
  /** What a body parser of the host left; only looked at when the stream has already been read. */
  readonly parsedBody: unknown;
  /** The unread body, unless the host has read it (`readableDidRead`). */
  readonly stream: Readable;
  /** What the framework calls a request: handed to the functions that the host wrote. */
  readonly native: unknown;
}

/** A finished answer. The adapter adds nothing but what its framework adds to every answer. */
export interface HttpResponse {
  /** The HTTP status code. */
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** The whole body as text; empty for an answer without one. */
  readonly body: string;
}

/** One path with everything that answers there. A route answers every method itself, 405 included, and never rejects. */
export interface Route {
  /** Below the mount point, with a leading slash, matched exactly. */
  readonly path: string;
  /** Whether people come here, so that the host may be asked who is signed in and needs its own request for that. */
  readonly needsHost?: boolean;
  /** Answers one request. Never rejects: what goes wrong inside becomes an answer and is told to `onError`. */
  handle(request: HttpRequest): Promise<HttpResponse>;
}
