import { describe, expect, test } from 'vitest';
import { Warnings } from '../../../src/core/query/answer/warnings.js';
import { forSite } from '../../../src/core/query/catalogue/for-site.js';
import { catalogue } from '../../../src/core/query/catalogue/index.js';
import { COMMON_TEXTS, moduleText, parameterText } from '../../../src/core/query/describe/texts/catalogue-texts.js';
import type { ModuleDescriptor } from '../../../src/core/query/descriptor/descriptor.js';
import { compileModule } from '../../../src/core/query/parameters/parse.js';
import type { ParseContext } from '../../../src/core/query/parameters/types/index.js';
import { resolveSite } from '../../../src/core/query/site/site.js';
import * as sets from '../../../src/core/query/site/value-sets.js';

const modules: readonly ModuleDescriptor[] = Object.values(catalogue);
const parameters = modules.flatMap((module) =>
  Object.entries(module.parameters).map(([name, p]) => [`${module.name}.${name}`, p, module] as const),
);
const site = resolveSite();

const context = (): ParseContext => ({ highLimits: false, now: 0, warnings: new Warnings() });

describe('every module', () => {
  test('parses a request without parameters, or with its required ones', () => {
    for (const module of modules) {
      const required = Object.entries(module.parameters).filter(([, p]) => p.required);
      const given = new Map(
        required.map(([name, p]) => [module.prefix + name, typeof p.type === 'string' ? 'x' : (p.type[0] ?? '')]),
      );
      const source = { get: (name: string) => given.get(name), malformed: () => false };
      const parser = compileModule(module, site);
      const params = parser.parse(source, context());
      for (const [name, p] of Object.entries(module.parameters)) {
        const always = p.required === true || p.default !== undefined || p.type === 'boolean';
        expect([module.name, name, params[name] !== undefined]).toEqual([module.name, name, always]);
      }
      if (given.size === 0) continue;
      const nothing = { get: () => undefined, malformed: () => false };
      expect(() => parser.parse(nothing, context())).toThrow(/must be set/);
    }
  });
});

describe('every parameter', () => {
  test('has a description, and so does every module; no description is unused', () => {
    expect(modules.filter(({ name }) => !moduleText(name)?.endsWith('.'))).toEqual([]);
    expect(
      parameters
        .filter(([path, , { name }]) => !parameterText(name, path.slice(name.length + 1))?.endsWith('.'))
        .map(([path]) => path),
    ).toEqual([]);
    const used = new Set(parameters.map(([path, , { name }]) => parameterText(name, path.slice(name.length + 1))));
    expect(
      Object.entries(COMMON_TEXTS)
        .filter(([, text]) => !used.has(text))
        .map(([name]) => name),
    ).toEqual([]);
    for (const name of ['constructor', '__proto__', 'toString']) {
      expect(moduleText(name)).toBeUndefined();
      expect(parameterText('allpages', name)).toBeUndefined();
    }
  });
});

describe('the site determines some values', () => {
  const special = resolveSite({
    mainPage: 'Hauptseite',
    language: 'de',
    groups: { sysop: ['apihighlimits'], patroller: ['patrol', 'taste'] },
    namespaces: { 100: { name: 'Recipe', defaultContentModel: 'recipe' } },
  });
  const byName = new Map(forSite(modules, special).map((module) => [module.name, module.parameters]));

  const groups = { type: ['sysop', 'patroller'], multi: true };
  const contributorRights = { type: [...sets.CONTRIBUTOR_RIGHTS, 'taste'], multi: true };

  test.each([
    ['info', 'linkcontext', { type: 'title', default: 'Hauptseite' }],
    ['langlinks', 'inlanguagecode', { type: 'string', default: 'de' }],
    ['imageinfo', 'extmetadatalanguage', { type: 'string', default: 'de' }],
    ['allusers', 'group', groups],
    ['allusers', 'excludegroup', groups],
    ['allusers', 'rights', { type: [...sets.RIGHTS, 'taste'], multi: true }],
    ['contributors', 'group', groups],
    ['contributors', 'excludegroup', groups],
    ['contributors', 'rights', contributorRights],
    ['contributors', 'excluderights', contributorRights],
    ['random', 'contentmodel', { type: [...sets.CONTENT_MODELS, 'recipe'] }],
  ])('%s.%s', (module, parameter, wanted) => {
    expect(byName.get(module)?.[parameter]).toMatchObject(wanted);
  });

  test('and no others', () => {
    const usual = new Map(forSite(modules, site).map((module) => [module.name, module.parameters]));
    const changed = modules.flatMap(({ name, parameters: own }) =>
      Object.keys(own).filter(
        (parameter) => JSON.stringify(byName.get(name)?.[parameter]) !== JSON.stringify(usual.get(name)?.[parameter]),
      ),
    );
    expect(changed).toHaveLength(11);
    for (const module of modules) expect(usual.get(module.name)).toEqual(module.parameters);
  });
});
