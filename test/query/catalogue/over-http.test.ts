import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { examplesOf } from '../../../src/core/query/describe/examples.js';
import { descendantsOf } from '../../../src/core/query/describe/module-tree.js';
import { useStarted } from '../../hosts/listen.js';
import { everyRow } from '../../rows.js';
import { authorization, startQuery } from '../fixture.js';
import { treeFor } from './fixture.js';

const host = useStarted(() =>
  startQuery(
    {
      site: { name: 'Orchard', server: 'https://wiki.example' },
      resolvePages: ({ titles }) => (titles.includes('Main Page') ? [{ pageid: 1, ns: 0, title: 'Main Page' }] : []),
    },
    {
      issuer: 'https://wiki.example',
      identify: async (request) =>
        request.header('authorization') === 'Bearer high' ? { authorization: authorization('Alice') } : undefined,
      rightsOf: () => ['apihighlimits', 'deletedhistory', 'viewmywatchlist'],
      clock: () => 1_000_000_000_000,
      random: (size) => randomBytes(size),
    },
  ),
);

const get = async (search: string, headers: Record<string, string> = {}, path = '/api') => {
  const response = await fetch(`${host.origin}${path}?${search}`, { headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

const getJson = async (query: string, headers?: Record<string, string>): Promise<unknown> =>
  JSON.parse((await get(`${query}&format=json`, headers)).text) as unknown;

describe('action=paraminfo over HTTP', () => {
  test('formatversion 1 has no false, formatversion 2 no empty flag', async () => {
    const flags = (answer: unknown) =>
      [...new Set(JSON.stringify(answer).match(/"(?:required|multi|mustExist)":[^,}]+/g))].toSorted().join();
    const query = 'action=paraminfo&modules=query%2Binfo|query%2Bsearch';
    expect(flags(await getJson(query))).toBe('"multi":"","required":""');
    expect(flags(await getJson(`${query}&formatversion=2`))).toBe(
      '"multi":false,"multi":true,"mustExist":false,"required":false,"required":true',
    );
  });

  test('limit is the limit of the caller, and so is the number of paths', async () => {
    const limits = (answer: unknown) => [...new Set(JSON.stringify(answer).match(/"limit":\d+/g))];
    const query = 'action=paraminfo&modules=query%2Ballpages';
    expect(limits(await getJson(query))).toEqual(['"limit":50']);
    expect(limits(await getJson(query, { authorization: 'Bearer high' }))).toEqual(['"limit":500']);
    const many = `action=paraminfo&modules=${Array.from({ length: 51 }, (_, i) => `query%2Bx${i}`).join('|')}`;
    expect(await getJson(many)).toMatchObject({ error: { code: 'toomanyvalues', limit: 50 } });
    expect(await getJson(many, { authorization: 'Bearer high' })).toMatchObject({ paraminfo: { helpformat: 'none' } });
  });

  test.each(['1', '2'])('everything is described in one response, formatversion %s', async (version) => {
    const { text } = await get(`action=paraminfo&modules=main|**&format=json&formatversion=${version}`);
    expect(text.length).toBeGreaterThan(90_000);
    expect(new Set(text.match(/"path":"query\+[a-z]+"/g)).size).toBe(72);
  });

  test('deprecated selectors work and cause a warning', async () => {
    expect(await getJson('action=paraminfo&querymodules=allpages|nope')).toMatchObject({
      warnings: {
        paraminfo: {
          '*': 'The parameter "querymodules" has been deprecated.\nUnrecognized value for parameter "querymodules": nope',
        },
      },
      paraminfo: { querymodules: [{ name: 'allpages', querytype: 'list' }] },
    });
  });
});

describe('action=help over HTTP', () => {
  test.each(['', 'action=help', 'action=help&modules=query%2Ballpages', 'list=allpages'])(
    '"%s" is a page',
    async (query) => {
      const { status, headers, text } = await get(query);
      expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(text).toMatch(/^<!DOCTYPE html>[^]*Orchard[^]*<\/html>\n$/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      const [, style = ''] = /<style>([^<]*)<\/style>/.exec(text) ?? [];
      const [, script = ''] = /<script>([^<]*)<\/script>/.exec(text) ?? [];
      const [styleHash, scriptHash] = [style, script].map((code) => createHash('sha256').update(code).digest('base64'));
      expect(headers.get('content-security-policy')).toContain(
        `default-src 'none'; style-src 'sha256-${styleHash}'; script-src 'sha256-${scriptHash}'; form-action 'self'`,
      );
    },
  );

  test('wrap returns it in an ordinary response', async () => {
    expect(await getJson('action=help&modules=query%2Btokens&wrap=')).toMatchObject({
      help: {
        mime: 'text/html',
        help: expect.stringMatching(/^<section[^]*<h1[^]*meta=tokens[^]*<\/section>\n$/) as unknown,
      },
    });
  });

  test('an unknown module is an error', async () => {
    expect(await getJson('action=help&modules=query%2Bnope')).toMatchObject({
      error: { code: 'badmodule', info: 'The module "query" does not have a submodule "nope".' },
    });
  });

  test('works under every name of the endpoint: all links are relative', async () => {
    const { text } = await get('action=help&modules=query', {}, '/w/api.php');
    const links = [...text.matchAll(/ href="([^"]*)"/g)].map(([, link]) => link);
    expect(links.length).toBeGreaterThan(72);
    expect(links.every((link) => link === '/' || link?.startsWith('?') || link?.startsWith('#'))).toBe(true);
  });
});

describe('every example of the help pages works unchanged', () => {
  const examples = descendantsOf(treeFor())
    .filter(({ group }) => group !== 'format')
    .flatMap((node) => examplesOf(node).map(({ query }) => query));

  test('every example of the help pages gets a response without an error or a warning', () =>
    everyRow(examples, async (query) => {
      if (query.startsWith('action=help')) return expect((await get(query)).text).toContain('<h1 ');
      const answer = await getJson(`${query}&formatversion=2&errorformat=plaintext`, { authorization: 'Bearer high' });
      expect(answer).not.toHaveProperty('errors');
      const warnings = JSON.stringify((answer as { warnings?: unknown }).warnings ?? []);
      expect(warnings).not.toMatch(/unrecognized|badvalue|missing/);
    }));
});
