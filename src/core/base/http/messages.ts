import type { MaybePromise } from '../ports.js';

/** The body of a request: its bytes, or the fields parsed by the application's body parser. */
export type RequestBody =
  | {
      /** As sent. */
      readonly bytes: Uint8Array;
    }
  | {
      /** Values by name: text, and arrays or objects if the parser creates them. */
      readonly fields: object;
    };

/** The room for a body that is being read. */
export interface BodyRoom {
  /** Takes room for further bytes. Returns `false` if there is none: then nothing of the body may be kept. */
  take(bytes: number): boolean;
  /** Set by whoever reads: gives up a body that has not arrived, so that reading fails with `late`. Returns whether it did. */
  giveUp?: () => boolean;
}

/** A request as seen by the core: readonly, with a body that is only read when a route needs it. */
export interface HttpRequest {
  /** In upper case, such as `GET`. */
  readonly method: string;
  /** The raw query string, without the question mark. */
  readonly query: string;
  /** The path as the client sent it, before a router or a mount point removed a part. */
  readonly path: string;
  /** A header by its lower-case name; repeated headers are joined or dropped as in `node:http`. */
  header(name: string): string | undefined;
  /** Alternating names and values, as received: the only way to detect a repeated header. At least `Authorization`. */
  readonly rawHeaders: readonly string[];
  /** The caller's address as the framework reports it, including its trust-proxy setting. */
  readonly ip: string;
  /** The framework's id of this request, if it has one. */
  readonly id?: string | undefined;
  /** Whether the caller has closed the connection, or its half of it: it does not wait for a response. */
  readonly hungUp: boolean;
  /**
   * Reads the body. A route calls this at most once, and only if it needs the body.
   *
   * @param limit - In bytes. A longer body is not read to its end.
   * @param room - For the parts that arrive.
   * @throws BodyError if there is no complete body within the limit.
   */
  body(limit: number, room: BodyRoom): MaybePromise<RequestBody>;
  /** The framework's own request, which is passed to the application's functions. */
  readonly native: unknown;
}

/** A complete response. The adapter adds nothing beyond what its framework adds to every response. */
export interface HttpResponse {
  /** The HTTP status code. */
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** The complete body as text; empty for a response without one. */
  readonly body: string;
  /** Called when the complete response was handed to the network, and only then. Does not throw. */
  readonly onSent?: () => void;
}

/** A path and its handler. A route handles every method itself, including 405, and never rejects. */
export interface Route {
  /** Below the mount point, with a leading slash, matched exactly. */
  readonly path: string;
  /** Handles one request. Never rejects: errors become responses and are passed to `onError`. */
  handle(request: HttpRequest): Promise<HttpResponse>;
}

/** Whether a media type is JSON, by itself or by its suffix (RFC 6839 §3.1). */
export const isJsonType = (type: string): boolean => /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type);

const AUTHORIZATION = 'authorization';

/** RFC 6749 §3.1 and RFC 9110 §11: Node would silently keep only the first of several. */
export const hasRepeatedAuthorization = (rawHeaders: readonly string[]): boolean => {
  let seen = false;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length !== AUTHORIZATION.length || name.toLowerCase() !== AUTHORIZATION) continue;
    if (seen) return true;
    seen = true;
  }
  return false;
};
