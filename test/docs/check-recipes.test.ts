import { once } from 'node:events';
import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import 'reflect-metadata';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import express from 'express';
import type * as GraphQL from 'graphql';
import { createClient } from 'graphql-ws';
import passport from 'passport';
import { Server as SocketServer } from 'socket.io';
import { io as connect } from 'socket.io-client';
import { beforeAll, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { subscriptions } from '../../examples/check/graphql.js';
import { TokenStrategy } from '../../examples/check/passport.js';
import { photoSockets } from '../../examples/check/web-socket.js';
import { oauthQuery as create } from '../../src/adapters/express/index.js';
import type { TokenCheck } from '../../src/resource-server/index.js';
import { memoryStore } from '../../src/stores/memory.js';
import { bearer, Client } from '../hosts.js';
import { listen } from '../hosts/listen.js';
import { moduleIn } from './guide.js';

const options = {
  store: memoryStore(),
  issuer: 'http://127.0.0.1:3000',
  secret: 'a secret of at least 32 characters',
  clients: [{ client_id: 'spa', redirect_uris: ['https://spa.example/cb'], scope: 'photos.read profile' }],
  scopes: { 'photos.read': 'See', profile: 'Name' },
  users: [{ username: 'alice', password: 'wonderland' }],
  onWarning: () => undefined,
};
const oauth = create(options);

/** The recipes of docs/guard.md and examples/check. */
interface Recipes {
  photoSockets(server: Server, check: TokenCheck): WebSocketServer;
  subscriptions(sockets: WebSocketServer, schema: GraphQL.GraphQLSchema, check: TokenCheck): unknown;
  protectSockets(io: SocketServer, check: TokenCheck): void;
  TokenStrategy: new (check: TokenCheck) => passport.Strategy;
}

let recipes: Recipes;
let live: string;
let narrow: string;

const tokenFor = async (scope: 'photos.read' | 'profile'): Promise<string> =>
  (await oauth.issue({ sub: 'alice', client_id: 'spa', scope })).access_token;

beforeAll(async () => {
  const { protectSockets } = await moduleIn<Pick<Recipes, 'protectSockets'>>('docs/guard.md', 'protectSockets');
  recipes = { photoSockets, subscriptions, protectSockets, TokenStrategy };
  [live, narrow] = await Promise.all([tokenFor('photos.read'), tokenFor('profile')]);
});

test('the recipe for ws: a stranger gets no connection, and a revoked token ends one', async () => {
  const { server, port } = await listen();
  const sockets = recipes.photoSockets(server, oauth.check);
  const address = `ws://127.0.0.1:${port}`;
  const refusedWith = async (headers: Record<string, string>): Promise<unknown[]> => {
    const socket = new WebSocket(address, { headers });
    socket.on('error', () => undefined);
    const [, answer] = (await once(socket, 'unexpected-response')) as [unknown, import('node:http').IncomingMessage];
    answer.destroy();
    return [answer.statusCode, answer.headers['www-authenticate']];
  };
  expect(await refusedWith({})).toEqual([401, 'Bearer realm="oauth"']);
  expect(await refusedWith(bearer('nonsense'))).toEqual([401, expect.stringContaining('error="invalid_token"')]);
  expect(await refusedWith(bearer(narrow))).toEqual([403, expect.stringContaining('scope="photos.read"')]);

  const token = await tokenFor('photos.read');
  const socket = new WebSocket(address, { headers: bearer(token) });
  await once(socket, 'open');
  socket.send('hello');
  expect(String((await once(socket, 'message'))[0])).toBe('alice said hello');
  await oauth.grants.revoke({ sub: 'alice', client_id: 'spa' });
  socket.send('still here?');
  expect((await once(socket, 'close'))[0]).toBe(4401);
  sockets.close();
  [live, narrow] = await Promise.all([tokenFor('photos.read'), tokenFor('profile')]);
});

test('the recipe for graphql-ws: an operation needs a token', async () => {
  // The copy that Node loads for graphql-ws: Vite would load another one.
  const { buildSchema } = createRequire(import.meta.url)('graphql') as typeof GraphQL;
  const schema = buildSchema('type Query { hello: String }');
  const { server, port } = await listen();
  const sockets = new WebSocketServer({ server, path: '/graphql' });
  recipes.subscriptions(sockets, schema, oauth.check);
  const url = `ws://127.0.0.1:${port}/graphql`;
  const ask = async (token: string | undefined): Promise<unknown> => {
    const client = createClient({ url, webSocketImpl: WebSocket, connectionParams: { token }, retryAttempts: 0 });
    try {
      const { value } = await client.iterate({ query: '{ __typename }' }).next();
      return value.data;
    } catch (error) {
      return (error as { code?: number }).code;
    } finally {
      await client.dispose();
    }
  };
  expect(await ask(live)).toEqual({ __typename: 'Query' });
  expect(await ask(undefined)).toBe(4403);
  expect(await ask(narrow)).toBe(4403);
  sockets.close();
});

test('the recipe for Socket.IO: a connection needs a token', async () => {
  const { server, origin: url } = await listen();
  const io = new SocketServer(server);
  recipes.protectSockets(io, oauth.check);
  io.on('connection', (socket) => socket.emit('hello', (socket.data as { auth: { sub: string } }).auth.sub));
  const answer = (token: unknown): Promise<unknown> =>
    new Promise((resolve) => {
      const socket = connect(url, { auth: { token }, reconnection: false, forceNew: true });
      const end = (result: unknown): void => {
        socket.close();
        resolve(result);
      };
      socket.on('hello', end);
      socket.on('connect_error', (error) => end((error as Error & { data?: unknown }).data));
    });
  expect(await answer(live)).toBe('alice');
  expect(await answer(undefined)).toEqual({});
  expect(await answer({ $ne: 1 })).toEqual({ error: 'invalid_token' });
  expect(await answer(narrow)).toEqual({ error: 'insufficient_scope' });
  await io.close();
});

/** @param insufficient - The challenge of a token without the scope. */
const expectGuarded = async (origin: string, insufficient: unknown): Promise<void> => {
  const site = new Client(origin);
  const ask = async (headers: Record<string, string>) => {
    const { status, text, headers: sent } = await site.get('/photos', headers);
    return [status, status === 200 ? text : sent['www-authenticate']];
  };
  expect(await ask(bearer(live))).toEqual([200, 'alice']);
  expect(await ask({})).toEqual([401, 'Bearer realm="oauth"']);
  expect(await ask(bearer(narrow))).toEqual([403, insufficient]);
};

test('with the module for NestJS, a method does not run that its own guard refuses', async () => {
  const { OAUTH, OAuthQueryModule, RequireScope } = await import('../../examples/nest/oauth-query.module.js');

  const calls: string[] = [];
  class Photos {
    remove(): string {
      calls.push('remove');
      return 'removed';
    }
  }
  const remove = Object.getOwnPropertyDescriptor(Photos.prototype, 'remove');
  if (remove === undefined) throw new Error('unreachable');
  Get()(Photos.prototype, 'remove', remove);
  RequireScope('profile')(Photos.prototype, 'remove', remove);
  Controller('photos')(Photos);
  RequireScope('photos.read')(Photos);
  class Site {}
  Module({ imports: [OAuthQueryModule.forRoot(options)], controllers: [Photos] })(Site);
  const app = await NestFactory.create(Site, { logger: false });
  app.use(app.get(OAUTH));
  await app.listen(0, '127.0.0.1');
  const site = new Client(await app.getUrl());
  const both = (await oauth.issue({ sub: 'alice', client_id: 'spa', scope: ['photos.read', 'profile'] })).access_token;
  expect((await site.get('/photos', bearer(live))).status).toBe(403);
  expect(calls).toEqual([]);
  expect((await site.get('/photos', bearer(both))).text).toBe('removed');
  await app.close();
});

test('the recipe for Passport protects a route', async () => {
  const app = express();
  passport.use(new recipes.TokenStrategy(oauth.check));
  app.get('/photos', passport.authenticate('token', { session: false }), (req, res) => {
    res.type('text').send((req.user as unknown as { sub: string }).sub);
  });
  // Passport sends challenges with 401 only.
  await expectGuarded((await listen(app)).origin, undefined);
});
