import type { RequestListener } from 'node:http';
import express from 'express';
import fastify from 'fastify';
import Koa from 'koa';
import mount from 'koa-mount';
import { dpop } from 'oauth-query/dpop';
import { oauthQuery as forExpress } from 'oauth-query/express';
import { oauthQuery as forFastify } from 'oauth-query/fastify';
import { oauthQuery as forKoa } from 'oauth-query/koa';
import { describe, expect, test } from 'vitest';
import { type Answer, Client, hostFor } from '../../hosts.js';
import { listen } from '../../hosts/listen.js';
import { ISSUER } from '../../oauth/support/nodes.js';
import { refusal } from '../../oauth/support/tokens.js';
import { guardHosts, type ResourceServer } from '../../resource-server/support/guard-hosts.js';
import { ProofMaker } from './keys.js';
import { SECRET, useSite } from './site.js';

const key = new ProofMaker();
const thief = new ProofMaker();

/** What a thief of a token sends to a route, by what it is; and the answer. */
const thefts = (
  token: string,
  iat: number,
  url: string,
): readonly (readonly [headers: Readonly<Record<string, string>>, error: string])[] => {
  const proof = (by: ProofMaker, more: object = {}) => by.proof({ method: 'GET', url, iat, token, ...more });
  const authorization = `DPoP ${token}`;
  return [
    [{ authorization: `Bearer ${token}` }, 'invalid_token'],
    [{ authorization: `Bearer ${token}`, dpop: proof(thief) }, 'invalid_token'],
    [{ authorization }, 'invalid_dpop_proof'],
    [{ authorization, dpop: proof(thief) }, 'invalid_dpop_proof'],
    // Somebody else's proofs: of another token, for another address, from another time.
    [{ authorization, dpop: proof(key, { token: `${token}x` }) }, 'invalid_dpop_proof'],
    [{ authorization, dpop: proof(key, { url: `${url}x` }) }, 'invalid_dpop_proof'],
    [{ authorization, dpop: proof(key, { method: 'POST' }) }, 'invalid_dpop_proof'],
    [{ authorization, dpop: proof(key, { iat: iat - 3600 }) }, 'use_dpop_nonce'],
    [
      { authorization, dpop: thief.proof({ ...{ method: 'GET', url, iat, token }, header: { jwk: key.jwk } }) },
      'invalid_dpop_proof',
    ],
  ];
};

describe.each(['introspection', 'jwt'] as const)('DP33, DP42 a thief at a verifier, %s', (kind) => {
  const API = 'https://photos.example/service';
  const site = useSite(hostFor(import.meta.url)[0], {}, kind === 'jwt' ? { jwt: true } : {});

  test.each(guardHosts)('on $name: nothing of a stolen token works, and its owner notices nothing', async (host) => {
    const common = {
      issuer: site.running.base,
      clock: site.fixture.clock,
      features: [dpop({ origins: [API], secret: SECRET })],
    };
    const setup =
      kind === 'jwt'
        ? { jwt: common }
        : { introspection: { ...common, credentials: { client_id: 'api', client_secret: 'api-secret' } } };
    const server: ResourceServer = await host.start(setup);
    const { access_token: token } = await site.tokens('native', key);
    const ask = (): Promise<Answer> => {
      const proof = key.proof({ method: 'GET', url: `${API}/profile`, iat: site.now, token });
      return server.client.get('/profile', { authorization: `DPoP ${token}`, dpop: proof });
    };
    const passed = await ask();
    expect(passed.json).toMatchObject({ auth: { token_type: 'DPoP', cnf: { jkt: key.jkt } } });
    // With fetch, the response is made by the application.
    if (host.name !== 'fetch') expect(passed.headers['dpop-nonce']).toMatch(/^[\w-]{22}$/);
    for (const [headers, error] of thefts(token, site.now, `${API}/profile`))
      expect(refusal(await server.client.get('/profile', headers))).toEqual([401, error]);
    expect((await ask()).status).toBe(200);
    server.close();
  });
});

test.each(guardHosts)(
  'DP36 the metadata of a resource on $name says whether its tokens must be bound',
  async (host) => {
    const resource = 'https://photos.example/api';
    const path = '/.well-known/oauth-protected-resource/api';
    const metadataWith = async (more: object): Promise<Answer['json']> => {
      const server = await host.start({ jwt: { issuer: ISSUER, resource, ...more } });
      const { json } = await server.client.get(path);
      server.close();
      return json;
    };
    expect(JSON.stringify(await metadataWith({}))).not.toContain('dpop');
    const offered = await metadataWith({ features: [dpop()] });
    expect(offered['dpop_signing_alg_values_supported']).toContain('ES256');
    expect(offered).not.toHaveProperty('dpop_bound_access_tokens_required');
    expect(await metadataWith({ features: [dpop({ required: true })] })).toMatchObject({
      dpop_bound_access_tokens_required: true,
    });
  },
);

describe('DP37 a route below others', () => {
  const options = (issuer: string) => ({
    issuer,
    secret: SECRET,
    features: [dpop({ nonce: 'off' })],
    clients: [{ client_id: 'service', client_secret: 'service-secret' }],
    scopes: { read: 'Read' },
    onWarning: () => undefined,
  });

  const apps: Readonly<Record<string, (issuer: string) => Promise<RequestListener>>> = {
    'a router and an application in Express': async (issuer) => {
      const oauth = forExpress(options(issuer));
      const inner = express();
      inner.get('/photos', oauth.guard('read'), (req, res) => void res.json(req.auth));
      return express().use(oauth).use('/api', express.Router().use('/v1', inner));
    },
    'applications in Koa': async (issuer) => {
      const oauth = forKoa(options(issuer));
      const inner = new Koa().use(oauth.guard('read')).use((ctx) => {
        ctx.body = ctx.state.auth;
      });
      const callback = new Koa()
        .use(oauth)
        .use(mount('/api', new Koa().use(mount('/v1/photos', inner))))
        .callback();
      return (req, res) => void callback(req, res);
    },
    'prefixes in Fastify': async (issuer) => {
      const oauth = forFastify(options(issuer));
      const app = fastify();
      app.register(oauth);
      app.register(
        async (outer) =>
          outer.register(
            async (inner) => inner.get('/photos', { onRequest: oauth.guard('read') }, async ({ auth }) => auth),
            { prefix: '/v1' },
          ),
        { prefix: '/api' },
      );
      await app.ready();
      return app.routing;
    },
  };

  test.each(Object.keys(apps))('%s: proofs name the path that the client sees', async (name) => {
    const { server, origin: issuer } = await listen();
    const listener = await apps[name]?.(issuer);
    if (listener !== undefined) server.on('request', listener);
    const client = new Client(issuer);
    const iat = Math.floor(Date.now() / 1000);
    const form = { grant_type: 'client_credentials', client_id: 'service', client_secret: 'service-secret' };
    const proof = key.proof({ method: 'POST', url: `${issuer}/oauth/token`, iat });
    const token = String((await client.post('/oauth/token', form, { dpop: proof })).json['access_token']);
    const ask = (url: string): Promise<Answer> =>
      client.get('/api/v1/photos?size=2', {
        authorization: `DPoP ${token}`,
        dpop: key.proof({ method: 'GET', url, iat, token }),
      });
    expect((await ask(`${issuer}/api/v1/photos`)).json).toMatchObject({ client_id: 'service', token_type: 'DPoP' });
    for (const path of ['/photos', '/v1/photos', '/']) {
      const refused = await ask(issuer + path);
      expect([refused.status, refused.json['error_description']]).toEqual([
        401,
        expect.stringContaining(`${issuer}/api/v1/photos`), // DP38
      ]);
    }
  });
});
