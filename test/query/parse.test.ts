import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../src/core/query/answer/api-error.js';
import { plainText } from '../../src/core/query/answer/messages.js';
import { forSite } from '../../src/core/query/catalogue/for-site.js';
import { catalogue } from '../../src/core/query/catalogue/index.js';
import type { ModuleDescriptor } from '../../src/core/query/descriptor/descriptor.js';
import type { ParameterSource } from '../../src/core/query/parameters/parameter.js';
import { compileModule } from '../../src/core/query/parameters/parse.js';
import { everyRow } from '../rows.js';
import { contextOf, site, sourceOf } from './fixture.js';
import { parseOne, refusal } from './types/parse-one.js';

type Parameters = ModuleDescriptor['parameters'];

const parserOf = (parameters: Parameters) =>
  compileModule({ name: 'example', group: 'list', prefix: 'xx', parameters }, site);

const parse = ({ parameters }: { parameters: Parameters }, texts: Readonly<Record<string, string>>) => {
  const context = contextOf();
  const params = parserOf(parameters).parse(sourceOf(texts), context);
  return { params: { ...params }, warnings: context.warnings.list, expanded: [...(context.expanded ?? [])] };
};

describe('templated parameters', () => {
  const parameters = {
    multi: { type: 'string', multi: true },
    'template-{m}': { type: 'string', multi: true, templatevars: { m: 'multi' } },
    'recursivetemplate-{m}-{t}': { type: 'string', templatevars: { m: 'multi', t: 'template-{m}' } },
  } as const;

  test('the vector', () => {
    const { params, warnings } = parse(
      { parameters },
      {
        xxmulti: 'a|b|c|d|{bad}',
        'xxtemplate-a': 'A!',
        'xxtemplate-b': 'B1|B2|B3',
        'xxtemplate-c': '',
        'xxrecursivetemplate-b-B1': 'X',
        'xxrecursivetemplate-b-B3': 'Y',
      },
    );
    expect(params).toEqual({
      multi: ['a', 'b', 'c', 'd', '{bad}'],
      'template-a': ['A!'],
      'template-b': ['B1', 'B2', 'B3'],
      'template-c': [],
      'recursivetemplate-b-B1': 'X',
      'recursivetemplate-b-B3': 'Y',
    });
    expect(warnings.map(({ code, text }) => [code, plainText(text)])).toEqual([
      ['ignoring-invalid-templated-value', 'Ignoring value "{bad}" in "xxmulti" when processing templated parameters.'],
    ]);
  });

  test('without a source nothing is expanded, and expanded names are not read', () => {
    const { params, expanded } = parse({ parameters }, { 'xxtemplate-a': 'A!' });
    expect(params).toEqual({});
    expect(expanded).toEqual([]);
  });

  test('source values are validated, so * is every value; default, required and deprecation apply to each name', () => {
    const slots = {
      slots: { type: ['main', 'other'], multi: true, allspecifier: '*' },
      'format-{slot}': { type: ['x', 'y'], default: 'x', deprecated: true, templatevars: { slot: 'slots' } },
    } as const;
    const { params, warnings } = parse({ parameters: slots }, { xxslots: '*', 'xxformat-other': 'y' });
    expect(params).toMatchObject({ 'format-main': 'x', 'format-other': 'y' });
    expect(warnings.map(({ text }) => plainText(text))[0]).toBe('The parameter "xxformat-other" has been deprecated.');
    const required = {
      ...slots,
      'format-{slot}': { type: 'string', required: true, templatevars: { slot: 'slots' } },
    } as const;
    expect(refusal(() => parse({ parameters: required }, { xxslots: 'main' })).message).toBe(
      'The "xxformat-main" parameter must be set.',
    );
  });
});

describe('raw values', () => {
  const bad =
    'The value passed for "xxvalue" contains invalid or non-normalized data. Textual data should be valid, NFC-normalized Unicode without C0 control characters other than HT (\\t), LF (\\n), and CR (\\r).';
  test('other text is normalised, with a warning', () =>
    everyRow(
      [
        ['e\u0301', 'é'],
        ['a\u0001b', 'a\ufffdb'],
        ['a\u001fb', 'a\ufffdb'],
        ['\ud800', '\ufffd'],
        ['\ufffe', '\ufffd'],
      ],
      ([raw, value]) => {
        const result = parseOne({ type: 'string' }, raw);
        expect(result.value).toBe(value);
        expect(result.warnings.map(({ module, code, text }) => [module, code, plainText(text)])).toEqual([
          ['query+example', 'badutf8', bad],
        ]);
      },
    ));

  test('clean text is unchanged', () =>
    everyRow(['\t\r\n', ' a ', 'é', '\u{1f34e}', '\ufeffA'], (raw) => {
      expect(parseOne({ type: 'string' }, raw)).toMatchObject({ value: raw, warnings: [] });
    }));

  test('values after a leading U+001F are normalised separately', () => {
    const { value, warnings } = parseOne({ type: 'string', multi: true }, '\u001fe\u0301\u001fb|c');
    expect(value).toEqual(['é', 'b|c']);
    expect(warnings).toHaveLength(1);
  });

  test.each([
    [{ type: 'string' }, 'a'.repeat(8193), 'maxchars', 'cannot be longer than 8,192 characters (was 8,193).'],
    [{ type: 'string', multi: true }, `b|${'a'.repeat(8193)}`, 'maxchars', 'longer than 8,192 characters'],
    [{ type: 'string' }, '\u0323'.repeat(31), 'badvalue', 'has more than 30 combining marks in a row.'],
    [{ type: 'user' }, 'a'.repeat(513), 'baduser', 'Invalid value'],
    [{ type: 'user' }, `A${'\u0300\u0323'.repeat(16)}`, 'baduser', 'Invalid value'],
    [{ type: 'title' }, `${' '.repeat(1024)}A`, 'badtitle', 'not a valid title string'],
    [{ type: 'title' }, `A${'\u0300\u0323'.repeat(16)}`, 'badtitle', 'not a valid title string'],
    [{ type: 'integer' }, '\u0300\u0323'.repeat(500), 'badinteger', 'Invalid value'],
    [{ type: 'timestamp' }, `now${'\u0300\u0323'.repeat(16)}`, 'badtimestamp', 'Invalid value'],
    [{ type: ['a'] }, '\u0300\u0323'.repeat(500), 'badvalue', 'Unrecognized value'],
  ] as const)(
    'UAX #15 §13: %j rejects text that is too long or has too many marks, %#',
    (descriptor, raw, code, text) => {
      const error = refusal(() => parseOne(descriptor, raw));
      expect([error.code, error.message]).toEqual([code, expect.stringContaining(text)]);
    },
  );

  test('a value may have the maximum length, and thirty marks in a row', () => {
    const text = 'a'.repeat(8192);
    expect(parseOne({ type: 'string' }, text)).toMatchObject({ value: text, warnings: [] });
    const marked = `\u00e0${'\u0300'.repeat(30)}`;
    expect(parseOne({ type: 'string' }, marked)).toMatchObject({ value: marked, warnings: [] });
    expect(parseOne({ type: 'integer' }, `${'0'.repeat(2000)}7`)).toMatchObject({ value: 7, warnings: [] });
  });

  test('an unsafe value of a list is only unknown, and the others still count', () => {
    const unsafe = '\u0300\u0323'.repeat(500);
    const { value, warnings } = parseOne({ type: ['a', 'b'], multi: true }, `a|${unsafe}`);
    expect(value).toEqual(['a']);
    expect(warnings.map(({ code }) => code)).toEqual(['unrecognizedvalues']);
  });

  test('too many values are rejected before any is parsed', () => {
    const raw = `${'a|'.repeat(50)}${'x'.repeat(9000)}`;
    expect(refusal(() => parseOne({ type: 'string', multi: true }, raw)).code).toBe('toomanyvalues');
  });

  test('also if the value is then rejected', () => {
    const context = contextOf();
    const parser = parserOf({ value: { type: 'integer' } });
    expect(refusal(() => parser.parse(sourceOf({ xxvalue: '1\u0000' }), context)).message).toBe(
      'Invalid value "1\ufffd" for integer parameter "xxvalue".',
    );
    expect(context.warnings.list.map(({ code }) => code)).toEqual(['badutf8']);
  });
});

describe('multi-values', () => {
  const letters = { type: ['a', 'b', 'c'], multi: true, allspecifier: '*' } as const;

  test('absent is absent, empty is the empty list, even if required', () => {
    expect('value' in parse({ parameters: { value: letters } }, {}).params).toBe(false);
    expect(parseOne({ ...letters, required: true }, '').value).toEqual([]);
  });

  test('a single value may not start with U+001F; a bar in it is an ordinary character', () => {
    const error = refusal(() => parseOne({ type: 'string' }, '\u001fa'));
    expect([error.code, error.message]).toEqual([
      'badvalue',
      'Parameter "xxvalue" accepts only a single value. U+001F multi-value separation may only be used for multi-valued parameters. ',
    ]);
    expect(parseOne({ type: 'string' }, 'a|b').value).toBe('a|b');
  });

  test.each([
    [50, false, undefined],
    [51, false, 50],
    [500, true, undefined],
    [501, true, 500],
  ])('the count of values: %d with high limits %s', (count, highLimits, limit) => {
    const texts = Array.from({ length: count }, () => 'same').join('|');
    const work = () => parseOne({ type: 'string', multi: true }, texts, { highLimits });
    if (limit === undefined) expect(work().value).toEqual(['same']);
    else {
      const error = refusal(work);
      expect(error.code).toBe('toomanyvalues');
      expect(error.message).toBe(`Too many values supplied for parameter "xxvalue". The limit is ${limit}.`);
      expect(error.data).toEqual({ parameter: 'xxvalue', limit, lowlimit: 50, highlimit: 500 });
    }
  });

  test('the count of values: limits of its own; the high one is at least the low one', () => {
    expect(
      refusal(() => parseOne({ type: 'string', multi: true, lowlimit: 2, highlimit: 1 }, 'a|b|c', { highLimits: true }))
        .data,
    ).toEqual({ parameter: 'xxvalue', limit: 2, lowlimit: 2, highlimit: 2 });
  });

  test('a list from a caller with high limits is still too long for others', () => {
    const parser = parserOf({ value: { type: 'namespace', multi: true, lowlimit: 2, highlimit: 9 } });
    const source = sourceOf({ xxvalue: '0|1|2' });
    expect(parser.parse(source, contextOf({ highLimits: true }))['value']).toEqual([0, 1, 2]);
    expect(refusal(() => parser.parse(source, contextOf())).code).toBe('toomanyvalues');
  });

  test('the specifier alone is everything in declared order; with others it is an ordinary value', () => {
    expect(parseOne({ ...letters, type: ['c', 'a', 'b'] }, '*').value).toEqual(['c', 'a', 'b']);
    expect(parseOne(letters, '\u001f*')).toMatchObject({ value: ['a', 'b', 'c'], warnings: [] });
    expect(parseOne(letters, '\u001fa\u001f*').value).toEqual(['a']);
    expect(parseOne({ type: ['undefined', 'b'], multi: true }, '\u001fundefined').value).toEqual(['undefined']);
    expect(parseOne(letters, 'a|*')).toMatchObject({
      value: ['a'],
      warnings: [{ code: 'unrecognizedvalues', data: { values: ['*'] } }],
    });
    expect(parseOne({ ...letters, allspecifier: 'all' }, 'all').value).toEqual(['a', 'b', 'c']);
    expect(parseOne({ type: 'string', multi: true, allspecifier: '*' }, '*').value).toEqual(['*']);
  });

  test('unknown values are dropped with one warning that ends without a full stop', () => {
    const { value, warnings } = parseOne(letters, 'x|a|y|a');
    expect(value).toEqual(['a']);
    expect(warnings.map(({ code, data, text }) => [code, data, plainText(text)])).toEqual([
      ['unrecognizedvalues', { values: ['x', 'y'] }, 'Unrecognized values for parameter "xxvalue": x, y'],
    ]);
    expect(plainText(parseOne(letters, 'x').warnings[0]!.text)).toBe('Unrecognized value for parameter "xxvalue": x');
  });

  test('all unknown is the empty list, not the default; any other error is fatal', () => {
    expect(parseOne({ ...letters, default: 'a' }, 'x').value).toEqual([]);
    expect(refusal(() => parseOne({ type: 'integer', multi: true }, '1|x')).code).toBe('badinteger');
    expect(refusal(() => parseOne({ type: 'integer', multi: true }, '1|')).code).toBe('badinteger');
  });

  test('duplicates are removed after validation, unless they are allowed', () => {
    expect(parseOne({ type: 'integer', multi: true }, '1|01|2|1').value).toEqual([1, 2]);
    expect(parseOne({ type: 'string', multi: true, allowsduplicates: true }, 'a|a').value).toEqual(['a', 'a']);
    const many = Array.from({ length: 40 }, (_one, index) => String(index % 4)).join('|');
    expect(parseOne({ type: 'string', multi: true }, many).value).toEqual(['0', '1', '2', '3']);
  });
});

describe('required and deprecated', () => {
  test('absent and required is missing, unless there is a default', () => {
    const error = refusal(() => parse({ parameters: { name: { type: 'string', required: true } } }, {}));
    expect([error.code, error.message, error.module]).toEqual([
      'missingparam',
      'The "xxname" parameter must be set.',
      'query+example',
    ]);
    expect(parse({ parameters: { name: { type: 'string', required: true, default: 'x' } } }, {}).params).toEqual({
      name: 'x',
    });
  });

  test('a deprecated parameter works and causes a warning, with the help once', () => {
    const old = { type: 'string', deprecated: true } as const;
    const { warnings } = parse({ parameters: { a: old, b: old, c: old } }, { xxa: '1', xxb: '2' });
    expect(warnings.map(({ module, code, text, data }) => [module, code, plainText(text), data?.['feature']])).toEqual([
      ['query+example', 'deprecation', 'The parameter "xxa" has been deprecated.', 'action=query&list=example&xxa'],
      [
        'main',
        'deprecation-help',
        expect.stringContaining('Subscribe to the mediawiki-api-announce mailing list'),
        undefined,
      ],
      ['query+example', 'deprecation', 'The parameter "xxb" has been deprecated.', 'action=query&list=example&xxb'],
    ]);
  });

  test('the first error in the order of the definition is returned, and further warnings remain', () => {
    const context = contextOf();
    const parser = parserOf({
      one: { type: 'integer' },
      two: { type: ['a'], multi: true },
      three: { type: 'timestamp' },
    });
    const error = refusal(() => parser.parse(sourceOf({ xxthree: 'x', xxtwo: 'x', xxone: 'x' }), context));
    expect(error.code).toBe('badinteger');
    expect(context.warnings.list.map(({ code }) => code)).toEqual(['unrecognizedvalues']);
  });

  test('a handler cannot modify default lists', () => {
    const { params } = parse({ parameters: { prop: { type: ['a', 'b'], multi: true, default: 'a|b' } } }, {});
    expect(params['prop']).toEqual(['a', 'b']);
    expect(Object.isFrozen(params['prop'])).toBe(true);
  });
});

const all = forSite<ModuleDescriptor>(Object.values(catalogue), site);
const everyParser = all.map((module) => ({ module, parser: compileModule(module, site) }));

describe('properties of all modules', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('', '|', '\u001f', '*', 'max', '0', '-1', '2024-01-01T00:00:00Z', '#1', '[', 'a|b|c', '%', '&#0;'),
    fc.array(fc.string(), { maxLength: 600 }).map((parts) => parts.join('|')),
  );

  test('parsing any input ends with values or with an ApiError', () => {
    const request = fc
      .constantFrom(...everyParser)
      .chain(({ module, parser }) =>
        fc
          .dictionary(
            fc.constantFrom('none', ...Object.keys(module.parameters).map((name) => module.prefix + name)),
            text,
          )
          .map((texts) => ({ parser, texts })),
      );
    fc.assert(
      fc.property(request, fc.boolean(), ({ parser, texts }, highLimits) => {
        try {
          parser.parse(sourceOf(texts), contextOf({ highLimits }));
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError);
        }
      }),
      { numRuns: 400 },
    );
  });

  test('each parameter is read once, and nothing else is', () => {
    for (const { module, parser } of everyParser) {
      const asked: string[] = [];
      const source: ParameterSource = { get: (name) => void asked.push(name), malformed: () => false };
      try {
        parser.parse(source, contextOf());
      } catch (error) {
        expect(error).toBeInstanceOf(ApiError);
      }
      const declared = Object.entries(module.parameters)
        .filter(([, p]) => !p.templatevars)
        .map(([name]) => module.prefix + name);
      expect(asked).toEqual(declared);
    }
  });
});
