import type { LimitBounds, LimitRule, ModuleRule, PageRule } from './rule.js';

/**
 * Parameter types of a descriptor; alternatively, an array lists the allowed values. A handler receives a string for
 * `string`, `user` and `title`, a number for `integer`, `limit` and `namespace`, a boolean for `boolean`, and
 * `YYYY-MM-DDTHH:MM:SSZ` for `timestamp`.
 */
export type TypeName = 'string' | 'integer' | 'limit' | 'boolean' | 'timestamp' | 'user' | 'namespace' | 'title';

/** The accepted forms of a user: `id` is `#` and a number, `cidr` an IP range. */
export type UserSubtype = 'name' | 'ip' | 'temp' | 'interwiki' | 'id' | 'cidr';

/** A restriction that paraminfo shows and the module enforces, such as `singlepageonly`. */
export interface Annotation {
  /** Its name in `paraminfo`. */
  readonly name: string;
  /** Numbers that belong to it, such as modes. */
  readonly values?: readonly number[];
}

/** Bounds of a limit when the request has a certain parameter. */
export interface NarrowedLimit extends LimitBounds {
  /** The name of that parameter without the prefix. */
  readonly parameter: string;
}

/** One parameter of a module, as data. Flags are `true` or absent, never `false`. */
export interface ParamDescriptor {
  /** A named type, or the allowed values in the order of `*`. */
  readonly type: TypeName | readonly string[];
  /** The default in wire form, with several values separated by `|`. Not for booleans. */
  readonly default?: string | number;
  /** Accepts several values. */
  readonly multi?: true;
  /** An error if absent. */
  readonly required?: true;
  /** A warning if used. */
  readonly deprecated?: true;
  /** Allowed values that produce a warning. */
  readonly deprecatedvalues?: readonly string[];
  /** Contains a secret: its value must not be logged or stored. */
  readonly sensitive?: true;
  /** Values may be repeated. */
  readonly allowsduplicates?: true;
  /** For users: the accepted forms. */
  readonly subtypes?: readonly UserSubtype[];
  /** With several values: the value that selects all. Always `*` for namespaces. */
  readonly allspecifier?: string;
  /** For namespaces: the accepted ones below 0. */
  readonly extranamespaces?: readonly number[];
  /** For integers and limits: the minimum; lower values are raised to it. Default 0 for limits. */
  readonly min?: number;
  /** For integers and limits: the maximum; higher values are reduced to it. */
  readonly max?: number;
  /** As `max`, for callers with the right `apihighlimits`. */
  readonly highmax?: number;
  /** The maximum number of values. Default 50. */
  readonly lowlimit?: number;
  /** As `lowlimit`, for callers with the right `apihighlimits`. Default 500. */
  readonly highlimit?: number;
  /** Takes the default from the site. */
  readonly siteDefault?: 'mainPage' | 'language';
  /** Takes the list of values from the site. */
  readonly siteValues?: 'groups' | 'rights' | 'assignedRights' | 'contentModels';
  /**
   * With a list of values: the list is for descriptions only. Any text is accepted, and a rule of the module validates
   * it.
   */
  readonly checkedByRule?: true;
  /** For limits: different bounds when a boolean parameter of the module is present. */
  readonly narrowedBy?: NarrowedLimit;
  /** Restrictions to show in descriptions. */
  readonly info?: readonly Annotation[];
  /** Only for a name with a variable such as `contentformat-{slot}`: the parameter whose values fill each variable. */
  readonly templatevars?: Readonly<Record<string, string>>;
  /** One English sentence, plain text, for the help pages. */
  readonly description?: string;
}
/** The place of a module's data in the response, and its form in formatversion 1. */
export interface ResultDescriptor {
  /**
   * Default: under `key`, in `query` or, for a `prop` module, in each page. `top`: a list at the top level, next to
   * `query`. `results`: a list as the `results` of an object. `merged`: the data of a `prop` module is merged into the
   * page, and of a `meta` module into `query`.
   */
  readonly place?: 'top' | 'results' | 'merged';
  /** The name of the data. Default: the name of the module. */
  readonly key?: string;
  /** With `results`: the parameter whose value is the `name` of the object. */
  readonly namedBy?: string;
  /**
   * The key that formatversion 1 calls `*`: an object's content. If `merged` data has several lists: this key for each
   * list.
   */
  readonly contentKey?: string | Readonly<Record<string, string>>;
  /** Flags that formatversion 1 shows even when `false`. */
  readonly explicitFalse?: readonly string[];
  /** An empty list is omitted. */
  readonly omitEmpty?: true;
  /** The data of a `meta` module is a list: without a handler it is an empty list, not an empty object. */
  readonly list?: true;
}

/** An example request of a module, for the help pages. */
export interface ExampleDescriptor {
  /** Parameters by their names without the prefix, in addition to those of every request of the kind. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** For a `prop` module: the page. Default `Main Page`. */
  readonly titles?: string;
}

/** Conditions of a module that are functions. */
export interface ModuleRules {
  /** Conditions between its parameters, checked in this order after parsing. */
  readonly rules?: readonly ModuleRule[];
  /** Conditions that also depend on the pages of the request. */
  readonly pageRules?: readonly PageRule[];
  /** How other parameters change its limit. */
  readonly limitRule?: LimitRule;
}

/** A module of `query`, as data: the source for parsing, types, descriptions and help. */
export interface ModuleDescriptor extends ModuleRules {
  /** Its name in requests. */
  readonly name: string;
  /** `list` enumerates, `prop` describes given pages, `meta` describes the site or the caller. */
  readonly group: 'list' | 'prop' | 'meta';
  /** The prefix of its parameters on the wire; may be empty. */
  readonly prefix: string;
  /** Can be used as a generator. */
  readonly generator?: true;
  /** A warning if used. */
  readonly deprecated?: true;
  /** `false` if the module answers callers without read rights. */
  readonly readrights?: false;
  /** The place of its data in the response. */
  readonly result?: ResultDescriptor;
  /**
   * For a `prop` module: it also runs if the request has only `missing` pages, only missing or `special` pages, only
   * missing pages or revisions without a page (`revisions`), or no pages at all (`none`).
   */
  readonly alsoFor?: 'missing' | 'special' | 'revisions' | 'none';
  /** The order of its list is significant: as a generator it numbers its pages. */
  readonly ranked?: true;
  /**
   * What a `prop` module about revisions yields as a generator: its pages, once for each revision (`revisions`), or
   * once for all revisions if they no longer belong to a page (`titles`).
   */
  readonly yields?: 'revisions' | 'titles';
  /** For a generator: the key of an item's page id, if it is not `pageid`. */
  readonly pageidKey?: string;
  /** The parameter for continuation, if it is not `continue`. */
  readonly continueWith?: string;
  /** An example request. */
  readonly example?: ExampleDescriptor;
  /** One English sentence, plain text, for the help pages. */
  readonly description?: string;
  /** In the order in which they are checked and described. */
  readonly parameters: Readonly<Record<string, ParamDescriptor>>;
}

/**
 * Preserves a descriptor's literal types, from which the types of its parameters are derived. `rules` are not part of
 * the type.
 */
export const defineModule = <const M extends ModuleDescriptor>(module: M, rules: ModuleRules = {}): M => ({
  ...module,
  ...rules,
});
