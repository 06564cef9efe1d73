import { fail } from '../../base/schema.js';
import type { ParamDescriptor } from '../descriptor/descriptor.js';
import type { Described } from '../parameters/parse.js';

/** Mistakes in a parameter, each as the rest of a sentence that starts with its name. */
const mistakesIn = (p: ParamDescriptor): readonly string[] => {
  const bounds = [p.min, p.max, p.highmax].filter((bound) => bound !== undefined);
  const numeric = p.type === 'limit' || p.type === 'integer';
  const listed = typeof p.type === 'string' ? undefined : p.type;
  const mistakes: readonly (readonly [boolean, string])[] = [
    [listed?.length === 0, 'lists no values'],
    [listed !== undefined && new Set(listed).size < listed.length, 'lists a value twice'],
    [bounds.length > 0 && !numeric, 'has bounds, but is not a limit or integer'],
    [bounds.some((bound, index) => bound < (bounds[index - 1] ?? bound)), 'needs min ≤ max ≤ highmax'],
    [p.highmax !== undefined && p.max === undefined, 'has a highmax, but no max'],
    [
      p.multi === true && (p.type === 'limit' || p.type === 'boolean'),
      `cannot have several values as a ${String(p.type)}`,
    ],
    [p.narrowedBy !== undefined && p.type !== 'limit', 'has narrower bounds, but is not a limit'],
    [
      p.checkedByRule !== undefined && (listed === undefined || p.multi === true),
      'has checkedByRule, but is not a single value of a list',
    ],
    [p.allspecifier !== undefined && p.multi !== true, 'has an allspecifier, but accepts one value only'],
    [p.allowsduplicates === true && p.multi !== true, 'allows duplicates, but accepts one value only'],
    [p.default !== undefined && p.type === 'boolean', 'is a boolean, which cannot have a default'],
    [p.subtypes !== undefined && p.type !== 'user', 'has subtypes, but is not a user'],
    [p.extranamespaces !== undefined && p.type !== 'namespace', 'has extra namespaces, but is not a namespace'],
    [
      p.deprecatedvalues?.some((value) => !listed?.includes(value)) ?? false,
      'deprecates a value that it does not list',
    ],
  ];
  return mistakes.filter(([wrong]) => wrong).map(([, text]) => text);
};

/** Mistakes in a name, and in its variables and the parameters that fill them. */
const nameMistakes = (name: string, { templatevars = {} }: ParamDescriptor, module: Described): readonly string[] => {
  const inName = [...name.matchAll(/\{([^{}]*)\}/g)].map(([, variable = '']) => variable);
  const filled = Object.keys(templatevars);
  const same = new Set([...inName, ...filled]).size === inName.length && inName.length === filled.length;
  return [
    ...(/^(?:[A-Za-z0-9_-]|\{[a-z]+\})+$/.test(name)
      ? []
      : ['needs a name of letters, digits, hyphens, underscores and {variables}']),
    ...(same ? [] : ['must have the same variables in its name and in templatevars']),
    ...Object.values(templatevars)
      .filter((source) => !Object.hasOwn(module.parameters, source) || module.parameters[source]?.multi !== true)
      .map((source) => `is filled by "${source}", which is not a parameter with several values`),
  ];
};

/** Parameters that other properties of a descriptor refer to. */
const namedParameters = ({ continueWith, result, example, parameters }: Described): readonly string[] => [
  ...[continueWith, result?.namedBy].filter((parameter) => parameter !== undefined),
  ...Object.keys(example?.parameters ?? {}),
  ...Object.values(parameters).flatMap(({ narrowedBy }) => (narrowedBy ? [narrowedBy.parameter] : [])),
];

const checkModule = (module: Described): void => {
  const { name, prefix, parameters } = module;
  if (!/^[A-Za-z][A-Za-z0-9_-]*$/.test(name)) {
    fail(`The query module "${name}" needs a name of letters, digits, hyphens and underscores.`);
  }
  if (!/^[a-z0-9]*$/.test(prefix)) {
    fail(`The query module "${name}" needs a prefix of lower-case letters and digits, not "${prefix}".`);
  }
  for (const parameter of namedParameters(module)) {
    if (Object.hasOwn(parameters, parameter)) continue;
    fail(`The query module "${name}" refers to the parameter "${parameter}", which it does not have.`);
  }
  for (const [parameter, p] of Object.entries(parameters)) {
    const [problem] = [...nameMistakes(parameter, p, module), ...mistakesIn(p)];
    if (problem !== undefined) {
      fail(`The parameter "${parameter}" of the query module "${name}" ${problem}.`);
    }
  }
};

/**
 * Checks for contradictory descriptors, and for names on the wire that two modules have. Names of `query` itself are
 * allowed, because `iwlinks` shares `iwurl` with it.
 *
 * @throws TypeError for the first mistake, with a message that names the module.
 */
export const checkDescriptors = (modules: readonly Described[], main: Described): void => {
  const owners = new Map(Object.keys(main.parameters).map((parameter) => [parameter, main.name]));
  for (const module of modules) {
    checkModule(module);
    const { name, prefix, parameters, generator } = module;
    for (const start of generator === true ? [prefix, `g${prefix}`] : [prefix]) {
      for (const parameter of Object.keys(parameters)) {
        const owner = owners.get(start + parameter);
        if (owner !== undefined) {
          fail(
            `The query module "${name}" and "${owner}" both have a parameter "${start}${parameter}". Choose a different prefix.`,
          );
        }
        owners.set(start + parameter, name);
      }
    }
  }
};
