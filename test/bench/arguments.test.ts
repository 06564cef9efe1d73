import { describe, expect, test } from 'vitest';
import { ArgumentError, HELP, readArguments } from '../../bench/arguments.js';
import { frameworks, httpWorks, works } from '../../bench/candidates.js';

const settings = (...args: string[]) => {
  const read = readArguments(args);
  if (read === 'help') throw new Error('It asked for help.');
  return read;
};

describe('the arguments of npm run bench', () => {
  test('without any, everything is measured in 11 rounds and nothing is written', () => {
    expect(settings()).toEqual({
      works,
      frameworks,
      rounds: 11,
      requests: 2000,
      tokens: 100_000,
      families: 1_000_000,
      check: false,
      save: false,
      profile: false,
      against: undefined,
    });
  });

  test('--only and --frameworks choose, in the order of the tables', () => {
    expect(settings('--only', 'guard,token', '--frameworks', 'koa')).toMatchObject({
      works: ['token', 'guard'],
      frameworks: ['koa'],
    });
  });

  test('--quick and --check are short; --rounds and --requests have the last word', () => {
    expect(settings('--quick')).toMatchObject({ rounds: 5, requests: 400, tokens: 10_000 });
    expect(settings('--check', '--rounds', '7')).toMatchObject({ check: true, rounds: 7, requests: 1000 });
    expect(settings('--check', '--against', '../before')).toMatchObject({ works: httpWorks, against: '../before' });
  });

  test('--help and -h ask for help, which names every work', () => {
    expect([readArguments(['--help']), readArguments(['-h'])]).toEqual(['help', 'help']);
    for (const work of works) expect(HELP).toContain(work);
  });

  test.each([
    [['--only', 'tokens'], /^--only: "tokens" is not known; choose from token, flow, code, /],
    [['--frameworks', 'hapi'], /^--frameworks: "hapi" is not known; choose from express, koa, fastify\.$/],
    [['--rounds', '0'], /^--rounds: "0" is not a whole number above 0\.$/],
    [['--requests', '1e3'], /^--requests: "1e3" is not a whole number above 0\.$/],
    [['--rounds'], /--rounds.*--help/],
    [['--fast'], /--fast.*--help/],
    [['token'], /token.*--help/],
    [['--check', '--save'], /^--check compares with what --save has written: give one of them\.$/],
    [['--save', '--against', '../before'], /^--save keeps what is compared with everybody: leave --against away\.$/],
    [['--save', '--only', 'token'], /^--save keeps the whole run: leave --only and --frameworks away\.$/],
  ])('%j is refused with one sentence that says what to do', (args, sentence) => {
    expect(() => readArguments(args)).toThrow(ArgumentError);
    expect(() => readArguments(args)).toThrow(sentence);
  });
});
