import { readAddress } from '../../base/addresses/ip-address.js';
import { isLoopbackHost } from '../../base/addresses/loopback.js';
import { parseUrl } from '../../base/addresses/url.js';
import { isForwarded } from '../../base/http/forwarded.js';
import type { HttpRequest } from '../../base/http/messages.js';
import type { OnWarning, WarningCode } from '../../base/mistakes.js';

/** The number of requests examined for signs of a proxy: if there is one, the first request shows it. */
const OBSERVED_REQUESTS = 1000;

/** How often the same sign-in may return without an owner before it is considered a loop. */
const RETURNS = 3;

/** Sign-ins remembered until an owner is known, and clients that were named. */
const REMEMBERED = 100;

/** Warns of deployment mistakes that validating options cannot detect. Each warning is emitted once. */
export class DeploymentWarnings {
  readonly #warn: OnWarning;
  readonly #issuer: URL | undefined;
  readonly #said = new Set<WarningCode>();
  readonly #clients = new Set<string>();
  readonly #returns = new Map<string, number>();
  #unobserved = OBSERVED_REQUESTS;
  #knowsOwners = false;
  #lastHost: string | undefined;

  constructor(warn: OnWarning = () => undefined, issuer?: string) {
    this.#warn = warn;
    this.#issuer = issuer === undefined ? undefined : new URL(issuer);
  }

  #once(code: WarningCode, sentence: () => string): void {
    if (this.#said.has(code)) return;
    this.#said.add(code);
    this.#warn(sentence(), code);
  }

  /** Detects an issuer that is not the address of this server: clients and browsers are sent to another host. */
  host(request: HttpRequest): void {
    const issuer = this.#issuer;
    if (issuer === undefined || this.#said.has('OQ304')) return;
    const host = request.header('host') ?? '';
    if (host === this.#lastHost || isForwarded(request)) return;
    this.#lastHost = host;
    const actual = parseUrl(`${issuer.protocol}//${host}`);
    if (actual === undefined || actual.host === issuer.host) return;
    // Tests listen on free ports.
    if (isLoopbackHost(actual.hostname) && isLoopbackHost(issuer.hostname) && actual.port !== issuer.port) return;
    this.#once(
      'OQ304',
      () =>
        `A request was sent to ${JSON.stringify(host.slice(0, 100))}, but options.issuer is ${issuer.href.replace(/\/$/, '')}: clients are sent there, and refuse the metadata of any other address. Set options.issuer to the address that clients use. If a proxy in front of this server replaces the Host header, ignore this warning.`,
    );
  }

  /** Detects the client of a guard whose registration lacks `introspect`: it rejects the tokens of all other clients. */
  cannotIntrospect(client_id: string): void {
    if (this.#clients.has(client_id) || this.#clients.size >= REMEMBERED) return;
    this.#clients.add(client_id);
    this.#warn(
      `The client ${JSON.stringify(client_id)} asked for an active token of another client, and the answer was that it is inactive, because a client only sees its own tokens. If it guards an API, register it with introspect: true.`,
      'OQ310',
    );
  }

  /** Detects requests with the address of a proxy, or with a text in its place: all callers share the limits of one. */
  proxy(request: HttpRequest): void {
    if (this.#unobserved === 0) return;
    this.#unobserved -= 1;
    const { ip } = request;
    if (ip === '' && this.#issuer !== undefined && !isLoopbackHost(this.#issuer.hostname))
      this.#once(
        'OQ314',
        () =>
          'A caller has no address, so all such callers share the limits of one: a stranger with ten wrong secrets locks them all out. Let options.address return the address that your proxy saw.',
      );
    if (ip === '') return;
    if (readAddress(ip) === undefined) {
      this.#once(
        'OQ314',
        () =>
          `The address of a caller is ${JSON.stringify(ip.slice(0, 100))}, and must be one IP address, so all such callers share the limits of one. Let options.address, or the proxy setting of your framework, return the address that your proxy saw.`,
      );
      return;
    }
    const forwarded = request.header('x-forwarded-for');
    if (forwarded === undefined || forwarded.includes(ip)) return;
    this.#unobserved = 0;
    this.#once(
      'OQ305',
      () =>
        'Requests carry X-Forwarded-For, but the framework does not trust the proxy that sets it, so rate limits count all callers behind it as one. Configure the framework to trust that proxy; if there is none, ignore this warning.',
    );
  }

  /** Detects a script of another origin that calls an endpoint which `options.cors` would open. */
  crossOrigin(request: HttpRequest, ownOrigin: () => string): void {
    const origin = request.header('origin');
    if (origin === undefined || origin === 'null' || this.#said.has('OQ306') || origin === ownOrigin()) return;
    this.#once(
      'OQ306',
      () =>
        `A script from ${JSON.stringify(origin.slice(0, 100))} called this server, but options.cors is not set, so the browser withholds the response. If the script is yours, add its origin to options.cors.`,
    );
  }

  /** Detects a preflight at a guard: it has no token (Fetch §4.8), so the browser never sends the request that has one. */
  guardedPreflight(request: HttpRequest): void {
    if (request.method !== 'OPTIONS' || request.header('access-control-request-method') === undefined) return;
    this.#once(
      'OQ315',
      () =>
        `A preflight from ${JSON.stringify((request.header('origin') ?? '').slice(0, 100))} came to a guard, which answered 401, because a preflight has no token. Mount the middleware that answers CORS for your routes before the guard.`,
    );
  }

  /** Detects sign-in loops. `returnTo` is absent if the owner is known, and the same each time the browser returns. */
  signIn(returnTo: string | undefined): void {
    if (this.#knowsOwners) return;
    if (returnTo === undefined) {
      this.#knowsOwners = true;
      this.#returns.clear();
      return;
    }
    const returns = (this.#returns.get(returnTo) ?? -1) + 1;
    if (this.#returns.size < REMEMBERED || this.#returns.has(returnTo)) this.#returns.set(returnTo, returns);
    if (returns < RETURNS) return;
    this.#knowsOwners = true;
    this.#once(
      'OQ307',
      () =>
        'A browser came back from options.loginUrl three times, but options.owner still returns no user, so it is redirected in a loop. Mount the session middleware before this one, return { sub } from options.owner for a signed-in user, and over http do not mark the session cookie as Secure.',
    );
  }

  /** Reports a sign-in page that came back without the new sign-in that a client asked for. */
  oldSignIn(auth_time: number | undefined): void {
    this.#once('OQ312', () =>
      auth_time === undefined
        ? 'A client asked for a recent sign-in, but options.owner returns no auth_time, so the client gets login_required. Return auth_time: the seconds since the epoch at which the user signed in.'
        : 'A client asked for a new sign-in, but the browser came back from options.loginUrl with the auth_time of an earlier one, so the client gets login_required. Show the sign-in form when the page is called with prompt or max_age, also to users who are signed in, and set auth_time anew.',
    );
  }

  /** Reports a failure of `options.owner`, which usually reads a session that does not exist yet. */
  ownerFailed(error: unknown): void {
    if (!(error instanceof TypeError)) return;
    this.#once(
      'OQ308',
      () =>
        `options.owner failed: ${error.message}. If it reads a session, mount the session middleware before this one.`,
    );
  }
}
