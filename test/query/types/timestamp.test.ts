import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isoSeconds } from '../../../src/core/query/parameters/types/timestamp.js';
import { everyRow } from '../../rows.js';
import { parseOne, refusal } from './parse-one.js';

const parse = (text: string) => parseOne({ type: 'timestamp' }, text).value;

describe('timestamp: the forms', () => {
  test('every form of a timestamp is read', () =>
    everyRow(
      [
        ['20180203040506', '2018-02-03T04:05:06Z'],
        ['1517630706', '2018-02-03T04:05:06Z'],
        ['-1343761268', '1927-06-03T04:58:52Z'],
        ['20010115', '1970-08-20T14:21:55Z'],
        ['00', '1970-01-01T00:00:00Z'],
        ['2018-02-03T04:05:06Z', '2018-02-03T04:05:06Z'],
        ['2018-02-03T00:05:06-04:00', '2018-02-03T04:05:06Z'],
        ['2018-02-03 04:05:06', '2018-02-03T04:05:06Z'],
        ['2018-02-03T04:05:06.999999Z', '2018-02-03T04:05:06Z'],
        ['2018-02-03T04:05:06,5+01', '2018-02-03T03:05:06Z'],
        ['1970-01-01T00:00:00.000Z', '1970-01-01T00:00:00Z'],
        ['20120731T210108+0200', '2012-07-31T19:01:08Z'],
        ['1517630706.9990', '2018-02-03T04:05:06Z'],
        ['31-07-2012 19:01:08.123456', '2012-07-31T19:01:08Z'],
        ['2012-07-31 21:01:08 02', '2012-07-31T19:01:08Z'],
        ['2012-07-31 21:01:08.5+02', '2012-07-31T19:01:08Z'],
        ['2012-07-31 19:01:08 GMT', '2012-07-31T19:01:08Z'],
        ['2012:07:31 19:01:08', '2012-07-31T19:01:08Z'],
        ['Tue, 31 Jul 12 19:01:08 GMT', '2012-07-31T19:01:08Z'],
        ['31 Jul 2012 21:01:08 +0200', '2012-07-31T19:01:08Z'],
        ['Tue, 31 Jul 2012 14:01:08 EST', '2012-07-31T19:01:08Z'],
        ['Tue, 31 Jul 2012 19:01:08 GMT; it was hot', '2012-07-31T19:01:08Z'],
        ['31 Jul 98 19:01:08', '1998-07-31T19:01:08Z'],
        ['Tuesday, 31-Jul-12 19:01:08 UTC', '2012-07-31T19:01:08Z'],
        ['Tuesday, 31-Jul-12 19:01:08', '2012-07-31T19:01:08Z'],
        ['Tuesday, 31-Jul-12 21:01:08 +02:00', '2012-07-31T19:01:08Z'],
        ['Tuesday, 31-Jul-12 14:01:08 CDT', '2012-07-31T19:01:08Z'],
        ['Tuesday, 31-Jul-12 21:01:08 CEST', '2012-07-31T19:01:08Z'],
        ['Tuesday, 31-Jul-12 20:01:08 A', '2012-07-31T19:01:08Z'],
        ['Tuesday, 31-Jul-12 18:01:08 N', '2012-07-31T19:01:08Z'],
        ['Thursday, 31-Jul-75 19:01:08 GMT', '1975-07-31T19:01:08Z'],
        ['Tue Jul 31 19:01:08 2012', '2012-07-31T19:01:08Z'],
        ['Tue Jul 31 19:01:08 2012\n', '2012-07-31T19:01:08Z'],
        ['now', '2024-05-06T07:08:09Z'],
      ],
      ([text, iso]) => {
        expect(parse(text)).toBe(iso);
      },
    ));

  test('a weekday that disagrees moves the time forward to it', () => {
    expect(parse('Tue, 1 Jul 2012 00:00:00 GMT')).toBe('2012-07-03T00:00:00Z');
  });

  test('a field out of range rolls over', () =>
    everyRow(
      [
        ['2001-13-15T00:00:00Z', '2002-01-15T00:00:00Z'],
        ['2001-02-30T00:00:00Z', '2001-03-02T00:00:00Z'],
        ['2001-01-15T25:00:00Z', '2001-01-16T01:00:00Z'],
        ['2001-01-15T00:00:60Z', '2001-01-15T00:01:00Z'],
        ['2001-02-29T00:00:00Z', '2001-03-01T00:00:00Z'],
      ],
      ([text, iso]) => {
        expect(parse(text)).toBe(iso);
      },
    ));
});

describe('timestamp: invalid ones', () => {
  test('any other text is badtimestamp', () =>
    everyRow(
      [
        '2001-01-15',
        'NOW',
        'yesterday',
        'infinity',
        '+1 day',
        '2001-01-15t14:56:00Z',
        '2001-01-15T14:56:00z',
        ' 2001-01-15T14:56:00Z',
        '2001-01-15T14:56:00Z ',
        '2001-01-15T14:56Z',
        '2014815210101',
        '99999999999999',
        '00000000000000',
        '2001-W03-1',
        '2001-01-15T14:56:00.1234567Z',
        'x',
        'Tuesday, 31-Jul-12 19:01:08GMT',
        'Tuesday, 31-Jul-12 19:01:08  GMT',
        'Tuesday, 31-Jul-12 19:01:08 gmt',
        'Tuesday, 31-Jul-12 19:01:08 UT',
        'Tuesday, 31-Jul-12 19:01:08 J',
        'Tuesday, 31-Jul-12 19:01:08 XYZ',
      ],
      (text) => {
        const error = refusal(() => parse(text));
        expect(error.code).toBe('badtimestamp');
        expect(error.message).toBe(`Invalid value "${text}" for timestamp parameter "xxvalue".`);
      },
    ));

  test.each(['', '0'])('%j means now, with a warning', (text) => {
    const { value, warnings } = parseOne({ type: 'timestamp' }, text);
    expect(value).toBe('2024-05-06T07:08:09Z');
    expect(warnings.map(({ code }) => code)).toEqual(['unclearnowtimestamp']);
  });
});

describe('timestamp: properties', () => {
  const seconds = fc.integer({ min: -62_167_219_200, max: 253_402_300_799 });
  test('a formatted timestamp is parsed to the same moment, in each main form', () => {
    fc.assert(
      fc.property(seconds, (moment) => {
        const iso = isoSeconds(moment);
        const compact = iso.replace(/[-:TZ]/g, '');
        expect(parse(iso)).toBe(iso);
        expect(parse(compact)).toBe(iso);
        expect(parse(iso.replace('T', ' ').replace('Z', ''))).toBe(iso);
        expect(parse(iso.replace('Z', '+00:00'))).toBe(iso);
      }),
    );
  });

  test('Unix seconds of up to ten digits are that moment', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9_999_999_999 }), (moment) => {
        expect(parse(String(moment))).toBe(isoSeconds(moment));
      }),
    );
  });
});
