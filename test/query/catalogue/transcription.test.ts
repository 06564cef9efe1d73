import { describe, expect, test } from 'vitest';
import { everyRow } from '../../rows.js';
import { ask, treeFor } from './fixture.js';
import { readTranscription } from './transcription.js';

const expected = readTranscription();
const tree = treeFor();
const shown = new Map(ask(tree, { modules: ['query+*'] }).modules.map((module) => [module.name, module]));

describe('the catalogue matches its transcription', () => {
  test('72 modules: 40 list, 22 prop, 10 meta; 566 parameters and 4 templated ones; 37 generators', () => {
    const count = (group: string) => expected.filter((module) => module.group === group).length;
    const sum = (sizes: readonly number[]) => sizes.reduce((a, b) => a + b, 0);
    expect([count('list'), count('prop'), count('meta')]).toEqual([40, 22, 10]);
    expect(sum(expected.map(({ parameters }) => parameters.length))).toBe(566);
    expect(sum(expected.map(({ templatedparameters }) => templatedparameters.length))).toBe(4);
    expect(expected.filter(({ generator }) => generator)).toHaveLength(37);
    expect([...shown.keys()]).toEqual(expected.map(({ name }) => name).sort());
  });

  test('each module has the parameters of the transcription', () =>
    everyRow(
      expected.map((module) => [module.name, module] as const),
      ([name, module]) => {
        const info = shown.get(name);
        expect({
          name: info?.name,
          path: info?.path,
          group: info?.group,
          prefix: info?.prefix,
          generator: info?.generator ?? false,
          deprecated: info?.deprecated ?? false,
        }).toEqual({
          name,
          path: `query+${name}`,
          group: module.group,
          prefix: module.prefix,
          generator: module.generator,
          deprecated: module.deprecated,
        });
        for (const [index, parameter] of module.parameters.entries())
          expect(info?.parameters[index]).toStrictEqual(parameter);
        expect(info?.parameters).toHaveLength(module.parameters.length);
        expect(info?.templatedparameters).toStrictEqual(module.templatedparameters);
      },
    ));
});
