import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Template } from '../../../src/core/pages.js';
import { query } from '../../../src/core/query/index.js';
import { clearInBackground } from '../../../src/stores/clearing.js';
import { type Answer, basic, bearer, Client, hostFor, type HostOptions, type RunningHost } from '../../hosts.js';
import { everyRow } from '../../rows.js';
import { Browser } from '../support/browser.js';
import { fixture } from '../support/fixture.js';
import { Flows, refusal } from '../support/tokens.js';

/** How a function of the host goes wrong. It counts how often, where the test may count. */
type Fail = () => never;

/** What no answer may say. */
const REASON = 'a reason of the host';

const FAILURES: Readonly<Record<string, () => unknown>> = {
  throws: () => {
    throw new Error(REASON);
  },
  rejects: () => Promise.reject(new Error(REASON)),
  'rejects later': async () => {
    await turn();
    throw new Error(REASON);
  },
  // Such as a query of a database library, which begins when it is awaited.
  'rejects without being a promise': () => new Query(),
};

class Query {
  // oxlint-disable-next-line unicorn/no-thenable -- This is what is tested.
  then(_done: unknown, failed: (reason: Error) => void): void {
    setImmediate(failed, new Error(REASON));
  }
}

const AUTHORIZE = { response_type: 'code', client_id: 'web', scope: 'profile' } as const;

interface Case {
  readonly name: string;
  /** @param fail - Fails in the way that is tried. */
  readonly options: (fail: Fail) => HostOptions;
  readonly act: (host: RunningHost) => Promise<Answer>;
  /** The status of the answer. */
  readonly status: number;
  /** What stands in the answer, or in its address. */
  readonly says?: string;
}

const token = ({ base }: RunningHost): Promise<Answer> =>
  new Client(base).post('/oauth/token', 'grant_type=client_credentials', basic('service', 'service-secret'));
const page = (host: RunningHost): Promise<Answer> => new Browser(host).authorize(AUTHORIZE);
const signIn = async (host: RunningHost): Promise<Answer> => {
  const browser = new Browser(host);
  return browser.signIn(await browser.authorize(AUTHORIZE));
};
const api = async (host: RunningHost, query: string): Promise<Answer> => {
  const { access_token } = await new Flows(host).ownTokens();
  return new Client(host.base).get(`/api?action=query&format=json&${query}`, bearer(access_token));
};

const REDIRECTED = { status: 302, says: 'error=server_error' } as const;
/** A template that fails for one page, and leaves the others. */
const only =
  (name: string, fail: Fail): Template =>
  ({ page }) =>
    page === name ? fail() : undefined;

const CASES: readonly Case[] = [
  { name: 'onEvent', options: (fail) => ({ onEvent: fail }), act: token, status: 200 },
  {
    name: 'onWarning',
    options: (fail) => ({ onWarning: fail, grants: ['client_credentials', 'implicit'] }),
    act: token,
    status: 200,
  },
  {
    name: 'clients.find',
    options: (fail) => ({ clients: { find: fail } }),
    act: token,
    status: 503,
    says: 'temporarily_unavailable',
  },
  { name: 'clients.find, for people', options: (fail) => ({ clients: { find: fail } }), act: page, status: 503 },
  { name: 'owner', options: (fail) => ({ owner: fail, loginUrl: '/login' }), act: page, ...REDIRECTED },
  { name: 'loginUrl', options: (fail) => ({ owner: () => undefined, loginUrl: fail }), act: page, ...REDIRECTED },
  {
    name: 'users.authenticate',
    options: (fail) => ({ users: { authenticate: fail } }),
    act: signIn,
    status: 303,
    says: 'error=server_error',
  },
  {
    name: 'users.isActive',
    options: (fail) => ({ users: { authenticate: () => ({ sub: 'alice' }), isActive: fail } }),
    act: signIn,
    status: 303,
    says: 'error=server_error',
  },
  {
    name: 'validateGrant',
    options: (fail) => ({ validateGrant: fail }),
    act: async (host) => {
      const flows = new Flows(host);
      const first = await flows.redeem('web', await flows.code('web'));
      return first.status === 200 ? flows.refresh('web', String(first.json['refresh_token'])) : first;
    },
    status: 500,
    says: 'server_error',
  },
  { name: 'template of login', options: (fail) => ({ template: only('login', fail) }), act: page, ...REDIRECTED },
  { name: 'template of consent', options: (fail) => ({ template: only('consent', fail) }), act: signIn, ...REDIRECTED },
  {
    name: 'template of error',
    options: (fail) => ({ template: only('error', fail) }),
    act: (host) => new Browser(host).authorize({ ...AUTHORIZE, client_id: 'nobody' }),
    status: 500,
  },
  {
    name: 'query.rights',
    options: (fail) => ({ features: [query({ rights: fail })] }),
    act: (host) => api(host, 'meta=userinfo'),
    status: 503,
  },
  {
    name: 'a query handler',
    options: (fail) => ({ features: [query({ modules: { allpages: fail } })] }),
    act: (host) => api(host, 'list=allpages'),
    status: 200,
    says: 'could not answer',
  },
  {
    name: 'query.resolvePages',
    options: (fail) => ({ features: [query({ resolvePages: fail })] }),
    act: (host) => api(host, 'titles=A'),
    status: 200,
    says: 'internal_api_error',
  },
  {
    name: 'jwt',
    options: (fail) => ({ jwt: fail }),
    act: token,
    status: 503,
    says: 'temporarily_unavailable',
  },
];

const unhandled: unknown[] = [];
const remember = (reason: unknown): void => void unhandled.push(reason);
beforeAll(() => void process.on('unhandledRejection', remember));
afterAll(() => void process.off('unhandledRejection', remember));
afterEach(async () => {
  await turn();
  await turn();
  expect(unhandled.splice(0)).toEqual([]);
});

describe.each(hostFor(import.meta.url))('$name: a function of the application', (host) => {
  const cases = CASES.flatMap((one) => Object.keys(FAILURES).map((way) => ({ ...one, way })));

  test('that fails gets a response, and its error reaches onError once', () =>
    everyRow(cases, async ({ options, act, status, says, way }) => {
      let failures = 0;
      const fail = (): never => {
        failures += 1;
        return FAILURES[way]?.() as never; // Whatever its type promises: it goes wrong.
      };
      const changes = options(fail);
      const { options: usual, errors } = fixture();
      const { users, ...rest } = usual;
      const running = await host.start({ options: { ...rest, ...(!('owner' in changes) && { users }), ...changes } });
      const answer = await act(running);
      await turn();
      await turn();
      expect([answer.status, failures > 0, errors.length]).toEqual([status, true, failures]);
      expect(`${JSON.stringify(answer.headers)} ${answer.text}`.replaceAll('+', ' ')).not.toContain(REASON);
      if (says !== undefined) expect(`${answer.headers.location ?? ''} ${answer.text}`).toContain(says);
      expect(running.errors).toEqual([]);
    }));
});

describe.each(hostFor(import.meta.url))('$name: an onError', (host) => {
  test.each(Object.entries(FAILURES))('that %s does not change a response', async (_way, fail) => {
    const complaints = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const { options } = fixture({ clients: [] });
    const find = (): never => {
      throw new Error('no registry');
    };
    const running = await host.start({ options: { ...options, clients: { find }, onError: fail, onEvent: fail } });
    const answer = await token(running);
    expect(refusal(answer)).toEqual([503, 'temporarily_unavailable']);
    expect((await page(running)).status).toBe(503);
    const guarded = await new Client(running.origin).get('/guarded/profile', bearer('x'.repeat(43)));
    expect(guarded.status).toBe(401);
    // There is no other place to report it.
    await expect.poll(() => complaints.mock.calls).not.toEqual([]);
    complaints.mockRestore();
  });
});

describe.each(Object.entries(FAILURES))('a store listener that %s', (_way, fail) => {
  test('does not stop clearing', async () => {
    let looks = 0;
    const removeBatch = (): never => {
      looks += 1;
      throw new Error('away');
    };
    const stop = clearInBackground(removeBatch, { clearEvery: 1, clearBatch: 1, onClearError: fail });
    while (looks < 3) await turn();
    stop();
  });
});
