import type { ModuleDescriptor, ParamDescriptor, TypeName } from './descriptor.js';

/** The types that handlers receive. */
interface TypeMap {
  string: string;
  integer: number;
  /** Within the caller's bounds; `max` is resolved. */
  limit: number;
  /** Whether the parameter was present. */
  boolean: boolean;
  /** UTC, `YYYY-MM-DDTHH:MM:SSZ`. */
  timestamp: string;
  /** A canonical name or address. */
  user: string;
  /** A namespace id. */
  namespace: number;
  /** The prefixed text of a title, with spaces. */
  title: string;
}

/** One value: a union of the listed values, or the type of the named type. */
type Scalar<T> = T extends readonly (infer V)[] ? V : T extends TypeName ? TypeMap[T] : never;

type Value<P extends ParamDescriptor> = P extends { readonly multi: true }
  ? readonly Scalar<P['type']>[]
  : Scalar<P['type']>;

/** Parameters that are never `undefined`: booleans, and parameters that are required or have a default. */
type AlwaysPresent<P extends ParamDescriptor> = P extends
  | { readonly type: 'boolean' }
  | { readonly required: true }
  | { readonly default: string | number }
  ? true
  : false;

type Parameters = Readonly<Record<string, ParamDescriptor>>;

type Templated<P extends Parameters> = {
  [K in keyof P]: P[K] extends { readonly templatevars: object } ? K : never;
}[keyof P];

type Present<P extends Parameters> = {
  [K in Exclude<keyof P, Templated<P>>]: AlwaysPresent<P[K]> extends true ? K : never;
}[Exclude<keyof P, Templated<P>>];

type Optional<P extends Parameters> = Exclude<keyof P, Templated<P> | Present<P>>;

/** The values of a variable: those of its source if they are listed, otherwise any text. */
type Fill<P extends Parameters, Source> = Source extends keyof P ? Extract<Scalar<P[Source]['type']>, string> : string;

/** `contentformat-{slot}` with the variables filled in: `contentformat-main`. */
type Expand<P extends Parameters, Name, Variables> = Name extends `${infer Before}{${infer Variable}}${infer After}`
  ? `${Before}${Variable extends keyof Variables ? Fill<P, Variables[Variable]> : string}${Expand<P, After, Variables>}`
  : Extract<Name, string>;

type TemplatedKeys<P extends Parameters> = {
  readonly [K in Templated<P> as Expand<P, K, P[K]['templatevars']>]?: Value<P[K]>;
};

/** Flattens an intersection, for readable types in editors. */
type Flatten<T> = { [K in keyof T]: T[K] };

/** The parsed parameters of a module, by their names without the prefix, derived from its descriptor. */
export type ModuleParams<M extends Pick<ModuleDescriptor, 'parameters'>> = Flatten<
  { readonly [K in Present<M['parameters']>]: Value<M['parameters'][K]> } & {
    readonly [K in Optional<M['parameters']>]?: Value<M['parameters'][K]>;
  } & TemplatedKeys<M['parameters']>
>;

/** The values of any module's parameters, by their names without the prefix. Absent ones have no key. */
export type ParsedParams = Record<string, unknown>;
