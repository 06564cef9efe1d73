import { message } from '../answer/messages.js';
import type { ParamDescriptor } from '../descriptor/descriptor.js';
import type { ParsedParams } from '../descriptor/module-params.js';
import { missingParameter, type ParameterReader, type ParameterSource } from './parameter.js';
import type { ParseContext } from './types/index.js';

/** Parses the templated parameters of a request and adds them to the others. */
type Expand = (params: ParsedParams, source: ParameterSource, context: ParseContext) => void;

/** A variable with braces, and the parameter that fills it. */
type Variable = readonly [variable: string, from: string];

interface Surroundings {
  readonly path: string;
  readonly wirePrefix: string;
  compile(name: string, descriptor: ParamDescriptor): ParameterReader;
}

const MAX_READERS = 256;

/**
 * Compiles templated parameters. A name such as `contentformat-{slot}` stands for one parameter per value of the
 * parameter that fills `slot`, which may be templated too.
 */
export const compileTemplates = (
  entries: readonly (readonly [string, ParamDescriptor])[],
  surroundings: Surroundings,
): Expand | undefined => {
  if (entries.length === 0) return undefined;
  const templates = entries.map(([name, descriptor]) => ({
    name,
    descriptor,
    variables: Object.entries(descriptor.templatevars ?? {}).map(([variable, from]): Variable => [
      `{${variable}}`,
      from,
    ]),
  }));
  // Requests repeat the same few names; a client that invents others only clears the cache.
  const readers = new Map<string, ParameterReader>();
  const readerOf = (name: string, descriptor: ParamDescriptor): ParameterReader => {
    const known = readers.get(name);
    if (known) return known;
    if (readers.size >= MAX_READERS) readers.clear();
    const reader = surroundings.compile(name, descriptor);
    readers.set(name, reader);
    return reader;
  };
  return (params, source, context) => {
    // Created on demand: few requests need it.
    let refused: Set<string> | undefined;
    const refuse = (from: string, value: string): void => {
      const id = `${from}=${value}`;
      if (refused?.has(id)) return;
      (refused ??= new Set()).add(id);
      const names = [{ plaintext: surroundings.wirePrefix + from }, { plaintext: value }];
      const text = message('apiwarn-ignoring-invalid-templated-value', ...names);
      context.warnings.add(surroundings.path, 'ignoring-invalid-templated-value', text);
    };
    for (const { name: template, descriptor, variables } of templates) {
      for (const name of namesOf(template, variables, params, refuse)) {
        const reader = readerOf(name, descriptor);
        (context.expanded ??= new Set()).add(reader.wireName);
        const raw = source.get(reader.wireName);
        if (raw !== undefined) params[name] = reader.read(raw, source, context);
        else if (reader.mandatory) throw missingParameter(reader.wireName);
        else if (reader.fallback !== undefined) params[name] = reader.fallback;
      }
    }
  };
};

const NO_NAMES: readonly string[] = [];

/** All names of a template. */
const namesOf = (
  name: string,
  [first, ...more]: readonly Variable[],
  params: ParsedParams,
  refuse: (from: string, value: string) => void,
): readonly string[] => {
  if (!first) return [name];
  const [variable, from] = first;
  const values = params[from];
  if (!Array.isArray(values) || values.length === 0) return NO_NAMES;
  const names: string[] = [];
  for (const value of values) {
    const text = String(value);
    if (BRACES.test(text)) {
      refuse(from, text);
      continue;
    }
    const filled = name.replace(variable, () => text);
    // The name of a later variable's source may contain this variable.
    if (more.length === 0) names.push(filled);
    else {
      const rest = more.map(([later, origin]): Variable => [later, origin.replaceAll(variable, () => text)]);
      names.push(...namesOf(filled, rest, params, refuse));
    }
  }
  return names;
};

const BRACES = /[{}]/;
