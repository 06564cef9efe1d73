import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express5 from 'express';
import express4 from 'express4';
import koa3 from 'koa';
import koa2 from 'koa2';
import { expressApp } from './hosts/express.js';
import { fastifyApp } from './hosts/fastify.js';
import { koaApp, newParser, oldParser } from './hosts/koa.js';
import type { BuildApp, HostSetup } from './hosts/setup.js';

export { type Answer, basic, bearer, Client } from './hosts/client.js';
export { sendRaw } from './hosts/raw.js';
export type { HostOptions, HostSetup } from './hosts/setup.js';

const FRAMEWORKS = {
  express5: expressApp(express5),
  express4: expressApp(express4),
  koa3: koaApp(koa3, newParser),
  koa2: koaApp(koa2, oldParser),
  fastify5: fastifyApp,
} satisfies Record<string, BuildApp>;

export type FrameworkName = keyof typeof FRAMEWORKS;

/**
 * `bare`: at the root, no parser in front of us. `parser`: the host's form parser is. `prefix`: mounted under /auth.
 * `front`: as `prefix`, and requests of programs are answered before the framework sees them.
 */
export type MountName = 'bare' | 'parser' | 'prefix' | 'front';

/** A host that listens. */
export interface RunningHost {
  readonly origin: string;
  /** The issuer: the origin and the prefix. */
  readonly base: string;
  /** Everything that the host's error handler saw. */
  readonly errors: readonly unknown[];
  readonly revokeGrant: (grantId: string) => Promise<void>;
  readonly forgetConsent: (sub: string, client_id: string) => Promise<void>;
  close(): Promise<void>;
}

export interface Host {
  readonly name: `${FrameworkName} ${MountName}`;
  readonly framework: FrameworkName;
  readonly mount: MountName;
  start(setup?: HostSetup): Promise<RunningHost>;
}

const start = async (framework: FrameworkName, mount: MountName, setup: HostSetup): Promise<RunningHost> => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The issuer has to be known before the app can be built, so the port comes first.
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // It listens on a port and not on a pipe.
  const prefix = mount === 'prefix' || mount === 'front' ? '/auth' : '';
  const base = origin + prefix;
  const options = typeof setup.options === 'function' ? setup.options(base) : setup.options;
  const errors: unknown[] = [];
  const app = await FRAMEWORKS[framework]({
    options: { issuer: base, ...options },
    guarded: setup.guarded ?? { profile: { scope: 'profile' } },
    prefix,
    parserInFront: mount === 'parser',
    errors,
  });
  server.on('request', mount === 'front' ? app.front(app.listener) : app.listener);
  return {
    origin,
    base,
    errors,
    revokeGrant: app.revokeGrant,
    forgetConsent: app.forgetConsent,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await app.close();
    },
  };
};

const host = (framework: FrameworkName, mount: MountName): Host => ({
  name: `${framework} ${mount}`,
  framework,
  mount,
  start: (setup = {}) => start(framework, mount, setup),
});

const FRAMEWORK_NAMES = Object.keys(FRAMEWORKS) as FrameworkName[]; // Its own keys.

/** Each framework in each version that we support, with each way to mount. */
export const everyHost: readonly Host[] = [
  ...FRAMEWORK_NAMES.flatMap((framework) =>
    (['bare', 'parser', 'prefix'] as const).map((mount) => host(framework, mount)),
  ),
  // What stands in front knows no framework, but what it leaves to them must still arrive.
  ...(['express5', 'koa3', 'fastify5'] as const).map((framework) => host(framework, 'front')),
];

/** One host of each kind, for what does not depend on it. */
export const oneHostEach: readonly Host[] = [
  host('express5', 'bare'),
  host('koa3', 'parser'),
  host('fastify5', 'prefix'),
];
