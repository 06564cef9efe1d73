import { describe, expect, test } from 'vitest';
import { compileModule } from '../../../src/core/query/parameters/parse.js';
import { everyRow } from '../../rows.js';
import { contextOf, site, sourceOf } from '../fixture.js';
import { parseOne, refusal } from './parse-one.js';

describe('string', () => {
  test('any text, unchanged; an empty one overrides the default', () => {
    expect(parseOne({ type: 'string' }, '  a|b ').value).toBe('  a|b ');
    expect(parseOne({ type: 'string', default: 'x' }, '').value).toBe('');
  });

  test('required and empty is missing', () => {
    const error = refusal(() => parseOne({ type: 'string', required: true }, ''));
    expect([error.code, error.message]).toEqual(['missingparam', 'The "xxvalue" parameter must be set.']);
  });
});

describe('boolean', () => {
  test('a boolean parameter is true with every value, without a warning', () =>
    everyRow(['', '0', 'false', 'no', '1', '\u001f', '\u001f1', 'e\u0301'], (text) => {
      expect(parseOne({ type: 'boolean' }, text)).toMatchObject({ value: true, warnings: [] });
    }));
});

describe('enum', () => {
  const direction = { type: ['ascending', 'descending'] };
  test('a listed value is itself', () => {
    expect(parseOne(direction, 'descending').value).toBe('descending');
  });

  test('any other text is badvalue', () =>
    everyRow(['x', 'Ascending', ' ascending', '', '*'], (text) => {
      const error = refusal(() => parseOne(direction, text));
      expect([error.code, error.message]).toEqual(['badvalue', `Unrecognized value for parameter "xxvalue": ${text}.`]);
    }));

  test('the empty text is a value if it is listed', () => {
    expect(parseOne({ type: ['', 'a'] }, '').value).toBe('');
  });

  test('a deprecated value is accepted with a warning for each, with the help once', () => {
    const { value, warnings } = parseOne({ type: ['a', 'b', 'c'], multi: true, deprecatedvalues: ['a', 'b'] }, 'a|b|c');
    expect(value).toEqual(['a', 'b', 'c']);
    expect(warnings.map(({ module, code, data }) => [module, code, data?.['feature']])).toEqual([
      ['query+example', 'deprecation', 'action=query&list=example&xxvalue=a'],
      ['main', 'deprecation-help', undefined],
      ['query+example', 'deprecation', 'action=query&list=example&xxvalue=b'],
    ]);
  });

  test('each time, not only the first', () => {
    const deprecated = { type: ['a', 'b'], multi: true, deprecatedvalues: ['a'] } as const;
    expect(parseOne(deprecated, 'a').warnings).toHaveLength(2);
    expect(parseOne(deprecated, 'a').warnings).toHaveLength(2);
  });
});

describe('namespace', () => {
  test.each([
    ['0', 0],
    ['+4', 4],
    ['04', 4],
    ['15', 15],
  ])('%s is %d', (text, id) => {
    expect(parseOne({ type: 'namespace' }, text).value).toBe(id);
  });

  test('any other text is badvalue', () =>
    everyRow(['-1', '-2', '16', 'Talk', '', '1.0', ' 0', '*', '4'.repeat(400)], (text) => {
      const error = refusal(() => parseOne({ type: 'namespace' }, text));
      expect([error.code, error.message]).toEqual(['badvalue', `Unrecognized value for parameter "xxvalue": ${text}.`]);
    }));

  test('extra namespaces are values if declared', () => {
    expect(parseOne({ type: 'namespace', extranamespaces: [-2, -1] }, '-1').value).toBe(-1);
  });

  test('two spellings of one number are one value', () => {
    expect(parseOne({ type: 'namespace', multi: true }, '04|4').value).toEqual([4]);
  });

  test('a list of namespaces accepts the star, with extra ones and in order', () => {
    const { value } = parseOne({ type: 'namespace', multi: true, extranamespaces: [-2, -1] }, '*');
    expect(value).toEqual([-2, -1, ...Array.from({ length: 16 }, (_one, id) => id)]);
  });
});

test('a warning of a request does not depend on earlier requests', () => {
  const { parse } = compileModule(
    {
      name: 'example',
      group: 'list',
      prefix: 'xx',
      parameters: {
        many: { type: ['a', 'b', 'old'], multi: true, deprecatedvalues: ['old'] },
        one: { type: ['a', 'old'], deprecatedvalues: ['old'] },
        text: { type: 'string', multi: true },
        gone: { type: 'string', deprecated: true },
      },
    },
    site,
  );
  return everyRow(
    [
      ['deprecation', { xxmany: 'old' }],
      ['deprecation', { xxmany: 'a|old' }],
      ['deprecation', { xxmany: 'a|old|b' }],
      ['deprecation', { xxone: 'old' }],
      ['deprecation', { xxgone: 'x' }],
      ['unrecognizedvalues', { xxmany: 'a|c' }],
      ['badutf8', { xxmany: 'a|b\u0001' }],
      ['badutf8', { xxtext: 'a|\u0001' }],
    ],
    ([code, given]) => {
      const codesOf = () => {
        const context = contextOf({});
        parse(sourceOf(given), context);
        return context.warnings.list.map((warning) => warning.code);
      };
      const first = codesOf();
      expect(first).toContain(code);
      for (let n = 0; n < 3; n += 1) expect(codesOf()).toEqual(first);
    },
  );
});
