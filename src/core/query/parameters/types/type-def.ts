import type { ApiError } from '../../answer/api-error.js';
import type { Warnings } from '../../answer/warnings.js';
import type { ParamDescriptor } from '../../descriptor/descriptor.js';
import type { Site } from '../../site/site.js';

/** The context of parsing a value. */
export interface ParseContext {
  /** Whether the caller has the high limits. */
  readonly highLimits: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly warnings: Warnings;
  /** The values of `limit=max` by module, if any. */
  limits?: Map<string, number>;
  /** User ids in the request, if any. */
  userIds?: Set<number>;
  /** Names of templated parameters in this request, if any. */
  expanded?: Set<string>;
}

/** The input of a type: the parameter and its module. */
export interface TypedParameter {
  readonly descriptor: ParamDescriptor;
  /** Prefix and name: `aplimit`, `gaplimit`. */
  readonly wireName: string;
  /** `query+allpages` */
  readonly modulePath: string;
  /** `allpages` */
  readonly moduleName: string;
  /** The module in deprecation warnings: `action=query&list=allpages` */
  readonly feature: string;
  readonly site: Site;
}

/**
 * Parses one value. Returns `undefined` if it is not one of the allowed values, which is an error for a single value
 * and a warning for one of several; throws an `ApiError` otherwise.
 */
export type ValueParser<V> = (text: string, context: ParseContext) => V | undefined;

/** The implementation of a parameter type. */
export interface TypeDef<V> {
  /** Compiles the parser of a parameter at startup. */
  compile(parameter: TypedParameter): ValueParser<V>;
  /** The maximum length of a value in UTF-16 code units; default: that of a name. */
  readonly most?: number;
  /**
   * The error for a value that is longer, or has too many combining marks in a row. Without it, the parser receives the
   * value unchanged and rejects it.
   */
  refuse?(text: string, wireName: string): ApiError;
  /** All values, in order, if the type has a list: the meaning of `*`. */
  values?(parameter: TypedParameter): readonly V[];
}
