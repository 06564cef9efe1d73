import { METHODS } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { HttpResponse, Route } from '../../core/base/http/messages.js';
import { wrongFramework } from '../facade.js';
import { NodeRequest, hasLength, isList, joinHeader, pathOf, whenSent } from '../node/message.js';
import type { RouteTable } from '../route-table.js';

/** The plugin's mount options, as passed on by Fastify. */
export interface MountOptions {
  /** The path below which everything is mounted. */
  readonly prefix?: string | undefined;
}

const isStream = (body: unknown): body is Readable => body instanceof Readable;

export class FastifyMessage extends NodeRequest<FastifyRequest> {
  get ip(): string {
    return (this.native.ip as string | undefined) ?? ''; // Fastify's types ignore sockets without addresses.
  }

  protected get parsed(): unknown {
    return isStream(this.native.body) ? undefined : this.native.body;
  }

  /** Our own parser passes the body on unread: it is not Node's request if a hook of the application has replaced it. */
  protected override get stream(): Readable {
    return isStream(this.native.body) ? this.native.body : super.stream;
  }
}

/** Fastify appends cookies to existing ones and replaces all other headers. */
export const addHeaders = (reply: FastifyReply, headers: HttpResponse['headers']): void => {
  for (const name in headers) {
    const value = headers[name] ?? '';
    reply.header(name, isList(name) ? joinHeader(name, reply.getHeader(name), value) : value);
  }
};

export const send = (reply: FastifyReply, response: HttpResponse): void => {
  const { status, headers, body } = response;
  whenSent(reply.raw, response);
  reply.code(status);
  try {
    addHeaders(reply, headers);
    // An empty text body would get a content type, and no body would have no length on HEAD.
    if (body === '' && hasLength(status)) reply.header('content-length', '0');
    reply.send(body === '' ? undefined : body);
  } catch (error) {
    // Fastify keeps a header it could not send, and would fail again on any other response.
    for (const name in headers) reply.removeHeader(name);
    throw error;
  }
};

/** Content types that Fastify rejects before calling any parser. The core decides how to respond. */
const BEFORE_PARSING: readonly string[] = ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE'];

/** @param routeAt - The route for a path as written: Fastify decodes paths before routing, other hosts do not. */
const addRoute = (
  instance: FastifyInstance,
  table: RouteTable,
  url: string,
  routeAt: (path: string) => Route | undefined,
): void => {
  const handler = (request: FastifyRequest, reply: FastifyReply): void => {
    const route = routeAt(pathOf(request.raw.url ?? ''));
    if (!route) reply.callNotFound();
    else void table.answer(route, new FastifyMessage(request, request.raw), (response) => send(reply, response));
  };
  instance.route({
    method: [...instance.supportedMethods],
    url,
    handler,
    errorHandler: (error, request, reply) => {
      if (!BEFORE_PARSING.includes(error.code)) throw error;
      handler(request, reply);
    },
  });
};

/** The routes with their own body parser. It reads nothing, so that the core can, whatever the application's parsers do. */
const routesPlugin =
  (table: RouteTable): FastifyPluginAsync =>
  async (instance) => {
    for (const method of METHODS) {
      // For an unknown method, Fastify would respond that the path does not exist.
      if (method !== 'CONNECT' && !instance.supportedMethods.includes(method))
        instance.addHttpMethod(method, { hasBody: true });
    }
    instance.removeAllContentTypeParsers();
    // Fastify caches the parser of a type that has one, and searches again for every other type.
    const types = ['application/x-www-form-urlencoded', '*'];
    instance.addContentTypeParser(types, (_request, payload, done) => done(null, payload));
    for (const route of table.routes) {
      addRoute(instance, table, route.path, (path) => (path.endsWith(route.path) ? route : undefined));
    }
    // Fastify only decodes a plus sign in a path segment with a name. Only paths of modules contain one.
    for (const before of new Set(table.routes.flatMap(({ path }) => /^[^+]*(?=\+)/.exec(path) ?? []))) {
      const folder = before.slice(0, before.lastIndexOf('/') + 1);
      addRoute(instance, table, `${before}:module(^\\+.+$)`, (path) =>
        table.find(folder + path.slice(path.lastIndexOf('/') + 1)),
      );
    }
  };

/**
 * Registers the routes encapsulated, and declares `request.auth` outside, for the application's own routes. Creates a new
 * function every time, because `fp` modifies the function it is given.
 */
export const plugin = (table: RouteTable): FastifyPluginAsync<MountOptions> => {
  const mountIn: FastifyPluginAsync<MountOptions> = async (instance, { prefix = '' }) => {
    table.mount.register((instance.prefix + prefix).replace(/\/$/, ''));
    if (!instance.hasRequestDecorator('auth')) instance.decorateRequest('auth');
    await instance.register(routesPlugin(table), { prefix });
  };
  // Throws before there is a promise, whose rejection Express 4 would not handle.
  const mount: FastifyPluginAsync<MountOptions> = (instance, options) => {
    if (typeof instance.register !== 'function') throw wrongFramework('fastify');
    return mountIn(instance, options);
  };
  return fp(mount, { fastify: '5.x', name: 'oauth-query' });
};
