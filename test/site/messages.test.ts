import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { walk } from '../content/support/walk.js';
import { entries, type Entry, type RunningSite, startSite } from './support/running-site.js';

const page = (
  title: string,
  id: number,
  text: string,
): string => `<page><title>MediaWiki:${title}</title><ns>8</ns><id>${id}</id>
<revision><id>${id}</id><timestamp>2024-01-01T00:00:00Z</timestamp><contributor><username>Alice</username><id>1</id></contributor>
<model>wikitext</model><format>text/x-wiki</format><text>${text}</text></revision></page>`;

const many = Array.from({ length: 600 }, (_, i) => page(`Z${String(i).padStart(3, '0')}`, 100 + i, 'z'));
const EXPORT = `<mediawiki xml:lang="en">
<siteinfo><sitename>Orchard</sitename><base>https://orchard.example/wiki/Start_page</base>
<namespaces><namespace key="8" case="first-letter">MediaWiki</namespace></namespaces></siteinfo>
${page('Sitenotice', 1, 'Welcome, $1 and $2')}${page('Sitenotice/de', 2, 'Willkommen')}${page('Empty', 3, '')}${page('Copyright', 4, 'Ours')}
${many.join('')}</mediawiki>`;

let site: RunningSite;
beforeAll(async () => {
  site = await startSite(async (folder) => {
    writeFileSync(join(folder, 'messages.xml'), EXPORT);
    return join(folder, 'messages.xml');
  });
});
afterAll(() => site.close());

const ask = async (params: Readonly<Record<string, string>>) => {
  const given = Object.fromEntries(Object.entries(params).map(([name, value]) => [`am${name}`, value]));
  const answer = await site.query({ meta: 'allmessages', ...given });
  expect(site.failures).toEqual([]);
  return { ...answer, messages: entries(answer.query?.['allmessages']) };
};
const message = (name: string, more: object) => ({ name, normalizedname: name, ...more });

test.each<[title: string, params: Record<string, string>, messages: readonly object[]]>([
  [
    'what there is, what there is not, and what follows from the site, in order',
    { messages: 'Sitenotice|nowhere to be found|mainpage|empty' },
    [
      message('empty', { content: '' }),
      message('mainpage', { content: 'Start page' }),
      message('nowhere_to_be_found', { missing: true }),
      message('sitenotice', { content: 'Welcome, $1 and $2' }),
    ],
  ],
  ['arguments', { messages: 'sitenotice', args: 'Bob' }, [message('sitenotice', { content: 'Welcome, Bob and $2' })]],
  ['another language', { messages: 'sitenotice', lang: 'de' }, [message('sitenotice', { content: 'Willkommen' })]],
  ['a language without', { messages: 'copyright', lang: 'fr' }, [message('copyright', { content: 'Ours' })]],
  ['names alone', { messages: 'copyright', nocontent: '' }, [message('copyright', {})]],
  [
    'defaults',
    { messages: 'copyright|mainpage', prop: 'default', nocontent: '' },
    [message('copyright', { defaultmissing: true }), message('mainpage', { default: 'Start page' })],
  ],
  [
    'those that the site has changed',
    { messages: 'copyright|mainpage', customised: 'modified' },
    [message('copyright', { customised: true, content: 'Ours' })],
  ],
  [
    'those that it has not',
    { messages: 'copyright|mainpage', customised: 'unmodified' },
    [message('mainpage', { customised: false, content: 'Start page' })],
  ],
  [
    'a part of the name',
    { messages: 'copyright|sitenotice', filter: 'noti', nocontent: '' },
    [message('sitenotice', {})],
  ],
  ['a beginning', { prefix: 'cop' }, [message('copyright', { content: 'Ours' })]],
  [
    'between two names, all of them',
    { from: 'copy', to: 'f' },
    [message('copyright', { content: 'Ours' }), message('empty', { content: '' })],
  ],
])('%s', async (_title, params, messages) => {
  expect((await ask(params)).messages).toEqual(messages);
});

test('all messages, without other languages, in parts without gaps or repetitions', async () => {
  const answers = await walk((params) => site.query(params), { meta: 'allmessages' });
  const names = answers.flatMap(({ query }) =>
    entries((query as Entry)['allmessages']).map(({ name }) => String(name)),
  );
  expect(names).toHaveLength(603);
  expect(new Set(names).size).toBe(603);
  expect(names.slice(0, 3)).toEqual(['copyright', 'empty', 'sitenotice']);
});

test('a request for parsed messages is told that they are not parsed', async () => {
  const { messages, ...answer } = await ask({ messages: 'copyright', enableparser: '' });
  expect(messages).toHaveLength(1);
  expect(answer).toMatchObject({ warnings: { allmessages: { warnings: expect.stringContaining('without parsing') } } });
});
