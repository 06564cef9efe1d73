import type { ApiError } from '../answer/api-error.js';
import type { ParamDescriptor } from '../descriptor.js';
import type { Warnings } from '../answer/warnings.js';
import type { Site } from '../site/site.js';

/** What a value needs to know about the request it came with. */
export interface ParseContext {
  /** Whether the caller may use the raised limits. */
  readonly highLimits: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly warnings: Warnings;
  /** Where `limit=max` is noted, as soon as there is something to note: module name → limit in force. */
  limits?: Map<string, number>;
  /** Ids of users that the request names, if there are any. */
  userIds?: Set<number>;
  /** Names on the wire that templated parameters have taken on in this request, if there are any. */
  expanded?: Set<string>;
}

/** A parameter as its type sees it: the descriptor, its name on the wire, and whose it is. */
export interface TypedParameter {
  readonly descriptor: ParamDescriptor;
  /** Prefix and name: `aplimit`, `gaplimit`. */
  readonly wireName: string;
  /** `query+allpages` */
  readonly modulePath: string;
  /** `allpages` */
  readonly moduleName: string;
  /** How a deprecation names the module: `action=query&list=allpages` */
  readonly feature: string;
  readonly site: Site;
}

/**
 * Reads one value. `undefined` means that the text is none of the allowed values, which is an error for a single value
 * and a warning for one of many; everything else that is wrong is thrown as an `ApiError`.
 */
export type ValueParser<V> = (text: string, context: ParseContext) => V | undefined;

/** The behaviour of a parameter type. */
export interface TypeDef<V> {
  /** Prepares the parser of one parameter, so that no descriptor is looked at again when a request comes. */
  compile(parameter: TypedParameter): ValueParser<V>;
  /** Whether a text that could be read as it came is thereby known to need no cleaning. */
  readonly provesClean?: true;
  /** The most UTF-16 code units of one value; that of a name if absent. */
  readonly most?: number;
  /**
   * The error for a value that is longer, or has too many combining marks in a row. A type without it is given such a
   * value as it came: its parser knows none of them.
   */
  refuse?(text: string, wireName: string): ApiError;
  /** The inverse: what a client would send for this value. */
  stringify(value: V): string;
  /** All values, in order, of a type with a closed list; they are what `*` stands for. */
  values?(parameter: TypedParameter): readonly V[];
}
