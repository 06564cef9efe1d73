import { channel } from 'node:diagnostics_channel';
import type { HttpRequest, HttpResponse, Route } from '../base/http/messages.js';
import type { Clock } from '../base/ports.js';
import { printable } from '../base/printable.js';
import type { RandomSource } from '../base/secrets.js';
import { monotonic } from '../base/system.js';
import type { OAuthEvent, OAuthEventListener, OAuthOccurrence } from '../oauth/events/events.js';
import type { RequestScope } from '../oauth/kernel/request-scope.js';

const EVENTS = channel('oauth-query:event');
const STARTS = channel('oauth-query:request:start');
const ENDS = channel('oauth-query:request:end');

/**
 * A request, as published on the channels `oauth-query:request:start` and `oauth-query:request:end` of `node:diagnostics_channel`:
 * the same object twice, with its `status` and `duration` at the end.
 */
export interface RequestTrace {
  /** The same id as in the events of this request. */
  readonly request_id: string;
  /** The name of an endpoint such as `token`, `metadata` for documents at `/.well-known`, the path of what a feature serves, such as `/api`, or `guard` for a guard of this server. */
  readonly route: string;
  /** In upper case, such as `POST`. */
  readonly method: string;
  /** The caller's address as the framework reports it. */
  readonly ip: string;
  /** The HTTP status code of the response; 200 for a guard that lets the request pass. Absent at the start. */
  status?: number;
  /** Milliseconds from the start until the response is ready, with fractions; sending it is not included. Absent at the start. */
  duration?: number;
}

/** The types of events about failures, by their last word. */
const FAILURE = /(?:failed|refused|detected|reached)$/;

/** The outcome of a type of event. */
export const outcomeOf = (type: OAuthEvent['type']): OAuthEvent['outcome'] =>
  FAILURE.test(type) ? 'failure' : 'success';

/** Acceptable request ids: those of frameworks and proxies, without characters that would corrupt a log. */
const REQUEST_ID = /^[\x21-\x7e]{1,200}$/;

/** Escapes what could corrupt a log or a terminal: many texts in events come from clients, their documents and proxies. */
const cleanTexts = (event: OAuthEvent): void => {
  for (const [name, given] of Object.entries(event)) {
    if (typeof given === 'string') Reflect.set(event, name, printable(given));
    else if (Array.isArray(given)) Reflect.set(event, name, given.map(printable));
  }
};

const statusOf = ({ status }: HttpResponse): number => status;

/** Whether anybody subscribes to traces. */
const isTraced = (): boolean => STARTS.hasSubscribers || ENDS.hasSubscribers;

/** Completes events and traces, and delivers them to all listeners. */
export class Observer {
  readonly #given: {
    readonly onEvent: OAuthEventListener | undefined;
    readonly clock: Clock;
    readonly random: RandomSource;
  };
  readonly #ids = new WeakMap<HttpRequest, string>();

  constructor(given: { onEvent: OAuthEventListener | undefined; clock: Clock; random: RandomSource }) {
    this.#given = given;
  }

  /** @param request - The request that caused it; absent if the application did. */
  tell(occurrence: OAuthOccurrence, request?: HttpRequest): void {
    if (!this.#isHeard) return;
    const event: OAuthEvent = Object.assign(
      {},
      occurrence,
      { outcome: outcomeOf(occurrence.type), time: this.#given.clock() },
      request && { request_id: this.#idOf(request), ip: request.ip },
    );
    cleanTexts(event);
    this.#given.onEvent?.(event);
    if (EVENTS.hasSubscribers) EVENTS.publish(event);
  }

  /** A request with what tells of it. What nobody listens to is not there. */
  scopeOf(request: HttpRequest): RequestScope {
    return { request, emit: this.#isHeard ? (occurrence) => this.tell(occurrence, request) : undefined };
  }

  /** The same route with tracing. */
  traced(name: string, route: Route): Route {
    const handle = (request: HttpRequest): Promise<HttpResponse> =>
      isTraced() ? this.#trace(name, request, () => route.handle(request), statusOf) : route.handle(request);
    return { path: route.path, handle };
  }

  /** Publishes the start and the end of the work for a request, if the channels have subscribers. */
  trace<T>(route: string, request: HttpRequest, work: () => Promise<T>, statusOf: (result: T) => number): Promise<T> {
    return isTraced() ? this.#trace(route, request, work, statusOf) : work();
  }

  async #trace<T>(
    route: string,
    request: HttpRequest,
    work: () => Promise<T>,
    statusOf: (result: T) => number,
  ): Promise<T> {
    const { method, ip } = request;
    const trace: RequestTrace = { request_id: this.#idOf(request), route, method, ip: printable(ip) };
    STARTS.publish(trace);
    const start = monotonic();
    const result = await work();
    trace.status = statusOf(result);
    trace.duration = monotonic() - start;
    ENDS.publish(trace);
    return result;
  }

  get #isHeard(): boolean {
    return this.#given.onEvent !== undefined || EVENTS.hasSubscribers;
  }

  /** The framework's id of a request, or the proxy's, or a generated one. */
  #idOf(request: HttpRequest): string {
    const given = request.id ?? request.header('x-request-id');
    if (given !== undefined && REQUEST_ID.test(given)) return given;
    const known = this.#ids.get(request);
    if (known !== undefined) return known;
    const made = this.#given.random.string(12);
    this.#ids.set(request, made);
    return made;
  }
}
