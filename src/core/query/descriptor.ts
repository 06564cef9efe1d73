/**
 * Names of the parameter types that a descriptor may use, beside an array that lists the allowed values.
 * What a handler gets for each: `string`, `user`, `title` a text; `integer`, `limit`, `namespace` a number; `boolean` a
 * boolean; `timestamp` a text `YYYY-MM-DDTHH:MM:SSZ`.
 */
export type TypeName = 'string' | 'integer' | 'limit' | 'boolean' | 'timestamp' | 'user' | 'namespace' | 'title';

/** The forms in which a user may be given: `id` is `#` and a number, `cidr` a range of addresses. */
export type UserSubtype = 'name' | 'ip' | 'temp' | 'interwiki' | 'id' | 'cidr';

/** A remark that paraminfo shows and that the module enforces, such as `singlepageonly`. */
export interface Annotation {
  /** What the remark says, in the word that `paraminfo` uses. */
  readonly name: string;
  /** Numbers that belong to it, such as the modes that it speaks of. */
  readonly values?: readonly number[];
}

/** One parameter of a module, as data. Flags are there or not; nothing is ever `false`. */
export interface ParamDescriptor {
  /** A named type, or the allowed values in the order in which `*` gives them. */
  readonly type: TypeName | readonly string[];
  /** What holds when the request does not say, in wire form: several values joined with `|`. Never for a boolean. */
  readonly default?: string | number;
  /** Takes several values. */
  readonly multi?: true;
  /** Its absence is an error. */
  readonly required?: true;
  /** Using it is a warning. */
  readonly deprecated?: true;
  /** Allowed values whose use is a warning. */
  readonly deprecatedvalues?: readonly string[];
  /** Holds a secret: its value must not be kept anywhere. */
  readonly sensitive?: true;
  /** Keeps a value that is given twice. */
  readonly allowsduplicates?: true;
  /** For users: the forms in which one may be given. */
  readonly subtypes?: readonly UserSubtype[];
  /** With several values: the one that stands for all. A parameter for namespaces always has `*`. */
  readonly allspecifier?: string;
  /** For namespaces: those below 0 that are accepted as well. */
  readonly extranamespaces?: readonly number[];
  /** For integers and limits: the least value; anything below is raised to it. A limit's is 0 without it. */
  readonly min?: number;
  /** For integers and limits: the greatest value; anything above is cut to it. */
  readonly max?: number;
  /** As `max`, for callers with the right `apihighlimits`. */
  readonly highmax?: number;
  /** How many values may be given at once. Default 50. */
  readonly lowlimit?: number;
  /** As `lowlimit`, for callers with the right `apihighlimits`. Default 500. */
  readonly highlimit?: number;
  /** Remarks for those who read the description. */
  readonly info?: readonly Annotation[];
  /** Only for a name with a variable such as `contentformat-{slot}`: variable → parameter whose values fill it. */
  readonly templatevars?: Readonly<Record<string, string>>;
  /** One English sentence, plain text, for the help pages. The catalogue's own are kept apart from it. */
  readonly description?: string;
}

/** A module below `query`, as data: all that parsing, types, descriptions and help need to know about it. */
export interface ModuleDescriptor {
  /** What a request calls it. */
  readonly name: string;
  /** `list` enumerates, `prop` says something about given pages, `meta` about the site or the caller. */
  readonly group: 'list' | 'prop' | 'meta';
  /** Stands before the names of its parameters on the wire; may be empty. */
  readonly prefix: string;
  /** Its pages can be handed to `prop` modules. */
  readonly generator?: true;
  /** Using it is a warning. */
  readonly deprecated?: true;
  /** `false` for a module that answers callers without the right to read. */
  readonly readrights?: false;
  /** One English sentence, plain text, for the help pages. The catalogue's own are kept apart from it. */
  readonly description?: string;
  /** In the order in which they are checked and described. */
  readonly parameters: Readonly<Record<string, ParamDescriptor>>;
}

/** Keeps a descriptor's literal types, so that its parameters can be read off it. */
export const defineModule = <const M extends ModuleDescriptor>(module: M): M => module;
