import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { joinValues, splitValues } from '../../src/core/query/parameters/multi-value.js';

const MANY = 501;

describe('splitting a text into values', () => {
  test.each<[string, string[]]>([
    ['', []],
    ['\u001f', []],
    ['a', ['a']],
    ['a|b', ['a', 'b']],
    ['|a', ['', 'a']],
    ['a|', ['a', '']],
    ['|', ['', '']],
    ['\u001fa|b', ['a|b']],
    ['\u001fa|b\u001fc', ['a|b', 'c']],
    ['\u001f\u001f', ['', '']],
    [' a |A', [' a ', 'A']],
    ['a\u001fb', ['a\u001fb']],
  ])('%j', (text, values) => {
    expect(splitValues(text, MANY)).toEqual(values);
  });

  test('stops one after the maximum of any caller', () => {
    expect(splitValues('a|'.repeat(10_000), MANY)).toHaveLength(MANY);
  });
});

describe('joining values to a text', () => {
  test.each<[string[], string]>([
    [[], ''],
    [[''], '|'],
    [['a'], 'a'],
    [['a', 'b'], 'a|b'],
    [['a|b', 'c'], '\u001fa|b\u001fc'],
  ])('%j', (values, text) => {
    expect(joinValues(values)).toBe(text);
  });

  test('splitting joined values returns the same values', () => {
    const value = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\u001f'));
    fc.assert(
      fc.property(fc.array(value, { maxLength: 60 }), (values) => {
        fc.pre(!(values.length === 1 && values[0] === ''));
        expect(splitValues(joinValues(values), MANY)).toEqual(values);
      }),
    );
  });
});
