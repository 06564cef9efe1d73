import { describe, expect, test } from 'vitest';
import { partOf } from '../../../src/mcp/part.js';
import { everyRow } from '../../rows.js';
import { type McpSite, resultsOf, startSite, useSite } from './support.js';

const repeated = (text: string, bytes: number): string => text.repeat(Math.ceil(bytes / Buffer.byteLength(text)));

/** Texts of 100,000 bytes and more, whose letters have several bytes, marks and parts. */
const TEXTS: Readonly<Record<string, string>> = {
  Latin: repeated('Zu\u0308rich liegt am See. "Ja", sagte er; die Straße ist lang.\n', 100_000),
  Chinese: repeated('北京是中华人民共和国的首都，位于华北平原。𠮷野家是连锁店', 100_000),
  Thai: repeated('กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทยน้ำ', 100_000),
  Hindi: repeated('हिन्दी भारत की भाषा है। क्षत्रिय विद्यार्थी ', 100_000),
  Pictures: repeated('👩‍👩‍👧‍👦🇨🇭🇫🇷👍🏽❤️1️⃣', 100_000),
  Hangul: repeated('한국어는 \u1112\u1161\u11ab\u1100\u116e\u11a8어 ', 100_000),
  Flags: '🇨🇭🇫🇷🇩🇪'.repeat(4_000),
  Escaped: '"\\\u0001\t'.repeat(20_000),
};

describe('the parts of a text', () => {
  const site: McpSite = useSite({
    pages: Object.entries(TEXTS).map(([title, text]) => ({ title, text: `${text}end` })),
  });

  const SIZES = [1_000, 7_777, 40_000];

  test('are within their bound in bytes, split no letter, and are the text together', async () => {
    const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
    const cases = Object.keys(TEXTS).flatMap((title) => SIZES.map((size) => [title, size] as const));
    await everyRow(cases, async ([title, size]) => {
      const text = `${TEXTS[title]}end`;
      // A walk in parts of 1,000 bytes would be long.
      const most = size === 1_000 ? 12 : Infinity;
      let met = '';
      let parts = 0;
      for await (const { data } of resultsOf(site, 'read_page', { title, max_bytes: size })) {
        expect(Buffer.byteLength(JSON.stringify(data.text))).toBeLessThanOrEqual(size + 2);
        expect(data).toMatchObject({ length: text.length, bytes: Buffer.byteLength(data.text) });
        if (title !== 'Escaped') expect(data.from).toBe(met.length);
        met += data.text;
        parts += 1;
        if (parts === most) break;
        const at = met.length;
        if (at >= text.length || title === 'Escaped') continue;
        const around = segmenter.segment(text.slice(Math.max(0, at - 60), at + 60));
        const cut = around.containing(Math.min(60, at));
        if (title !== 'Flags') expect(cut?.index, `at ${at}: ${JSON.stringify(cut?.segment)}`).toBe(Math.min(60, at));
        else expect(at % 12 === 0 || at % 4 === 0).toBe(true);
      }
      if (most === Infinity) expect(met === text.replaceAll('\u0001', '')).toBe(true);
      else expect(text.replaceAll('\u0001', '').startsWith(met)).toBe(true);
    });
  });

  test('are smaller where a line ends in the last tenth, or a sentence', () => {
    const line = `${'x'.repeat(950)}\n${'y'.repeat(100)}`;
    expect(partOf(line, 0, 1_000)).toHaveLength(951);
    expect(partOf(`${'x'.repeat(850)}\n${'y'.repeat(200)}`, 0, 1_000)).toHaveLength(999);
    expect(partOf(`${'x'.repeat(940)}. ${'y'.repeat(100)}`, 0, 1_000)).toHaveLength(942);
    expect(partOf(`${'字'.repeat(320)}。${'字'.repeat(100)}`, 0, 1_000)).toHaveLength(321);
  });

  test('go on in a row of marks that no letter has', () => {
    const marks = `a${'\u0301'.repeat(5_000)}`;
    let met = '';
    for (let parts = 0; met.length < marks.length; parts += 1) {
      expect(parts).toBeLessThan(20);
      met += partOf(marks, met.length, 1_000);
    }
    expect(met === marks).toBe(true);
  });

  test('of a section are of this section', async () => {
    const text = `Lead.\n\n== One ==\n${'word '.repeat(400)}\n=== Inner ===\nInside.\n\n== Two ==\nLast.`;
    const own = await startSite({ pages: [{ title: 'Sections', text }] });
    const read = async (section: number): Promise<string> => {
      let met = '';
      for await (const { data } of resultsOf(own, 'read_page', { title: 'Sections', section, max_bytes: 1_000 }))
        met += data.text;
      return met;
    };
    expect((await read(0)).trim()).toBe('Lead.');
    expect(await read(1)).toMatch(/^== One ==[^]*Inside\./);
    expect(await read(3)).toBe('== Two ==\nLast.');
    own.close();
  });
});

describe('search and fetch', () => {
  const site = useSite({ pages: [{ title: '1984', text: 'A year.' }, { title: 'a|b', text: '' }, ...longPage()] });

  test('search returns ids and addresses, and fetch the page of an id', async () => {
    const { result, text } = await site.call('search', { query: 'harbour' });
    expect(result.results).toEqual(result.data.search);
    expect(JSON.parse(text).results).toMatchObject([
      { id: '3', title: 'Long page', url: `${site.base}/wiki/Long_page` },
    ]);
    const found = await site.call('fetch', { id: result.results[0].id });
    expect(JSON.parse(found.text)).toMatchObject({
      ...{ id: '3', title: 'Long page', url: `${site.base}/wiki/Long_page`, more: true },
      metadata: { revid: 3, timestamp: '2000-01-01T00:00:00Z', from: 0, cursor: found.result.cursor },
    });
    let met = '';
    for await (const part of resultsOf(site, 'fetch', { id: '3' })) met += part.text;
    expect(met).toBe(longPage()[0]?.text);
  });

  test('fetch takes a title too, also one that is a number', async () => {
    await everyRow(
      [
        ['long page', '3'],
        ['1984', '1'],
        ['1', '1'],
        [2, undefined],
      ] as const,
      async ([id, expected]) => {
        const { isError, result } = await site.call('fetch', { id });
        if (expected === undefined) expect(isError).toBe(false);
        else expect(result.id).toBe(expected);
      },
    );
  });
});

function longPage() {
  return [{ title: 'Long page', text: `harbour ${'The boat is at the quay. '.repeat(2_000)}` }];
}
