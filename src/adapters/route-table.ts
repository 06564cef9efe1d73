import type { HttpRequest, HttpResponse, Route } from '../core/base/http/messages.js';
import { leaveRoom } from '../core/base/limits/body-room.js';
import type { Mount } from './mount.js';

/** Sends a response with a framework's own response object. */
export type Send<Sent> = (response: HttpResponse) => Sent;

const BROKEN: HttpResponse = {
  status: 500,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  body: 'Internal Server Error',
};

/**
 * An error in this package's part of a request never reaches the application's error handler, and the client learns
 * nothing about it.
 */
export const sendBroken = <Sent>(
  send: Send<Sent>,
  error: unknown,
  onError: (error: unknown) => void,
): Sent | undefined => {
  onError(error);
  try {
    return send(BROKEN);
  } catch (failure) {
    onError(failure); // The connection is broken too, or the application has already responded.
    return undefined;
  }
};

/** Routes by exact path. */
export class RouteTable {
  readonly routes: readonly Route[];
  readonly mount: Mount;
  readonly #byPath: ReadonlyMap<string, Route>;
  readonly #onError: (error: unknown) => void;

  constructor(routes: readonly Route[], mount: Mount, onError: (error: unknown) => void) {
    this.routes = routes;
    this.mount = mount;
    this.#byPath = new Map(routes.map((route) => [route.path, route]));
    this.#onError = onError;
  }

  /** @param prefix - The mount path, removed by the framework. */
  find(path: string, prefix = ''): Route | undefined {
    this.mount.reach(prefix);
    // The path of a module contains a plus sign, which many clients encode.
    return this.#byPath.get(path.replace(/%2b/i, '+'));
  }

  /**
   * Handles a request. Never rejects; returns `undefined` if no response can be sent.
   *
   * @param prefix - The mount path, removed by the framework.
   */
  async answer<Sent>(
    route: Route,
    request: HttpRequest,
    send: Send<Sent>,
    prefix = this.mount.registered,
  ): Promise<Sent | undefined> {
    try {
      this.mount.check(prefix, request);
      return send(await route.handle(request));
    } catch (error) {
      return sendBroken(send, error, this.#onError);
    } finally {
      leaveRoom(request);
    }
  }
}
