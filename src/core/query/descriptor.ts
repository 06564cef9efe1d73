import type { LimitBounds, LimitRule, ModuleRule, PageRule } from './rules/rule.js';

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

/** Bounds of a limit that hold when the request has a certain parameter. */
export interface NarrowedLimit extends LimitBounds {
  /** The bare name of that parameter. */
  readonly parameter: string;
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
  /** The site's own is the default, in place of the declared one. */
  readonly siteDefault?: 'mainPage' | 'language';
  /** What the site has is the list of values, in place of the declared one. */
  readonly siteValues?: 'groups' | 'rights' | 'assignedRights' | 'contentModels';
  /** With a list of values: the list is a description only. Any text is read, and one of the module's rules judges it. */
  readonly checkedByRule?: true;
  /** For limits: a boolean parameter of the module that, when it is there, puts other bounds in place of these. */
  readonly narrowedBy?: NarrowedLimit;
  /** Remarks for those who read the description. */
  readonly info?: readonly Annotation[];
  /** Only for a name with a variable such as `contentformat-{slot}`: variable → parameter whose values fill it. */
  readonly templatevars?: Readonly<Record<string, string>>;
  /** One English sentence, plain text, for the help pages. The catalogue's own are kept apart from it. */
  readonly description?: string;
}

/** Where the data of a module stand in the answer, and what formatversion 1 does with them. */
export interface ResultDescriptor {
  /**
   * Without it, below `query` (or with each page, for a `prop` module) under `key`. `top`: a list stands beside `query`.
   * `results`: a list stands as the `results` of an object. `merged`: what a `prop` module says of a page becomes part of
   * the page, and what a `meta` module says becomes part of `query`.
   */
  readonly place?: 'top' | 'results' | 'merged';
  /** What the data are called. Without it, as the module. */
  readonly key?: string;
  /** With `results`: the parameter whose value is the `name` of the object. */
  readonly namedBy?: string;
  /**
   * The key of an object that formatversion 1 calls `*`, its content. Where `merged` data hold several lists: such a key
   * for each, by the name of the list.
   */
  readonly contentKey?: string | Readonly<Record<string, string>>;
  /** Flags that formatversion 1 shows although they are not set. */
  readonly keptFalse?: readonly string[];
  /** A list without items is not shown at all. */
  readonly omitEmpty?: true;
  /** The data of a `meta` module are a list: an empty one when no handler answers, not an empty object. */
  readonly list?: true;
}

/** A request that shows a module at work, for the help pages. */
export interface ExampleDescriptor {
  /** Parameters by their bare names, beside those that every request of the kind has. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** For a `prop` module: the page that it is asked about. Without it, `Main Page`. */
  readonly titles?: string;
}

/** What a description leaves to functions. */
export interface ModuleRules {
  /** Conditions between its parameters, looked at in this order as soon as they are read. */
  readonly rules?: readonly ModuleRule[];
  /** Conditions that also depend on the pages of the request. */
  readonly pageRules?: readonly PageRule[];
  /** What its other parameters do to its limit. */
  readonly limitRule?: LimitRule;
}

/** A module below `query`, as data: all that parsing, types, descriptions and help need to know about it. */
export interface ModuleDescriptor extends ModuleRules {
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
  /** Where its data stand in the answer. */
  readonly result?: ResultDescriptor;
  /**
   * For a `prop` module: it is also asked when the request names only `missing` pages, only missing or `special` ones, only
   * revisions that no page has (`revisions`, and missing pages too), or `none` at all.
   */
  readonly alsoFor?: 'missing' | 'special' | 'revisions' | 'none';
  /** The order of its list is the point: as a generator it numbers its pages. */
  readonly ranked?: true;
  /**
   * What a `prop` module that says something about revisions yields as a generator: its own pages, once for each revision, or
   * once for all of them when the revisions are no page's any more.
   */
  readonly yields?: 'revisions' | 'titles';
  /** The key of an item that holds a page id, for a generator whose items do not call it `pageid`. */
  readonly pageidKey?: string;
  /** The parameter with which it goes on, if that is not `continue`. */
  readonly continueWith?: string;
  /** A request that shows it at work. */
  readonly example?: ExampleDescriptor;
  /** One English sentence, plain text, for the help pages. The catalogue's own are kept apart from it. */
  readonly description?: string;
  /** In the order in which they are checked and described. */
  readonly parameters: Readonly<Record<string, ParamDescriptor>>;
}

/**
 * Keeps a descriptor's literal types, so that its parameters can be read off it. Rules that are given apart do not show in
 * its type.
 */
export const defineModule = <const M extends ModuleDescriptor>(module: M, rules: ModuleRules = {}): M => ({
  ...module,
  ...rules,
});
