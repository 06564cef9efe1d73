import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { query } from '../../src/core/query/index.js';
import { openApi } from '../../src/openapi/index.js';
import { sandbox } from '../../src/sandbox/index.js';
import { Client, oneHostEach, type RunningHost } from '../hosts.js';

const modules = { allpages: () => [] };
const listings = { marked: { modules }, short: { modules, unanswered: 'hidden' } } as const;
const hosts: Record<string, RunningHost> = {};
beforeAll(async () => {
  for (const [name, options] of Object.entries(listings))
    hosts[name] = await oneHostEach[0].start({
      options: { features: [query(options), openApi(), sandbox()] },
    });
});
afterAll(async () => {
  for (const host of Object.values(hosts)) await host.close();
});

const ask = async (listing: keyof typeof listings, path: string) => new Client(hosts[listing]!.base).get(path);

interface Described {
  readonly name: string;
  readonly unanswered?: true;
}

const describedBy = async (listing: keyof typeof listings): Promise<readonly Described[]> => {
  const { json } = await ask(listing, '/api?action=paraminfo&modules=query%2B*&format=json&formatversion=2');
  return (json['paraminfo'] as { modules: Described[] }).modules;
};

describe('modules without a handler', () => {
  test('are marked in paraminfo, unlike others, including built-in handlers', async () => {
    const found = await describedBy('marked');
    const marked = found.filter(({ unanswered }) => unanswered).map(({ name }) => name);
    expect(found.length).toBeGreaterThan(70);
    expect(marked).toContain('search');
    for (const name of ['allpages', 'siteinfo', 'userinfo', 'tokens']) expect(marked).not.toContain(name);
  });

  test('are marked in the help', async () => {
    const mark = 'not available on this site';
    expect((await ask('marked', '/api?action=help&modules=query%2Bsearch')).text).toContain(mark);
    expect((await ask('marked', '/api?action=help&modules=query%2Ballpages')).text).not.toContain(mark);
  });

  test('are absent from the sandbox', async () => {
    const { text } = await ask('marked', '/api/sandbox');
    const [, lists = ''] = /data-group="list">([^]*?)<\/details>/.exec(text) ?? [];
    expect(lists).toContain('<code>allpages</code>');
    expect(lists).not.toContain('<code>search</code>');
  });

  test('are left out of all three if they are hidden', async () => {
    expect((await describedBy('short')).map(({ name }) => name)).not.toContain('search');
    expect((await describedBy('short')).map(({ name }) => name)).toContain('allpages');
    expect((await ask('short', '/api?action=help&modules=query')).text).not.toContain('list=search');
    expect((await ask('short', '/api/sandbox')).text).not.toContain('<code>search</code>');
  });

  test('actions that need them are marked or omitted with them, and so is the API description', async () => {
    const described = async (listing: keyof typeof listings) => {
      const { json } = await ask(listing, '/api?action=paraminfo&modules=*&format=json&formatversion=2');
      const all = (json['paraminfo'] as { modules: Described[] }).modules;
      return all.map(({ name, unanswered }) => (unanswered ? `${name} unanswered` : name));
    };
    expect(await described('marked')).toEqual(
      expect.arrayContaining(['opensearch unanswered', 'parse unanswered', 'query']),
    );
    expect((await described('short')).filter((name) => /opensearch|parse/.test(name))).toEqual([]);
    const openapi = async (listing: keyof typeof listings) =>
      (await ask(listing, '/api/openapi.json')).json['paths'] as Record<string, { get: { description: string } }>;
    const paths = await openapi('marked');
    expect(paths['/api/query+search']?.get.description).toContain('Not available on this site.');
    expect(paths['/api/query+allpages']?.get.description).not.toContain('no answer');
    expect(Object.keys(await openapi('short'))).not.toContain('/api/query+search');
  });

  test.each(['marked', 'short'] as const)('still get the warning: %s', async (listing) => {
    const { json } = await ask(listing, '/api?action=query&list=search&srsearch=x&format=json&formatversion=2');
    expect(json['error']).toBeUndefined();
    expect(JSON.stringify(json['warnings'])).toContain('search');
  });
});
