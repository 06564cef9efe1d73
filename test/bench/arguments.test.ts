import { describe, expect, test } from 'vitest';
import { ArgumentError, readArguments } from '../../bench/arguments.js';
import { frameworks, works } from '../../bench/candidates.js';
import { everyRow } from '../rows.js';

const settings = (...args: string[]) => {
  const read = readArguments(args);
  if (read === 'help') throw new Error('These arguments mean --help.');
  return read;
};

describe('the arguments of npm run bench', () => {
  test('by default, everything is measured in 9 rounds and nothing is written', () => {
    expect(settings()).toEqual({
      works,
      frameworks,
      rounds: 9,
      requests: 4000,
      warmUp: 20_000,
      tokens: 50_000,
      families: 100_000,
      record: false,
      check: false,
      save: false,
      profile: false,
      against: undefined,
    });
  });

  test('wrong arguments throw a sentence that names the remedy', () =>
    everyRow(
      [
        [['--only', 'tokens'], /^--only: "tokens" is unknown; choose from token, flow, code, /],
        [['--frameworks', 'hapi'], /^--frameworks: "hapi" is unknown; choose from express, koa, fastify\.$/],
        [['--rounds', '0'], /^--rounds: "0" is not a whole number above 0\.$/],
        [['--requests', '1e3'], /^--requests: "1e3" is not a whole number above 0\.$/],
        [['--rounds'], /--rounds.*--help/],
        [['--fast'], /--fast.*--help/],
        [['token'], /token.*--help/],
        [['--check', '--save'], /^--check compares with the results of --save: use one of them\.$/],
        [['--save', '--against', '../before'], /^--save needs all candidates: omit --against\.$/],
        [['--save', '--only', 'token'], /^--save needs the whole run: omit --only and --frameworks\.$/],
        [['--record', '--only', 'token'], /^--record can be combined with --rounds, /],
        [['--record', '--check'], /^--record can be combined with --rounds, /],
      ],
      ([args, sentence]) => {
        expect(() => readArguments(args)).toThrow(ArgumentError);
        expect(() => readArguments(args)).toThrow(sentence);
      },
    ));
});
