import express5 from 'express';
import express4 from 'express4';
import koa3 from 'koa';
import koa2 from 'koa2';
import { afterAll, expect } from 'vitest';
import type { Issue } from '../src/core/oauth/owners/issue.js';
import type { OwnerGrants } from '../src/core/oauth/owners/owner-grants.js';
import type { Owners } from '../src/core/oauth/owners/owners.js';
import { expressApp } from './hosts/express.js';
import { fastifyApp } from './hosts/fastify.js';
import { koaApp, newParser, oldParser } from './hosts/koa.js';
import { endWithTest, listen, useStarted } from './hosts/listen.js';
import { nodeApp } from './hosts/node.js';
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
  node: nodeApp,
  // Loaded where it is used: few suites need the bridge that it stands behind.
  fetch: async (setup) => (await import('./hosts/fetch.js')).fetchApp(setup),
} satisfies Record<string, BuildApp>;

export type FrameworkName = keyof typeof FRAMEWORKS;

/** `bare`: at the root, no parser in front of us. `parser`: the host's form parser is. `prefix`: mounted under /auth. */
export type MountName = 'bare' | 'parser' | 'prefix';

/** A host that listens. It is closed at the end of the test that started it. */
export interface RunningHost {
  readonly origin: string;
  /** The issuer: the origin and the prefix. */
  readonly base: string;
  /** Everything that reached the host's error handler. */
  readonly errors: readonly unknown[];
  readonly grants: OwnerGrants;
  readonly issue: Issue;
  readonly owners: Owners;
  close(): Promise<void>;
}

export interface Host {
  readonly name: `${FrameworkName} ${MountName}`;
  readonly framework: FrameworkName;
  readonly mount: MountName;
  start(setup?: HostSetup): Promise<RunningHost>;
}

const start = async (framework: FrameworkName, mount: MountName, setup: HostSetup): Promise<RunningHost> => {
  // The issuer has to be known before the app can be built, so the port comes first.
  const { server, origin, close } = await listen();
  const prefix = mount === 'prefix' ? '/auth' : '';
  const base = origin + prefix;
  const options = typeof setup.options === 'function' ? setup.options(base) : setup.options;
  const errors: unknown[] = [];
  const app = await FRAMEWORKS[framework]({
    options: setup.withoutIssuer === true ? { ...options } : { issuer: base, ...options },
    guarded: setup.guarded ?? { profile: { scope: 'profile' } },
    prefix,
    parserInFront: mount === 'parser',
    errors,
  });
  server.on('request', app.listener);
  const end = async (): Promise<void> => {
    close();
    await app.close();
  };
  endWithTest(end);
  return { origin, base, errors, grants: app.grants, issue: app.issue, owners: app.owners, close: end };
};

const host = (framework: FrameworkName, mount: MountName): Host => ({
  name: `${framework} ${mount}`,
  framework,
  mount,
  start: (setup = {}) => start(framework, mount, setup),
});

/**
 * A host that listens from before the tests of a suite until after them.
 *
 * @param errors - Those of a fixture. If it is given, there must be none at the end, and none that reached the framework.
 */
export const useHost = (
  { start: begin }: Pick<Host, 'start'>,
  setup: HostSetup = {},
  errors?: readonly unknown[],
): RunningHost => {
  const running = useStarted(() => begin(setup));
  if (errors !== undefined) afterAll(() => expect([...errors, ...running.errors]).toEqual([]));
  return running;
};

/** Each framework in each version that we support, with each way to mount. */
export const everyHost: readonly Host[] = (['express5', 'express4', 'koa3', 'koa2', 'fastify5'] as const).flatMap(
  (framework) => (['bare', 'parser', 'prefix'] as const).map((mount) => host(framework, mount)),
);

/** With the hosts that have no framework: where messages, bodies, mounting and guards are the subject. */
export const everyTransport: readonly Host[] = [
  ...everyHost,
  host('node', 'bare'),
  host('node', 'parser'),
  host('node', 'prefix'),
  host('fetch', 'bare'),
  host('fetch', 'prefix'),
];

/** Each framework in each version and each host without one, with the ways to mount spread over them. */
export const eachFramework: readonly Host[] = [
  host('express5', 'bare'),
  host('express4', 'prefix'),
  host('koa3', 'parser'),
  host('koa2', 'prefix'),
  host('fastify5', 'prefix'),
  host('node', 'parser'),
  host('fetch', 'bare'),
];

/** One host of each kind, for what does not depend on it. */
export const oneHostEach: readonly [Host, Host, Host] = [
  host('express5', 'bare'),
  host('koa3', 'parser'),
  host('fastify5', 'prefix'),
];

/**
 * One host for a suite whose subject is not the host: another one for each suite, so that together they run on all of them. What we
 * answer does not depend on the host, which `adapters/same-bytes.test.ts` proves.
 *
 * @param suite - `import.meta.url` of the suite.
 */
export const hostFor = (suite: string): readonly [Host] => {
  const name = suite.slice(suite.lastIndexOf('/') + 1);
  const index = [...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % everyHost.length;
  return [everyHost[index] ?? expect.fail()];
};
