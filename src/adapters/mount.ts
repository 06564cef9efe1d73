/** Where a server is mounted, and warnings about mistakes that no check of the options can find. */
import { isForwarded } from '../core/base/http/forwarded.js';
import type { HttpRequest, Route } from '../core/base/http/messages.js';
import { mistake, type OnWarning } from '../core/base/mistakes.js';
import type { Server } from '../core/server/server.js';

interface MountOptions {
  readonly issuer: string | undefined;
  /** The path of the issuer, if the mount path must be the same. */
  readonly expected?: string | undefined;
  readonly warn?: OnWarning;
}

/** Where the framework has mounted routes: known once it has registered them, or calls them for the first time. Each mistake is reported once. */
export class Mount {
  readonly #routes: readonly Route[];
  readonly #options: MountOptions;
  #registered = '';
  #isReached = false;
  #isCompared: boolean;

  constructor(routes: readonly Route[], options: MountOptions) {
    this.#routes = routes;
    this.#options = options;
    this.#isCompared = options.expected === undefined;
  }

  /** Whether the framework has called or registered the routes. */
  get isReached(): boolean {
    return this.#isReached;
  }

  /** The mount path, if the framework has registered the routes. */
  get registered(): string {
    return this.#registered;
  }

  /**
   * The routes are registered below a path.
   *
   * @throws TypeError if it needs an issuer.
   */
  register(prefix: string): void {
    this.#registered = prefix;
    this.reach(prefix);
    this.#checkIssuer(prefix);
  }

  /** The framework has called the routes. Their paths have a beginning of their own, so a mount path that repeats it is a mistake, unless the issuer ends with it. */
  reach(prefix: string): void {
    if (this.#isReached) return;
    this.#isReached = true;
    const { expected, warn } = this.#options;
    const last = prefix.slice(prefix.lastIndexOf('/'));
    if (last.length < 2 || expected?.endsWith(last) === true) return;
    const repeated = this.#routes.find(({ path }) => path.startsWith(`${last}/`))?.path;
    if (repeated === undefined) return;
    this.#isCompared = true;
    warn?.(
      `This server is mounted at ${JSON.stringify(prefix)}, and its own paths begin with ${JSON.stringify(last)} too, so ${prefix}${repeated} exists and ${repeated} does not. Mount it one level higher: app.use(oauth), or app.register(oauth) without that prefix.`,
      'OQ302',
    );
  }

  /**
   * Checks the mount path of a request. Browsers and clients are sent to paths below the issuer's path, so the routes must be mounted there.
   *
   * @throws TypeError if it needs an issuer.
   */
  check(prefix: string, request: HttpRequest): void {
    this.#checkIssuer(prefix);
    if (this.#isCompared) return;
    this.#isCompared = true;
    const { expected = '', warn } = this.#options;
    if (prefix === expected || (isForwarded(request) && expected.endsWith(prefix))) return;
    warn?.(
      `options.issuer has the path ${JSON.stringify(expected)}, but this server is mounted at ${JSON.stringify(prefix)}: clients and browsers are sent to paths that do not exist. Mount it there, or change options.issuer.`,
      'OQ301',
    );
  }

  /** Without an issuer, the URL is taken from the request, but the framework has removed the mount path from it. */
  #checkIssuer(prefix: string): void {
    if (this.#options.issuer !== undefined || prefix === '') return;
    throw mistake(
      `options.issuer is missing. A server mounted below ${prefix} needs it: set it to a URL that ends with ${prefix}.`,
      'OQ102',
    );
  }
}

/** The tables of routes, of which the framework calls one. */
interface Tables {
  readonly routes: { readonly mount: Mount };
  readonly whole: { readonly mount: Mount };
}

/** Warns about guards without their server: it is created, but the framework does not call it, so no client can get a token. */
export const warnUnreached = ({ routes, whole }: Tables, { basePath, warn }: Server, isFirst = false) => {
  let isDone = !isFirst || basePath !== '';
  return (request: HttpRequest): void => {
    if (isDone || request.header('authorization') === undefined) return;
    isDone = true;
    if (routes.mount.isReached || whole.mount.isReached) return;
    warn(
      'A guard refused a request, and the server it belongs to is not mounted, so clients cannot get a token from it. Mount it before your routes: app.use(oauth), or app.register(oauth) on Fastify.',
      'OQ311',
    );
  };
};
