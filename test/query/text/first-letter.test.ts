import { expect, test } from 'vitest';
import { resolveSite } from '../../../src/core/query/site/site.js';
import { parseTitle } from '../../../src/core/query/site/title.js';
import { everyRow } from '../../rows.js';

test('the first letter of a title is in title case, by the language of the site', () =>
  everyRow(
    [
      ['en', 'apple', 'Apple'],
      ['en', 'éclair', 'Éclair'],
      ['en', 'ążuolas', 'Ążuolas'],
      ['en', '\u{10428}x', '\u{10400}x'],
      // A digraph has a title case of its own.
      ...['\u01c4', '\u01c5', '\u01c6'].map((letter) => ['hr', `${letter}ep`, '\u01c5ep'] as const),
      ...['\u01c7', '\u01c8', '\u01c9'].map((letter) => ['hr', `${letter}eto`, '\u01c8eto'] as const),
      ...['\u01ca', '\u01cb', '\u01cc'].map((letter) => ['hr', `${letter}iva`, '\u01cbiva'] as const),
      ...['\u01f1', '\u01f2', '\u01f3'].map((letter) => ['hu', `${letter}o`, '\u01f2o'] as const),
      // Georgian has an upper case for whole words only.
      ['ka', 'თბილისი', 'თბილისი'],
      ['ka', '\u10ff', '\u10ff'],
      ['ka', 'ᲗᲑᲘᲚᲘᲡᲘ', 'ᲗᲑᲘᲚᲘᲡᲘ'],
      ['el', '\u1f80x', '\u1f88x'],
      ['el', '\u1f97x', '\u1f9fx'],
      ['el', '\u1fa7x', '\u1fafx'],
      ['el', '\u1fb3x', '\u1fbcx'],
      ['el', '\u1fc3x', '\u1fccx'],
      ['el', '\u1ff3x', '\u1ffcx'],
      ['el', '\u1f88x', '\u1f88x'],
      // One letter never becomes two.
      ...[...'ßŉǰΐΰևẖẗẘẙẚὐﬀﬁﬂﬃﬄﬅﬆﬓﬔﬕﬖﬗ'].map((letter) => ['de', `${letter}x`, `${letter}x`] as const),
      ...['tr', 'TR', 'gag', 'kiu', 'lzz', 'az', 'kaa'].map((language) => [language, 'izmir', 'İzmir'] as const),
      ...['en', 'nl', 'lt', 'crh', 'kk'].map((language) => [language, 'izmir', 'Izmir'] as const),
      ...['tr', 'az', 'en'].map((language) => [language, 'ılgaz', 'Ilgaz'] as const),
      ['nl', 'ijsland', 'Ijsland'],
      ['hi', 'हिन्दी', 'हिन्दी'],
      // Titles are in normalization form C, without marks of direction; other marks stay.
      ['vi', 'đa\u0300 Na\u0306\u0303ng', 'Đà Nẵng'],
      ['ko', '\u1109\u1165\u110b\u116e\u11af', '서울'],
      ['ar', '\u200fالقاهرة\u202c', 'القاهرة'],
      ['fa', 'کتاب\u200cخانه', 'کتاب\u200cخانه'],
      ['en', '❤\ufe0f\u200d\u{1f525}', '❤\ufe0f\u200d\u{1f525}'],
    ] as const,
    ([language, text, expected]) => {
      expect(parseTitle(text, resolveSite({ language }))).toMatchObject({ kind: 'local', text: expected });
    },
  ));

test('a title with a long row of marks is refused, because composing it takes quadratic time', () => {
  const title = parseTitle(`a${'\u0301\u0323'.repeat(20_000)}`, resolveSite());
  expect(title).toMatchObject({ kind: 'invalid', reason: expect.stringContaining('marks') });
});
