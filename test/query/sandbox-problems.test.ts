import { describe, expect, test } from 'vitest';
import type { Parameter } from '../../sandbox/catalogue.js';
import { expandedNames, factsOf } from '../../sandbox/facts.js';
import { continuationOf, problemsOf, rejectsToken } from '../../sandbox/problems.js';
import { oneHostEach } from '../hosts.js';
import { useStarted } from '../hosts/listen.js';
import { everyRow } from '../rows.js';
import { startJoined } from './joined.js';

describe('errors and warnings are recognised in every error format', () => {
  const joined = useStarted(() => startJoined(oneHostEach[2]!, { modules: { allpages: () => [] } }));
  const NAMES = ['list', 'apdir', 'aplimit', 'apfrom'];
  const ask = async (params: Readonly<Record<string, string>>, as?: 'user') =>
    problemsOf(await joined.get({ action: 'query', ...params }, as), NAMES);
  const forms = ['1', '2'].flatMap((formatversion) =>
    ['bc', 'plaintext', 'wikitext', 'html'].map((errorformat) => ({ formatversion, errorformat })),
  );

  test('an error belongs to its field', () =>
    everyRow(forms, async (form) => {
      expect(await ask({ list: 'allpages', apdir: 'up', ...form })).toEqual([
        expect.objectContaining({ kind: 'error', code: 'badvalue', parameters: ['apdir'] }),
      ]);
    }));

  test('each warning belongs to its field', () =>
    everyRow(forms, async (form) => {
      const problems = await ask({ list: 'allpages|nothing', aplimit: '9999', ...form });
      expect(problems.map(({ kind, parameters }) => [kind, parameters])).toEqual([
        ['warning', ['list']],
        ['warning', ['aplimit']],
      ]);
      expect(problems[1]?.text).toContain('must be between 1 and 500');
    }));

  test.each(['raw', 'none'])('errorformat=%s has no text, so the code is shown', async (errorformat) => {
    const [problem] = await ask({ list: 'allpages', apdir: 'up', errorformat, formatversion: '2' });
    expect(problem).toMatchObject({ kind: 'error', code: 'badvalue' });
    expect(problem?.text).not.toBe('');
  });

  test('distinguishes a rejected token from other errors', async () => {
    const response = await fetch(`${joined.api}?action=query&meta=userinfo&format=json&formatversion=2`, {
      headers: { authorization: 'Bearer nobodys' },
    });
    expect(rejectsToken(problemsOf(await response.json(), []))).toBe(true);
    expect(rejectsToken(await ask({ list: 'allpages', apdir: 'up', formatversion: '2' }, 'user'))).toBe(false);
  });

  test('a response of an unknown form has no problems and no continuation', () =>
    everyRow(
      [undefined, null, 'text', 5, [], { error: 'no', warnings: 'x', errors: {} }, { warnings: { a: null } }],
      (answer) => {
        expect([problemsOf(answer, NAMES), continuationOf(answer)]).toEqual([[], undefined]);
      },
    ));
});

describe('the description of a parameter', () => {
  const facts = (parameter: Omit<Parameter, 'name'>): readonly string[] => factsOf({ name: 'x', ...parameter });

  test.each<[Omit<Parameter, 'name'>, readonly string[]]>([
    [{ type: 'string' }, []],
    [{ type: 'string', multi: true, limit: 50 }, ['One value per line, at most 50.']],
    [{ type: 'integer', min: 1, max: 12 }, ['From 1 to 12.']],
    [{ type: 'integer', min: 0 }, ['At least 0.']],
    [{ type: 'integer' }, ['A whole number.']],
    [
      { type: 'limit', min: 1, max: 500, highmax: 5000, default: 10 },
      ['From 1 to 500 (5,000 with high limits), or max.', 'Default: 10.'],
    ],
    [{ type: ['a', 'b'], default: 'a' }, []],
    [{ type: ['a', 'b'], multi: true, default: 'a|b', deprecatedvalues: ['b'] }, ['Default: a|b.', 'Deprecated: b.']],
    [
      { type: 'string', info: [{ name: 'modes', text: 'Only in some modes.', values: [1, 2] }] },
      ['Only in some modes. Values: 1, 2.'],
    ],
  ])('%o', (parameter, sentences) => {
    expect(facts(parameter)).toEqual(sentences);
  });

  test('a templated parameter has a name for each value, and for each pair of values of two variables', () => {
    const parameter = { type: 'string', templatevars: { a: 'as', b: 'bs' } };
    const given: Readonly<Record<string, readonly string[]>> = { as: ['1', '2'], bs: ['x', 'y'] };
    expect(expandedNames({ name: 'p-{a}-{b}', ...parameter }, (name) => given[name] ?? [])).toEqual([
      'p-1-x',
      'p-1-y',
      'p-2-x',
      'p-2-y',
    ]);
    expect(expandedNames({ name: 'p-{a}', type: 'string', templatevars: { a: 'as' } }, () => [])).toEqual([]);
  });
});
