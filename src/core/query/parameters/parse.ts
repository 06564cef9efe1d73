import { ApiError } from '../answer/api-error.js';
import type { ModuleDescriptor, ParamDescriptor } from '../descriptor/descriptor.js';
import type { ModuleParams, ParsedParams } from '../descriptor/module-params.js';
import type { Site } from '../site/site.js';
import { compileParameter, missingParameter, type ParameterReader, type ParameterSource } from './parameter.js';
import { compileTemplates } from './templated.js';
import type { ParseContext, TypedParameter } from './types/index.js';

/** A module with parameters: a query module, an action or the main module. */
export type Described = Omit<ModuleDescriptor, 'group'> & {
  readonly group: 'list' | 'prop' | 'meta' | 'action' | 'main';
  /** Parameters whose values are not cleaned by the parser. */
  readonly uncleaned?: readonly string[];
};

/** The values that a parser returns, typed by the descriptor if its parameters are known at compile time. */
export type ParsedBy<M extends Pick<Described, 'parameters'>> = string extends keyof M['parameters']
  ? ParsedParams
  : ModuleParams<M>;

/** A compiled module. */
export interface ModuleParser<Params = ParsedParams> {
  /** `query+allpages` */
  readonly path: string;
  /** The module in deprecation warnings: `action=query&list=allpages` */
  readonly feature: string;
  readonly role: Role;
  /** The beginning of all names on the wire: `ap`, for a generator `gap`. */
  readonly wirePrefix: string;
  /** The parameter `limit`, if it has one. */
  readonly limit: TypedParameter | undefined;
  /** Whether the module has this parameter. Templated parameters are not included. */
  knows(wireName: string): boolean;
  /** The default of a parameter, by its name without the prefix. */
  fallback(name: string): unknown;
  /**
   * Parses and validates the module's parameters.
   *
   * @throws ApiError for the first invalid parameter, in the order of the descriptor.
   */
  parse(source: ParameterSource, context: ParseContext): Params;
}

/** How the module is used in a request. The parameters of a generator are prefixed with `g`. */
type Role = 'module' | 'generator';

/** Compiles a descriptor to a parser, once at startup. */
export const compileModule = <const M extends Described>(
  module: M,
  site: Site,
  role: Role = 'module',
): ModuleParser<ParsedBy<M>> => {
  const path = pathOf(module);
  const wirePrefix = (role === 'generator' ? 'g' : '') + module.prefix;
  const feature = featureOf(module);
  const typed = (name: string, descriptor: ParamDescriptor): TypedParameter => ({
    descriptor,
    modulePath: path,
    moduleName: module.name,
    feature,
    site,
    wireName: wirePrefix + name,
  });
  const compile = (name: string, descriptor: ParamDescriptor): ParameterReader => {
    const { narrowedBy, checkedByRule, ...declared } = descriptor;
    if (narrowedBy) {
      const { parameter, ...bounds } = narrowedBy;
      return choose(compile(name, declared), compile(name, { ...declared, ...bounds }), wirePrefix + parameter);
    }
    if (checkedByRule) return compile(name, { ...declared, type: 'string' });
    return compileParameter(name, typed(name, descriptor), !module.uncleaned?.includes(name));
  };
  const entries = Object.entries(module.parameters);
  const readers = entries.filter(([, d]) => !d.templatevars).map(([name, d]) => compile(name, d));
  const expand = compileTemplates(
    entries.filter(([, d]) => d.templatevars),
    { path, wirePrefix, compile },
  );
  // With a class per module, V8 uses one hidden class for the parameters of all its requests.
  class Params {
    [name: string]: unknown;
  }
  const names = new Set(readers.map(({ wireName }) => wireName));
  const { limit } = module.parameters;
  return {
    path,
    feature,
    role,
    wirePrefix,
    limit: limit && typed('limit', limit),
    knows: (wireName) => names.has(wireName),
    fallback: (name) => readers.find((reader) => reader.name === name)?.fallback,
    parse(source, context) {
      try {
        const params: ParsedParams = new Params();
        readAll(readers, params, source, context);
        expand?.(params, source, context);
        // The type is derived from the descriptor that the parameters were parsed with.
        return params as ParsedBy<M>;
      } catch (error) {
        throw error instanceof ApiError ? error.in(path) : error;
      }
    },
  };
};

/** @throws ApiError for the first invalid parameter. The others add their warnings all the same. */
const readAll = (
  readers: readonly ParameterReader[],
  params: ParsedParams,
  source: ParameterSource,
  context: ParseContext,
): void => {
  let failure: unknown;
  for (const reader of readers) {
    try {
      const raw = source.get(reader.wireName);
      if (raw !== undefined) params[reader.name] = reader.read(raw, source, context);
      else if (reader.fallback !== undefined) params[reader.name] = reader.fallback;
      else if (reader.mandatory) throw missingParameter(reader.wireName);
    } catch (error) {
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
};

/** A reader for a parameter whose bounds depend on the presence of the parameter `decisive`. */
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
