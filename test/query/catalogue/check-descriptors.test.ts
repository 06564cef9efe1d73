import { describe, expect, test } from 'vitest';
import { checkDescriptors } from '../../../src/core/query/catalogue/check-descriptors.js';
import { catalogue } from '../../../src/core/query/catalogue/index.js';
import type { ModuleDescriptor, ParamDescriptor } from '../../../src/core/query/descriptor/descriptor.js';
import { mainModule } from '../../../src/core/query/endpoint/main-parameters.js';

const module = (
  parameters: Readonly<Record<string, ParamDescriptor>>,
  more: Partial<ModuleDescriptor> = {},
): ModuleDescriptor => ({
  name: 'photos',
  group: 'list',
  prefix: 'ph',
  parameters,
  ...more,
});
const check = (...own: readonly ModuleDescriptor[]) =>
  checkDescriptors([...Object.values(catalogue), ...own], mainModule);

test('the catalogue has no errors', () => {
  expect(() => check()).not.toThrow();
});

test('valid descriptors are accepted', () => {
  const template: ParamDescriptor = { type: 'string', multi: true, templatevars: { m: 'multi' } };
  expect(() =>
    check(
      module({
        number: { type: 'limit' },
        size: { type: 'integer', min: -5, max: -5 },
        multi: { type: 'string', multi: true },
        'template-{m}': template,
        'deep-{m}-{t}': { type: 'string', templatevars: { m: 'multi', t: 'template-{m}' } },
      }),
    ),
  ).not.toThrow();
});

describe('an error is reported in a sentence', () => {
  test.each<[ParamDescriptor, string]>([
    [{ type: [] }, 'lists no values'],
    [{ type: ['a', 'b', 'a'] }, 'lists a value twice'],
    [{ type: 'string', max: 5 }, 'has bounds, but is not a limit or integer'],
    [{ type: 'integer', min: 5, max: 4 }, 'needs min ≤ max ≤ highmax'],
    [{ type: 'limit', max: 5, highmax: 4 }, 'needs min ≤ max ≤ highmax'],
    [{ type: 'limit', min: 5, highmax: 9 }, 'has a highmax, but no max'],
    [{ type: 'limit', multi: true }, 'cannot have several values as a limit'],
    [{ type: 'boolean', multi: true }, 'cannot have several values as a boolean'],
    [{ type: ['a'], allspecifier: '*' }, 'has an allspecifier, but accepts one value only'],
    [{ type: 'string', allowsduplicates: true }, 'allows duplicates, but accepts one value only'],
    [{ type: 'boolean', default: 'true' }, 'is a boolean, which cannot have a default'],
    [{ type: 'string', subtypes: ['ip'] }, 'has subtypes, but is not a user'],
    [{ type: 'integer', extranamespaces: [-1] }, 'has extra namespaces, but is not a namespace'],
    [{ type: ['a'], deprecatedvalues: ['b'] }, 'deprecates a value that it does not list'],
    [{ type: 'string', deprecatedvalues: ['b'] }, 'deprecates a value that it does not list'],
    [{ type: 'string', templatevars: { x: 'a' } }, 'must have the same variables in its name and in templatevars'],
  ])('%j %s', (parameter, mistake) => {
    expect(() => check(module({ size: parameter }))).toThrow(
      `The parameter "size" of the query module "photos" ${mistake}.`,
    );
  });

  test.each<[Readonly<Record<string, ParamDescriptor>>, string]>([
    [{ 'a b': { type: 'string' } }, 'needs a name of letters, digits, hyphens, underscores and {variables}'],
    [{ 'a.b': { type: 'string' } }, 'needs a name of letters'],
    [{ '': { type: 'string' } }, 'needs a name of letters'],
    [{ 'a-{b}': { type: 'string' } }, 'must have the same variables in its name'],
    [{ 'a-{b}': { type: 'string', templatevars: { b: 'nope' } } }, 'is filled by "nope", which is not a parameter'],
    [{ 'a-{b}': { type: 'string', templatevars: { b: 'constructor' } } }, 'is filled by "constructor"'],
    [{ one: { type: 'string' }, 'a-{b}': { type: 'string', templatevars: { b: 'one' } } }, 'is filled by "one"'],
  ])('%j %s', (parameters, mistake) => {
    expect(() => check(module(parameters))).toThrow(TypeError);
    expect(() => check(module(parameters))).toThrow(mistake);
  });

  test.each<[Partial<ModuleDescriptor>, string]>([
    [{ name: 'a+b' }, 'The query module "a+b" needs a name'],
    [{ name: '' }, 'The query module "" needs a name'],
    [{ prefix: 'PH' }, 'The query module "photos" needs a prefix of lower-case letters and digits, not "PH".'],
    [{ prefix: 'ap' }, 'The query module "photos" and "allpages" both have a parameter "aplimit"'],
    [{ prefix: 'gap' }, 'The query module "photos" and "allpages" both have a parameter "gaplimit"'],
    [{ prefix: 'ap', generator: true }, 'both have a parameter "aplimit"'],
  ])('%j %s', (more, mistake) => {
    expect(() => check(module({ limit: { type: 'limit' } }, more))).toThrow(TypeError);
    expect(() => check(module({ limit: { type: 'limit' } }, more))).toThrow(mistake);
  });

  test('a name of a common parameter', () => {
    expect(() => check(module({ action: { type: 'string' } }, { prefix: '' }))).toThrow(
      'The query module "photos" and "main" both have a parameter "action"',
    );
  });
});
