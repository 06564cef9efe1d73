import { ApiError } from '../answer/api-error.js';
import type { ModuleDescriptor, ParamDescriptor } from '../descriptor.js';
import { compileParameter, missingParameter, type ParameterReader, type ParameterSource } from './parameter.js';
import type { Site } from '../site/site.js';
import type { ModuleParams } from './module-params.js';
import type { ParsedParams } from './parsed-params.js';
import { compileTemplates } from './templated.js';
import type { ParseContext } from '../types/index.js';

export type { ParameterSource } from './parameter.js';
export type { ParseContext } from '../types/index.js';

/** What is described by parameters: a query module, or the action and the main module around it. */
export type Described = Omit<ModuleDescriptor, 'group'> & {
  readonly group: 'list' | 'prop' | 'meta' | 'action' | 'main';
  /** Names of parameters whose values are given as they came: what reads them cleans them. */
  readonly uncleaned?: readonly string[];
};

/** The values that a parser gives: by the names of the descriptor, where the compiler knows them. */
export type ParsedBy<M extends Pick<Described, 'parameters'>> = string extends keyof M['parameters']
  ? ParsedParams
  : ModuleParams<M>;

/** A module whose descriptor has been read once and for all. */
export interface ModuleParser<Params = ParsedParams> {
  /** `query+allpages` */
  readonly path: string;
  /** Whether a name of the request is one of this module's parameters; templated ones are known after parsing only. */
  knows(wireName: string): boolean;
  /** What a parameter is when a request does not name it, by its bare name. */
  fallback(name: string): unknown;
  /**
   * Reads, checks and converts the module's parameters.
   *
   * @throws ApiError for the first parameter, in the order of the descriptor, that cannot be used.
   */
  parse(source: ParameterSource, context: ParseContext): Params;
}

/** How the module is used in a request. As a generator, its parameters carry a `g` in front. */
export type Role = 'module' | 'generator';

/** Turns a descriptor into a parser. Done at start; nothing of the descriptor is interpreted again per request. */
export const compileModule = <const M extends Described>(
  module: M,
  site: Site,
  role: Role = 'module',
): ModuleParser<ParsedBy<M>> => {
  const path = pathOf(module);
  const wirePrefix = (role === 'generator' ? 'g' : '') + module.prefix;
  const feature = featureOf(module);
  const compile = (name: string, descriptor: ParamDescriptor): ParameterReader => {
    const { narrowedBy, checkedByRule, ...declared } = descriptor;
    if (narrowedBy) {
      const { parameter, ...bounds } = narrowedBy;
      return choose(compile(name, declared), compile(name, { ...declared, ...bounds }), wirePrefix + parameter);
    }
    if (checkedByRule) return compile(name, { ...declared, type: 'string' });
    return compileParameter(
      name,
      { descriptor, wireName: wirePrefix + name, modulePath: path, moduleName: module.name, feature, site },
      !module.uncleaned?.includes(name),
    );
  };
  const entries = Object.entries(module.parameters);
  const readers = entries.filter(([, d]) => !d.templatevars).map(([name, d]) => compile(name, d));
  const expand = compileTemplates(
    entries.filter(([, d]) => d.templatevars),
    { path, wirePrefix, compile },
  );
  // A class for each module's values lets the engine keep one layout for all of its requests.
  class Params {
    [name: string]: unknown;
  }
  const names = new Set(readers.map(({ wireName }) => wireName));
  return {
    path,
    knows: (wireName) => names.has(wireName),
    fallback: (name) => readers.find((reader) => reader.name === name)?.fallback,
    parse(source, context) {
      try {
        const params: ParsedParams = new Params();
        let failure: unknown;
        for (const reader of readers) {
          try {
            const raw = source.get(reader.wireName);
            if (raw !== undefined) params[reader.name] = reader.read(raw, source, context);
            else if (reader.fallback !== undefined) params[reader.name] = reader.fallback;
            else if (reader.mandatory) throw missingParameter(reader.wireName);
          } catch (error) {
            // The first mistake is the answer, but what is worth a warning in the others is still said.
            failure ??= error;
          }
        }
        if (failure !== undefined) throw failure;
        expand?.(params, source, context);
        // Each parameter has been read by what its descriptor says, which is what the type is read off.
        return params as ParsedBy<M>;
      } catch (error) {
        throw error instanceof ApiError ? error.in(path) : error;
      }
    },
  };
};

/** A reader for a parameter whose bounds depend on whether the request has the parameter `decisive`. */
const choose = (wide: ParameterReader, narrow: ParameterReader, decisive: string): ParameterReader => ({
  ...wide,
  read: (raw, source, context) => (source.get(decisive) === undefined ? wide : narrow).read(raw, source, context),
});

const pathOf = ({ group, name }: Described): string =>
  group === 'main' || group === 'action' ? name : `query+${name}`;

const featureOf = ({ group, name }: Described): string => {
  if (group === 'main') return '';
  return group === 'action' ? `action=${name}` : `action=query&${group}=${name}`;
};
