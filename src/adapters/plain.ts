import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Authorization } from '../core/authorization.js';
import type { HttpResponse, Route } from '../core/http.js';
import type { GuardRequirement } from '../core/oauth/bearer.js';
import type { Server } from '../core/server.js';
import { hasLength, NodeRequest, type OnError, respond, sendBroken } from './node.js';

/** Finds the caller's address. */
export type AddressOf = (request: IncomingMessage) => string;

/** Node's own request, without a framework around it. */
export class PlainRequest extends NodeRequest<IncomingMessage> {
  readonly #ip: AddressOf | undefined;

  constructor(message: IncomingMessage, ip?: AddressOf) {
    super(message, message);
    this.#ip = ip;
  }

  get ip(): string {
    return this.#ip?.(this.native) ?? this.native.socket.remoteAddress ?? '';
  }

  /** Nobody has been here before us. */
  get parsedBody(): undefined {
    return undefined;
  }
}

export const send = (res: ServerResponse, { status, headers, body }: HttpResponse): void => {
  if (res.headersSent) return;
  const all: Record<string, string | string[] | number> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) all[name] = typeof value === 'string' ? value : [...value];
  }
  if (hasLength(status)) all['content-length'] = Buffer.byteLength(body);
  res.writeHead(status, all).end(body);
};

/** Routes by their whole path, issuer's path included. */
export const wholePaths = (
  { routes, wellKnown, basePath }: Pick<Server, 'routes' | 'wellKnown' | 'basePath'>,
  isWanted: (route: Route) => boolean = () => true,
): ReadonlyMap<string, Route> =>
  new Map([
    ...routes.filter(isWanted).map((route) => [basePath + route.path, route] as const),
    ...wellKnown.map((route) => [route.path, route] as const),
  ]);

/** The path of a request, without its query. */
export const pathOf = ({ url = '' }: IncomingMessage): string => {
  const mark = url.indexOf('?');
  return mark === -1 ? url : url.slice(0, mark);
};

/** Answers the requests for these routes, and leaves every other one to `next`. */
export const plainListener = (
  table: ReadonlyMap<string, Route>,
  next: RequestListener,
  onError: OnError,
  ip?: AddressOf,
): RequestListener => {
  return (req, res) => {
    const route = table.get(pathOf(req));
    if (route === undefined) next(req, res);
    else
      void respond(
        () => route.handle(new PlainRequest(req, ip)),
        (response) => send(res, response),
        onError,
      );
  };
};

/** What the token of a request stands for; `undefined` when it was refused, and the answer has been sent. */
export const plainGuard = async (
  { guard }: Pick<Server, 'guard'>,
  requirement: GuardRequirement,
  req: IncomingMessage,
  res: ServerResponse,
  onError: OnError,
): Promise<Authorization | undefined> => {
  const answer = (response: HttpResponse): void => send(res, response);
  try {
    const result = await guard(new PlainRequest(req), requirement);
    if ('authorization' in result) return result.authorization;
    answer(result.response);
  } catch (error) {
    sendBroken(answer, error, onError);
  }
  return undefined;
};
