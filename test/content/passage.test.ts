import { expect, test } from 'vitest';
import { markedTitle, matcherOf, passageOf } from '../../src/content/passage.js';
import { everyRow } from '../rows.js';

/** With visible marks. */
const shown = (text: string): string => text.replaceAll('\u0001', '[').replaceAll('\u0002', ']');

test('a passage marks words, prefixes and phrases, whatever their case and diacritics', () =>
  everyRow(
    [
      [['knot'], 'A Knot, knots.', 'A [Knot], knots.'],
      [['kno*'], 'A knot, knots, unknot.', 'A [knot], [knots], unknot.'],
      [['reef knot'], 'A reef knot, a reef, a knot.', 'A [reef knot], a reef, a knot.'],
      [['reef', 'knot'], 'reef-knot', '[reef]-[knot]'],
      [['cafe'], 'Un café.', 'Un [café].'],
      [['café'], 'UN CAFE\u0301.', 'UN [CAFÉ].'],
      [['船'], '船 boat', '[船] boat'],
      [['absent'], 'Nothing is here.', 'Nothing is here.'],
      [['\u0001knot'], 'a \u0001knot', 'a [knot]'],
      [['.*'], 'a.b', 'a.b'],
    ] as const,
    async ([terms, text, expected]) => {
      expect(shown(passageOf(text, matcherOf(terms)))).toBe(expected);
    },
  ));

test('a passage is about 24 words around the first match', () => {
  const text = `${'before '.repeat(100)}knot ${'after '.repeat(100)}`;
  const passage = shown(passageOf(text, matcherOf(['knot'])));
  expect(passage).toMatch(/^…(before ){6}\[knot\]( after){18}…$/);
  expect(shown(markedTitle('Talk:Reef knot', matcherOf(['knot'])))).toBe('Talk:Reef [knot]');
});

test.each([
  ['one word', 'a'.repeat(20_000)],
  ['combining marks', `a${'\u0300'.repeat(20_000)}`],
  ['words and spaces', 'a '.repeat(10_000)],
  ['one gap', `a${' '.repeat(20_000)}`],
])('a passage of a text of %s takes little time', (_name, text) => {
  const before = process.cpuUsage();
  passageOf(text, matcherOf(['a b', 'a*', 'a a a a b', 'aa*']));
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(500);
});
