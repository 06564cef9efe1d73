import type { HttpRequest } from '../../base/http/messages.js';
import { RateLimit } from '../../base/limits/rate-limit.js';
import { sourceOf } from '../../base/limits/source.js';
import type { FeatureHost } from '../../feature/host.js';
import { ApiError } from '../answer/api-error.js';
import { message } from '../answer/messages.js';
import type { Caller } from '../caller.js';

/** How much a caller may use per minute. */
export interface CallerLimit {
  /** Requests per minute. Default: any number. */
  readonly requests?: number | undefined;
  /**
   * Results requested per minute: the limits of all modules of a request, 1 for a module without one, and 1 for each
   * page that the request names. A request may exceed it once. Default: any number.
   */
  readonly cost?: number | undefined;
}

/** The limits of the query API, by the class of the caller. Callers with the right `noratelimit` have none. */
export interface CallerLimits {
  /** Requests without a token, for each IPv4 address or /64 network of IPv6. */
  readonly anonymous?: CallerLimit | undefined;
  /** Requests with a token, for each user (the `sub` of the token). */
  readonly token?: CallerLimit | undefined;
}

/** A minute, in seconds. */
const WINDOW = 60;

/** The right of callers without limits. */
const EXEMPT = 'noratelimit';

type Unit = keyof CallerLimit;
const UNITS = ['requests', 'cost'] as const satisfies readonly Unit[];

type Class = keyof CallerLimits;

/** The limits after validation. */
type CheckedLimits = { readonly [C in Class]?: { readonly [U in Unit]?: number | undefined } | undefined };

/**
 * Counts the requests of each caller and what they cost. Each process counts on its own, in bounded memory, and
 * separately for the two classes, so that many addresses cannot displace the counts of users.
 */
export class CallerLimiter {
  readonly #limits: CheckedLimits;
  readonly #host: FeatureHost;
  readonly #counts: Readonly<Record<Class, Readonly<Record<Unit, RateLimit>>>>;

  constructor(limits: CheckedLimits, host: FeatureHost) {
    this.#limits = limits;
    this.#host = host;
    const counts = () => ({
      requests: new RateLimit(host.clock, Infinity, WINDOW),
      cost: new RateLimit(host.clock, Infinity, WINDOW),
    });
    this.#counts = { anonymous: counts(), token: counts() };
  }

  /**
   * Counts a request, or what it costs.
   *
   * @throws ApiError `ratelimited` with the HTTP status 429, if the caller has reached the limit.
   */
  take(unit: Unit, amount: number, request: HttpRequest, caller: Caller | undefined): void {
    const max = this.#maxOf(unit, request.ip, caller);
    if (max === undefined || caller?.rights.includes(EXEMPT)) return;
    const subject = caller ? caller.authorization.sub : sourceOf(request.ip);
    const refusal = this.#counts[classOf(caller)][unit].take(subject, max, amount);
    if (refusal === undefined) return;
    if (refusal.isFirst) this.#host.onLimit({ type: 'limit.reached', limit: 'query' }, request);
    throw new ApiError('ratelimited', message('apierror-ratelimited'), {
      module: 'main',
      status: 429,
      headers: { 'retry-after': String(refusal.retryAfter) },
    });
  }

  /** The limits of a caller by unit, as `meta=userinfo` shows them; `theoretical` includes those from which its rights exempt it. */
  shown(ip: string, caller: Caller | undefined, theoretical: boolean): Readonly<Record<string, object>> {
    if (!theoretical && caller?.rights.includes(EXEMPT)) return {};
    const name = caller ? 'user' : 'ip';
    return Object.fromEntries(
      UNITS.flatMap((unit) => {
        const hits = this.#maxOf(unit, ip, caller);
        return hits === undefined ? [] : [[unit, { [name]: { hits, seconds: WINDOW } }]];
      }),
    );
  }

  #maxOf(unit: Unit, ip: string, caller: Caller | undefined): number | undefined {
    const max = this.#limits[classOf(caller)]?.[unit];
    return max === undefined || caller ? max : this.#host.limitAt(ip, max);
  }
}

const classOf = (caller: Caller | undefined): Class => (caller ? 'token' : 'anonymous');
