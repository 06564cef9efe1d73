import { describe, expect, test } from 'vitest';
import type { UserSubtype } from '../../../src/core/query/descriptor/descriptor.js';
import { everyRow } from '../../rows.js';
import { parseOne, refusal } from './parse-one.js';

const EVERY: readonly UserSubtype[] = ['name', 'ip', 'temp', 'cidr', 'interwiki', 'id'];
const parse = (text: string, subtypes: readonly UserSubtype[] = EVERY) =>
  parseOne({ type: 'user', subtypes }, text).value;

describe('user', () => {
  test('every form of a user is read', () =>
    everyRow(
      [
        ['alice', 'Alice'],
        ['User:alice_b', 'Alice b'],
        ['  alice   b ', 'Alice b'],
        ['A\u200elice', 'Alice'],
        ['0', '0'],
        ['élan', 'Élan'],
        ['~2024-1', '~2024-1'],
        ['A@B', 'A@B'],
        ['Foo:Bar', 'Foo:Bar'],
        ['#5', '#5'],
        ['#007', '#7'],
        ['m>Foo', 'm>Foo'],
        ['<bad>', '<bad>'],
        ['192.168.000.001', '192.168.0.1'],
        ['1.2.3.xxx', '1.2.3.xxx'],
        ['::1', '0:0:0:0:0:0:0:1'],
        ['User:::1', '0:0:0:0:0:0:0:1'],
        ['2001:db8::a', '2001:DB8:0:0:0:0:0:A'],
        [' _192.0.2.1\u200e ', '192.0.2.1'],
        ['User: \u202a192.0.2.1\u202c', '192.0.2.1'],
        [' 1.2.3.xxx ', '1.2.3.xxx'],
        ['\u200e2001:db8::a ', '2001:DB8:0:0:0:0:0:A'],
        ['192.0.2.77/24', '192.0.2.0/24'],
        [' 192.0.2.77/24\u200f', '192.0.2.0/24'],
        ['2001:db8::1/32', '2001:DB8:0:0:0:0:0:0/32'],
      ],
      ([text, value]) => {
        expect(parse(text)).toBe(value);
      },
    ));

  test('any other text is baduser', () =>
    everyRow(
      [
        '',
        'A#B',
        '#abc',
        '#',
        'A/B',
        'Talk:Alice',
        'wikipedia:Alice',
        '300.300.300.300',
        '192.268.0.xxx',
        'a|b',
        '[a]',
        'Ali\nce',
        'a\u200bb',
        `x${'é'.repeat(128)}`,
        '192.0.2.0/33',
        '::1/129',
        'User:',
      ],
      (text) => {
        const error = refusal(() => parse(text));
        expect([error.code, error.message]).toEqual([
          'baduser',
          `Invalid value "${text}" for user parameter "xxvalue".`,
        ]);
      },
    ));

  test.each<[string, UserSubtype]>([
    ['Alice', 'name'],
    ['1.2.3.4', 'ip'],
    ['1.2.3.0/24', 'cidr'],
    ['m>Foo', 'interwiki'],
    ['#5', 'id'],
    ['~2024-1', 'temp'],
  ])('%s needs the subtype %s', (text, subtype) => {
    expect(() => parse(text, [subtype])).not.toThrow();
    expect(
      refusal(() =>
        parse(
          text,
          EVERY.filter((one) => one !== subtype),
        ),
      ).code,
    ).toBe('baduser');
  });

  test('by default everything but ids is allowed', () => {
    expect(parseOne({ type: 'user' }, '1.2.3.0/24').value).toBe('1.2.3.0/24');
    expect(refusal(() => parseOne({ type: 'user' }, '#5')).code).toBe('baduser');
  });

  test('spellings of one user are one value, and the first invalid one is fatal', () => {
    expect(parseOne({ type: 'user', multi: true }, 'foo|Foo').value).toEqual(['Foo']);
    expect(refusal(() => parseOne({ type: 'user', multi: true }, 'foo|A#B')).code).toBe('baduser');
  });
});
