import { afterEach, describe, expect, test } from 'vitest';
import { oauthQuery } from '../../src/adapters/fetch/index.js';
import { ownSecrets, Seal } from '../../src/core/base/seal.js';
import { systemTimer } from '../../src/core/base/system.js';
import { createQuery } from '../../src/core/query/create-query.js';
import { catalogue, customModule, defineModule, type QueryOptions } from '../../src/core/query/index.js';
import type { QueryEnvironment } from '../../src/core/query/options.js';
import { MODULE_NAMES } from '../../src/core/query/catalogue/names.js';
import { prepareQuery } from '../../src/core/query/prepare-query.js';
import { everyRow } from '../rows.js';
import { type Host, serve } from './host.js';

const BASE = 'https://wiki.example';
const random = (size: number) => new Uint8Array(size).fill(7);

function environmentOf(more: Partial<QueryEnvironment> = {}): QueryEnvironment {
  return {
    identify: async () => undefined,
    scopeRights: () => [],
    clock: () => 0,
    random,
    secret: new Uint8Array(32),
    onError: (error) => {
      throw error;
    },
    base: BASE,
    paths: ['/api', '/w/api.php'],
    maxBodyBytes: 1000,
    timeout: 1000,
    timer: systemTimer,
    ...more,
  };
}

const mcp: QueryEnvironment['mcp'] = {
  paths: ['/mcp'],
  issuer: BASE,
  resource: `${BASE}/mcp`,
  cursorSeal: new Seal(ownSecrets(['a secret of this test, 32 characters'], BASE), 'mcp cursor', () => 0, random),
  guard: async () => ({ response: { status: 401, headers: {}, body: '' } }),
};

const hosts: Host[] = [];
afterEach(() => Promise.all(hosts.splice(0).map((host) => host.close())));

const titles = async (response: Response): Promise<unknown> => [response.status, await response.json()];

describe('the query API is loaded after the server is created', () => {
  test('simultaneous first requests get the same responses as later ones', async () => {
    const { handler } = oauthQuery({
      issuer: BASE,
      query: { modules: { allpages: () => [{ pageid: 1, ns: 0, title: 'Apple' }] } },
      onWarning: () => undefined,
    });
    const get = (path: string) => handler(new Request(`${BASE}${path}&format=json&formatversion=2`));
    const all = { batchcomplete: true, query: { allpages: [{ pageid: 1, ns: 0, title: 'Apple' }] } };
    const first = await Promise.all([
      get('/api?action=query&list=allpages'),
      get('/api/query+allpages?action=query'),
      get('/api?action=query&list=allpages'),
      get('/api/openapi.json?'),
    ]);
    expect(await Promise.all(first.slice(0, 3).map(titles))).toEqual([1, 2, 3].map(() => [200, all]));
    expect(await first[3]?.json()).toMatchObject({ openapi: '3.1.1' });
    expect(await titles(await get('/api?action=query&list=allpages'))).toEqual([200, all]);
  });

  test('an invalid option is rejected before oauthQuery returns', () =>
    everyRow(
      [
        [{ modules: { allpage: () => [] } }, /options\.query\.modules\.allpage/],
        [{ mcp: { modules: ['allpage'] } }, /options\.query\.mcp\.modules/],
        [{ site: { groups: {} } }, /options\.query\.site\.groups/],
        [{ site: { namespaces: { Portal: 'Portal' } } }, /options\.query\.site\.namespaces/],
        [{ sandbox: { client_id: 'nosuch' } }, /options\.query\.sandbox\.client_id/],
        [{ customModules: [{ descriptor: { name: 'own' } }] }, /options\.query\.customModules\[0\]/],
      ] as const,
      ([query, message]) => {
        const options: object = { issuer: BASE, query, onWarning: () => undefined };
        expect(() => oauthQuery(options)).toThrow(message);
      },
    ));

  test('it has the routes of createQuery, with any options', () => {
    const own = customModule(defineModule({ name: 'own', group: 'list', prefix: 'ow', parameters: {} }), () => []);
    const rows: readonly (readonly [QueryOptions, Partial<QueryEnvironment>])[] = [
      [{}, {}],
      [{ sandbox: false }, { base: '' }],
      [{ modules: { prefixsearch: () => [] } }, {}],
      [{ modules: { prefixsearch: () => [] } }, { base: '' }],
      [{ mcp: {} }, { mcp }],
      [{ customModules: [own] }, { paths: ['/api'] }],
    ];
    return everyRow(rows, ([options, more]) => {
      const environment = environmentOf(more);
      const paths = ({ routes }: Pick<ReturnType<typeof createQuery>, 'routes'>) => routes.map(({ path }) => path);
      expect(paths(prepareQuery(options, environment))).toEqual(paths(createQuery(options, environment)));
    });
  });

  test('MODULE_NAMES are the names of the catalogue', () => {
    expect([...MODULE_NAMES]).toEqual(Object.keys(catalogue));
  });

  test('while it cannot be loaded, requests are rejected and the reason is reported; the next request tries again', async () => {
    const errors: unknown[] = [];
    const failure = new Error('no such file');
    let isBroken = true;
    const environment = environmentOf({ onError: (error) => errors.push(error) });
    Object.defineProperty(environment, 'secret', {
      get: () => {
        if (isBroken) throw failure;
        return new Uint8Array(32);
      },
    });
    const host = await serve(prepareQuery({}, environment).routes);
    hosts.push(host);
    const get = async (): Promise<unknown> => titles(await fetch(`${host.origin}/api?action=query&format=json`));
    expect(await get()).toMatchObject([500, { error: 'server_error' }]);
    expect(errors).toEqual([failure, failure]);
    isBroken = false;
    expect(await get()).toEqual([200, { batchcomplete: '' }]);
  });
});
