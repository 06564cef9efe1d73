import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { checkBodyHeaders } from '../../core/base/http/body.js';
import type { HttpRequest, HttpResponse, RequestBody, BodyRoom } from '../../core/base/http/messages.js';
import type { MaybePromise } from '../../core/base/ports.js';
import { parsedBody, readStream } from './body.js';

/** Fastify generates request ids; loggers for other frameworks set an id on the request. */
const idOf = (request: unknown): string | undefined => {
  const id: unknown = typeof request === 'object' && request !== null && 'id' in request ? request.id : undefined;
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
};

/**
 * The part of {@link HttpRequest} shared by all hosts on Node's own request. Nothing is copied or
 * parsed before it is needed, because most requests only use a few fields.
 */
export abstract class NodeRequest<Native> implements HttpRequest {
  readonly native: Native;
  readonly #message: IncomingMessage;

  constructor(native: Native, message: IncomingMessage) {
    this.native = native;
    this.#message = message;
  }

  abstract get ip(): string;
  /** The result of the application's body parser; only used if the stream has already been read. */
  protected abstract get parsed(): unknown;

  get method(): string {
    return this.#message.method ?? 'GET';
  }

  get query(): string {
    const url = this.#message.url ?? '';
    const mark = url.indexOf('?');
    return mark === -1 ? '' : url.slice(mark + 1);
  }

  /** Routers that shorten `url` keep the original in `originalUrl`. */
  get path(): string {
    const message: IncomingMessage & { readonly originalUrl?: unknown } = this.#message;
    return pathOf(typeof message.originalUrl === 'string' ? message.originalUrl : (message.url ?? ''));
  }

  get rawHeaders(): readonly string[] {
    return this.#message.rawHeaders;
  }

  get id(): string | undefined {
    return idOf(this.native) ?? idOf(this.#message);
  }

  get hungUp(): boolean {
    const { socket } = this.#message;
    return socket.destroyed || socket.readableEnded;
  }

  protected get stream(): Readable {
    return this.#message;
  }

  body(limit: number, room: BodyRoom): MaybePromise<RequestBody> {
    const { stream } = this;
    if (stream.readableDidRead) return parsedBody(this.parsed, limit);
    checkBodyHeaders(this, limit);
    return readStream(stream, limit, room);
  }

  header(name: string): string | undefined {
    const value = this.#message.headers[name];
    return typeof value === 'object' ? value.join(', ') : value;
  }
}

/** Requests of Node and its frameworks, and Koa's context, for what only needs their headers. */
export type HeadedRequest = Pick<IncomingMessage, 'headers'>;

export const cookiesOf = ({ headers }: HeadedRequest): string | undefined => headers.cookie;

/** The path of a request as sent, without its query. */
export const pathOf = (url: string): string => {
  const end = url.search(/[?#]/);
  const address = end === -1 ? url : url.slice(0, end);
  // A request to a proxy contains the complete URL (RFC 9112 §3.2.2).
  return address.startsWith('/')
    ? address
    : address.slice(Math.max(address.indexOf('/', address.indexOf('//') + 2), 0));
};

/** Whether a response with this status states its length even if the body is empty (RFC 9110 §8.6). */
export const hasLength = (status: number): boolean => status !== 204 && status !== 304;

/** Calls `onSent` when the complete response was handed to the network, unless the application has sent another one. */
export const whenSent = (res: ServerResponse, { status, onSent }: HttpResponse): void => {
  if (onSent === undefined) return;
  res.on('finish', () => {
    if (res.statusCode === status) onSent();
  });
};

type HeaderValue = OutgoingHttpHeaders[string];

/** Headers that are lists of names. */
export const isList = (name: string): boolean => name === 'vary' || name === 'access-control-expose-headers';

/** Headers the application may have set too, and both count. All other headers are overwritten. */
const isJoined = (name: string): boolean => isList(name) || name === 'set-cookie';

/** Joins the value of a header with the one set by the application. */
export const joinHeader = (name: string, before: HeaderValue, value: string | readonly string[]): string | string[] => {
  if (!isJoined(name) || before === undefined) return typeof value === 'string' ? value : [...value];
  const all = [before].flat().map(String).concat(value);
  return isList(name) ? all.join(', ') : all;
};

/** Sets the headers on Node's own response, which Express and Koa write through. */
export const setHeaders = (res: ServerResponse, headers: HttpResponse['headers']): void => {
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined) continue;
    res.setHeader(name, isJoined(name) ? joinHeader(name, res.getHeader(name), value) : value);
  }
};

/** Writes to Node's response directly: a framework would hash every body for an unused ETag. */
export const send = (res: ServerResponse, response: HttpResponse): void => {
  if (res.headersSent) return;
  const { status, headers, body } = response;
  res.statusCode = status;
  setHeaders(res, headers);
  if (hasLength(status)) res.setHeader('content-length', Buffer.byteLength(body));
  whenSent(res, response);
  res.end(body);
};
