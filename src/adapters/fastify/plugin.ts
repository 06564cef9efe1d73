import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { Route } from '../../core/http.js';
import { type MountedOptions, checkMount, respond } from '../node.js';
import { FastifyMessage, send } from './message.js';

/** Where the plugin is registered, as Fastify passes it on. */
export interface MountOptions {
  /** The path below which everything is mounted. */
  readonly prefix?: string;
}

const FORM = 'application/x-www-form-urlencoded';

/** The routes with a body parser of their own: it reads nothing, so that the core can, whatever the host's parsers do. */
const routesPlugin =
  (routes: readonly Route[], options: MountedOptions): FastifyPluginAsync =>
  async (instance) => {
    instance.removeAllContentTypeParsers();
    // Fastify remembers the parser of a type that has one, and searches again and again for the one for all others.
    instance.addContentTypeParser([FORM, '*'], (_request, payload, done) => done(null, payload));
    for (const route of routes) addRoute(instance, route, options);
  };

/** Content types that Fastify refuses before it asks any parser. What to answer is up to the core. */
const BEFORE_PARSING: ReadonlySet<string> = new Set([
  'FST_ERR_CTP_INVALID_MEDIA_TYPE',
  'FST_ERR_ROUTE_MISSING_CONTENT_TYPE',
]);

const addRoute = (instance: FastifyInstance, route: Route, options: MountedOptions): void => {
  const handler = (request: FastifyRequest, reply: FastifyReply): void => {
    void respond(
      () => route.handle(new FastifyMessage(request)),
      (response) => send(reply, response),
      options.onError,
    );
  };
  instance.route({
    method: [...instance.supportedMethods],
    url: route.path,
    handler,
    errorHandler: (error, request, reply) => {
      if (!BEFORE_PARSING.has(error.code)) throw error;
      handler(request, reply);
    },
  });
};

/**
 * Registers the routes encapsulated, and declares `request.auth` outside, where the host's own routes are. A fresh
 * function every time, because `fp` marks the function that it is given.
 */
export const fastifyPlugin = (routes: readonly Route[], options: MountedOptions): FastifyPluginAsync<MountOptions> => {
  const plugin: FastifyPluginAsync<MountOptions> = async (instance, { prefix = '' }) => {
    checkMount(options, instance.prefix + prefix);
    if (!instance.hasRequestDecorator('auth')) instance.decorateRequest('auth');
    await instance.register(routesPlugin(routes, options), { prefix });
  };
  return fp(plugin, { fastify: '5.x', name: 'oauth-query' });
};
