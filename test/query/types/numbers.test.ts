import { describe, expect, test } from 'vitest';
import type { ParamDescriptor } from '../../../src/core/query/descriptor/descriptor.js';
import { everyRow } from '../../rows.js';
import { parseOne, refusal } from './parse-one.js';

describe('integer: syntax', () => {
  test('digits with an optional sign are a number', () =>
    everyRow(
      [
        ['5', 5],
        ['+5', 5],
        ['-5', -5],
        ['007', 7],
        ['000123', 123],
        ['-0', 0],
        ['+0', 0],
        ['9007199254740991', 9007199254740991],
        ['9223372036854775807', 2 ** 63],
        ['-9223372036854775808', -(2 ** 63)],
        ['00000000000000000000000000000012', 12],
      ],
      ([text, value]) => {
        expect(parseOne({ type: 'integer' }, text).value).toBe(value);
      },
    ));

  test('any other text is badinteger', () =>
    everyRow(
      [
        '',
        ' 5',
        '5 ',
        '5\n',
        '5.0',
        '1e3',
        '0x10',
        '--5',
        '+',
        '-',
        'x',
        '٣',
        '9223372036854775808',
        '-9223372036854775809',
        '+9223372036854775807',
        `1${'0'.repeat(400)}`,
      ],
      (text) => {
        const error = refusal(() => parseOne({ type: 'integer' }, text));
        expect(error.code).toBe('badinteger');
        expect(error.message).toBe(`Invalid value "${text}" for integer parameter "xxvalue".`);
        expect(error.module).toBe('query+example');
      },
    ));
});

describe('a number beyond 2^53, which JavaScript cannot represent exactly', () => {
  test.each(['9007199254740993', '-9007199254740993', '9223372036854775807'])('%s is not an id', (text) => {
    const ids = refusal(() => parseOne({ type: 'integer', multi: true }, `1|${text}`));
    expect([ids.code, ids.message]).toEqual(['badinteger', `Invalid value "${text}" for integer parameter "xxvalue".`]);
    expect(parseOne({ type: 'integer' }, text).value).toBe(Number(text));
  });

  test('the largest exact number is an id', () => {
    expect(parseOne({ type: 'integer', multi: true }, '9007199254740991').value).toEqual([9007199254740991]);
    expect(parseOne({ type: 'integer', multi: true, min: 1, max: 9 }, '9007199254740993').value).toEqual([9]);
  });
});

describe('integer: range', () => {
  test('below the minimum is the minimum, with a warning', () => {
    const { value, warnings } = parseOne({ type: 'integer', min: 1, max: 500 }, '0');
    expect(value).toBe(1);
    expect(warnings).toMatchObject([
      { module: 'query+example', code: 'outofrange', data: { min: 1, curmax: 500, max: 500, highmax: 500 } },
    ]);
  });

  test('a missing bound is null in the data', () => {
    expect(parseOne({ type: 'integer', min: 1 }, '0').warnings[0]?.data).toEqual({
      min: 1,
      curmax: null,
      max: null,
      highmax: null,
    });
  });

  test('every value of a list is limited separately', () => {
    const { value, warnings } = parseOne({ type: 'integer', multi: true, min: 1, max: 9 }, '0|5|10');
    expect(value).toEqual([1, 5, 9]);
    expect(warnings).toHaveLength(2);
  });
});

describe('limit', () => {
  const L10: ParamDescriptor = { type: 'limit', default: 10, min: 1, max: 500, highmax: 5000 };
  test.each([
    ['max', false, 500],
    ['max', true, 5000],
    ['501', false, 500],
    ['501', true, 501],
    ['5001', true, 5000],
    ['0', false, 1],
    ['+7', false, 7],
  ])('%s with high limits %s is %d', (text, highLimits, value) => {
    expect(parseOne(L10, text, { highLimits }).value).toBe(value);
  });

  test('any other text is badinteger', () =>
    everyRow(['MAX', 'maximum', '', ' 5', '5.0', 'abc'], (text) => {
      expect(refusal(() => parseOne(L10, text)).code).toBe('badinteger');
    }));

  test('max is listed in limits, a number is not', () => {
    expect(parseOne(L10, 'max').limits).toEqual({ example: 500 });
    expect(parseOne(L10, '500').limits).toEqual({});
  });

  test('the minimum is 0 by default, and a highmax below max counts as max', () => {
    expect(parseOne({ type: 'limit', max: 10, highmax: 5 }, '-1').value).toBe(0);
    expect(parseOne({ type: 'limit', max: 10, highmax: 5 }, 'max', { highLimits: true }).value).toBe(10);
  });

  test('a maximum without a higher one applies to all callers', () => {
    expect(parseOne({ type: 'limit', default: 10, min: 1, max: 10_000 }, 'max', { highLimits: true }).value).toBe(
      10_000,
    );
  });
});
