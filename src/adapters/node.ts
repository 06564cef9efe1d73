import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { HttpRequest, HttpResponse, Route } from '../core/http.js';
import type { GuardRequirement } from '../core/oauth/bearer.js';
import type { Owner } from '../core/oauth/tokens.js';
import type { ServerOptions } from '../core/options.js';
import type { Clock, MaybePromise, Store } from '../core/ports.js';
import { createIntrospectionGuard } from '../resource-server/introspection-guard.js';
import { createJwtGuard, type JwtGuardOptions } from '../resource-server/jwt-guard.js';
import type { IntrospectionGuardOptions } from '../resource-server/options.js';
import type { TokenGuard } from '../resource-server/token-guard.js';
import { memoryStore } from '../stores/memory.js';

/**
 * The part of {@link HttpRequest} that is the same wherever node's own request is underneath. Nothing is copied or
 * parsed before somebody asks: most requests are only looked at in one or two places.
 */
export abstract class NodeRequest<Native> implements HttpRequest {
  readonly native: Native;
  readonly #message: IncomingMessage;

  constructor(native: Native, message: IncomingMessage) {
    this.native = native;
    this.#message = message;
  }

  abstract get ip(): string;
  abstract get parsedBody(): unknown;

  get method(): string {
    return this.#message.method ?? 'GET';
  }

  get query(): string {
    const url = this.#message.url ?? '';
    const mark = url.indexOf('?');
    return mark === -1 ? '' : url.slice(mark + 1);
  }

  get rawHeaders(): readonly string[] {
    return this.#message.rawHeaders;
  }

  get stream(): Readable {
    return this.#message;
  }

  header(name: string): string | undefined {
    const value = this.#message.headers[name];
    return typeof value === 'object' ? value.join(', ') : value;
  }
}

/** The options of {@link ServerOptions} as an adapter takes them; `Native` is what its framework calls a request. */
export interface AdapterOptions<Native> extends Omit<ServerOptions, 'store' | 'clock' | 'owner'> {
  /** `memoryStore()` if absent: good for one process, and gone with it. */
  readonly store?: Store;
  /** `Date.now` if absent. A store of your own needs the same clock. */
  readonly clock?: Clock;
  /** Who is signed in at the host. Needs `loginUrl`. */
  readonly owner?: (request: Native) => MaybePromise<Owner | undefined | null | false>;
}

/** Told about every error that no client is told about. */
export type OnError = (error: unknown) => void;

/** Options that are ready for the core. */
export interface MountedOptions extends ServerOptions {
  readonly onError: OnError;
}

/**
 * Fills in what the core does not want to know by itself: a store in memory, and the console to complain to.
 *
 * @param example - How to mount the adapter, for the error message.
 * @throws TypeError when the adapter was handed to the framework instead of being called.
 */
export const serverOptions = <Native>(options: AdapterOptions<Native>, example: string): MountedOptions => {
  const prototype: unknown =
    typeof options === 'object' && options !== null ? Object.getPrototypeOf(options) : undefined;
  if (prototype !== Object.prototype && prototype !== null) {
    throw new TypeError(`oauthQuery takes an object of options and gives what is to be mounted: ${example}.`);
  }
  const { owner, store, clock = Date.now, onError = console.error, onWarning = console.warn, ...rest } = options;
  return {
    ...rest,
    clock,
    // The adapter makes every HttpRequest, so `native` is what its own framework calls a request.
    ...(owner !== undefined && { owner: owner as NonNullable<ServerOptions['owner']> }),
    store: store ?? memoryStore({ clock }),
    onError,
    onWarning,
  };
};

/** A guard for tokens of another process's authorization server, and the console to complain to unless told better. */
interface RemoteGuard {
  readonly remote: TokenGuard;
  readonly onError: OnError;
}

export const remoteIntrospection = (options: IntrospectionGuardOptions): RemoteGuard => {
  const remote = createIntrospectionGuard({ onError: console.error, ...options });
  return { remote, onError: options.onError ?? console.error };
};

export const remoteJwt = (options: JwtGuardOptions): RemoteGuard => {
  const remote = createJwtGuard({ onError: console.error, ...options });
  return { remote, onError: options.onError ?? console.error };
};

/** What a guard may ask for beside scopes. */
export interface GuardOptions {
  /** The token must be for (one of) these resources; the issuer itself if absent. */
  readonly audience?: string | readonly string[];
}

const list = (value: string | readonly string[]): readonly string[] => (typeof value === 'string' ? [value] : value);

/** A guard's arguments in the words of the core: one string may name several scopes, separated by spaces. */
export const guardRequirement = (scope: string | readonly string[], options: GuardOptions): GuardRequirement => {
  const scopes = list(scope).flatMap((text) => text.split(' ').filter((name) => name !== ''));
  return options.audience === undefined ? { scopes } : { scopes, audience: list(options.audience) };
};

/**
 * Without an issuer a request tells what our address is, all but the path that the framework has taken away.
 *
 * @throws TypeError
 */
export const checkMount = ({ issuer }: ServerOptions, prefix: string): void => {
  if (issuer === undefined && prefix !== '') {
    throw new TypeError(
      `options.issuer is missing. Mounted below ${prefix} it must be given: it ends with ${prefix} then.`,
    );
  }
};

/** Routes by their exact path. */
export const routeTable = (routes: readonly Route[]): ReadonlyMap<string, Route> =>
  new Map(routes.map((route) => [route.path, route]));

const BROKEN: HttpResponse = {
  status: 500,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  body: 'Internal Server Error',
};

/**
 * What breaks in our part of a request stays ours: the host's error handler never sees it, the client is told nothing
 * but that it broke.
 */
export const sendBroken = (send: (response: HttpResponse) => unknown, error: unknown, onError: OnError): void => {
  send(BROKEN);
  onError(error);
};

/** Answers a request that is ours. */
export const respond = async (
  answer: () => Promise<HttpResponse>,
  send: (response: HttpResponse) => unknown,
  onError: OnError,
): Promise<void> => {
  try {
    send(await answer());
  } catch (error) {
    sendBroken(send, error, onError);
  }
};

/** Whether an answer of this status says how long its body is, even when it is empty (RFC 9110 §8.6). */
export const hasLength = (status: number): boolean => status !== 204 && status !== 304;

type HeaderValue = OutgoingHttpHeaders[string];

/** Headers of which the host may have set some before, and both count. Of every other name ours is the only one. */
const isJoined = (name: string): boolean => name === 'vary' || name === 'set-cookie';

/** What a header becomes beside what the host has set before. */
export const joinHeader = (name: string, before: HeaderValue, value: string | readonly string[]): string | string[] => {
  if (!isJoined(name) || before === undefined) return typeof value === 'string' ? value : [...value];
  const all = [before].flat().map(String).concat(value);
  return name === 'vary' ? all.join(', ') : all;
};

/** Puts the headers of a response on node's own response, which Express and Koa write through. */
export const setHeaders = (res: ServerResponse, headers: HttpResponse['headers']): void => {
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined) continue;
    res.setHeader(name, isJoined(name) ? joinHeader(name, res.getHeader(name), value) : value);
  }
};
