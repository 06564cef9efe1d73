import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { contentQuery, memoryContent } from '../../src/content/index.js';
import { useStarted } from '../hosts/listen.js';
import { everyRow } from '../rows.js';
import { type Answered, startQuery } from './fixture.js';

const host = useStarted(() => startQuery({ modules: { allpages: () => [{ pageid: 1, ns: 0, title: 'Apple' }] } }));

const ask = (more: string): Promise<Answered> => host.raw(`action=query&list=allpages&formatversion=2&${more}`);
const plain = { batchcomplete: true, query: { allpages: [{ pageid: 1, ns: 0, title: 'Apple' }] } };

/** What comes, by what is asked for: the beginning of each line of the list in docs/query.md. */
const ROWS: Readonly<Record<string, () => Promise<void>>> = {
  '`format=php`, `format=phpfm`, `format=rawfm`': async () => {
    for (const format of ['php', 'phpfm', 'rawfm']) {
      const { headers, json } = await ask(`format=${format}`);
      expect(headers.get('mediawiki-api-error')).toBe('badvalue');
      expect(json['error']).toMatchObject({ info: `Unrecognized value for parameter "format": ${format}.` });
    }
  },
  '`uselang`, `errorlang`, `errorsuselocal`': async () => {
    const { json } = await ask(
      'format=json&uselang=de&errorlang=fr&errorsuselocal=&errorformat=plaintext&responselanginfo=&aplimit=x',
    );
    expect(json).toMatchObject({
      errors: [{ code: 'badinteger', text: 'Invalid value "x" for integer parameter "aplimit".' }],
      uselang: 'en',
      errorlang: 'en',
    });
    expect(json['warnings']).toBeUndefined();
  },
  '`variant`': async () => expect((await ask('format=json&variant=zh-tw')).json).toEqual(plain),
  '`rvparse`, `rvexpandtemplates`, `rvgeneratexml` (deprecated), of a content source': async () => {
    const site = await startQuery(contentQuery(memoryContent([{ title: 'Apple', text: "''red''" }])));
    try {
      for (const name of ['rvparse', 'rvexpandtemplates', 'rvgeneratexml']) {
        const params = `titles=Apple&prop=revisions&rvprop=content&${name}=1`;
        const { json } = await site.raw(`action=query&format=json&formatversion=2&${params}`);
        expect(JSON.stringify(json['query'])).toContain("''red''");
        expect(JSON.stringify(json['warnings'])).toContain('Use action=parse for HTML.');
      }
    } finally {
      await site.close();
    }
  },
  '`smaxage`': async () => {
    const cached = async (more: string) => (await ask(`format=json&${more}`)).headers.get('cache-control');
    expect(await cached('smaxage=600')).toBe('private, must-revalidate, max-age=0');
    expect(await cached('smaxage=600&maxage=60')).toBe('private, must-revalidate, max-age=60');
  },
  '`action=edit` and all actions but `query`, `opensearch`, `parse`, `compare`, `paraminfo` and `help`': async () => {
    for (const action of ['edit', 'login', 'sparql']) {
      const { json } = await host.raw(`action=${action}&format=json`);
      expect(json['error']).toMatchObject({ code: 'badvalue' });
    }
  },
};

describe('unsupported features', () => {
  test('docs/query.md lists exactly the features tested here', () => {
    const document = readFileSync(fileURLToPath(new URL('../../docs/query.md', import.meta.url)), 'utf8');
    const [, section = ''] = document.split('\n## Unsupported features\n');
    const list = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('- `'));
    expect(list.map((line) => line.split(': ')[0]?.slice(2))).toEqual(Object.keys(ROWS));
  });

  test('each row of that document is correct', () => everyRow(Object.entries(ROWS), ([, holds]) => holds()));
});
