import { ApiError } from '../answer/api-error.js';
import { commaList, message } from '../answer/messages.js';
import { splitValues } from './multi-value.js';
import { cleanText } from '../request/raw-values.js';
import {
  enumeration,
  type ParseContext,
  TYPES,
  type TypeDef,
  type TypedParameter,
  type ValueParser,
} from '../types/index.js';
import { Warnings } from '../answer/warnings.js';

/** Where the texts come from: the parameters of a request by their names on the wire. */
export interface ParameterSource {
  get(wireName: string): string | undefined;
  /** Whether the value came as bytes that were not UTF-8. */
  malformed(wireName: string): boolean;
}

/** One parameter, ready to be read. */
export interface ParameterReader {
  readonly name: string;
  readonly wireName: string;
  /** Its absence is an error. */
  readonly mandatory: boolean;
  /** The value when the request says nothing. */
  readonly fallback: unknown;
  read(raw: string, source: ParameterSource, context: ParseContext): unknown;
}

/** So few values are compared one with another; more are put into a set. */
const FEW = 8;
const MOST_REMEMBERED = 64;
const MOST_REMEMBERED_TEXT = 256;
const LOW_LIMIT = 50;
const HIGH_LIMIT = 500;

/** Prepares the reading of one parameter: cleaning, deprecation, one value or many, and its type. */
export function compileParameter(name: string, parameter: TypedParameter): ParameterReader {
  const { descriptor, wireName, modulePath, feature } = parameter;
  const type: TypeDef<unknown> = typeof descriptor.type === 'string' ? TYPES[descriptor.type] : enumeration;
  const parse = type.compile(parameter);
  const known = descriptor.multi && type.values ? new Map<string, readonly unknown[]>() : undefined;
  const convert = descriptor.multi ? compileMany(parameter, type, parse, known) : compileSingle(parameter, parse);
  // What is one of a few words or digits needs no cleaning: that it could be read shows that it is clean.
  const provesClean = !descriptor.multi && type.provesClean === true;
  const deprecated = descriptor.deprecated === true;
  return {
    name,
    wireName,
    mandatory: descriptor.required === true && descriptor.default === undefined,
    fallback: fallbackOf(parameter, convert),
    read(raw, source, context) {
      if (deprecated) {
        context.warnings.deprecation(
          modulePath,
          message('apiwarn-deprecation-parameter', { plaintext: wireName }),
          `${feature}&${wireName}`,
        );
      }
      if (provesClean) {
        try {
          return convert(raw, context);
        } catch (error) {
          if (cleanText(raw) === raw && !source.malformed(wireName)) throw error;
        }
      }
      const ready = known?.get(raw);
      if (ready) return ready;
      const text = cleanText(raw);
      if (text !== raw || source.malformed(wireName)) {
        context.warnings.add(modulePath, 'badutf8', message('apiwarn-badutf8', { plaintext: wireName }));
      }
      return convert(text, context);
    },
  };
}

export const missingParameter = (wireName: string): ApiError =>
  new ApiError('missingparam', message('paramvalidator-missingparam', { plaintext: wireName }));

type Converter = (text: string, context: ParseContext) => unknown;

function compileSingle({ descriptor, wireName }: TypedParameter, parse: ValueParser<unknown>): Converter {
  if (descriptor.type === 'boolean') return () => true;
  const needsText = descriptor.required === true && descriptor.type === 'string';
  return (text, context) => {
    if (text.charCodeAt(0) === 0x1f) {
      throw new ApiError('badvalue', message('paramvalidator-notmulti', { plaintext: wireName }, { plaintext: text }));
    }
    if (needsText && text === '') throw missingParameter(wireName);
    const value = parse(text, context);
    if (value === undefined) {
      throw new ApiError(
        'badvalue',
        message('paramvalidator-badvalue-enumnotmulti', { plaintext: wireName }, { plaintext: text }),
      );
    }
    return value;
  };
}

/**
 * @param known - Filled with the lists that were read without a remark: clients send the same few again and again.
 */
function compileMany(
  parameter: TypedParameter,
  type: TypeDef<unknown>,
  parse: ValueParser<unknown>,
  known: Map<string, readonly unknown[]> | undefined,
): Converter {
  const { descriptor, wireName, modulePath } = parameter;
  const low = descriptor.lowlimit ?? LOW_LIMIT;
  const high = Math.max(descriptor.highlimit ?? HIGH_LIMIT, low);
  const everything = Object.freeze([...(type.values?.(parameter) ?? [])]);
  const all = allSpecifier(parameter, everything);
  const keepsDuplicates = descriptor.allowsduplicates === true;
  return (text, context) => {
    if (text === all) return everything;
    const texts = splitValues(text, high + 1);
    const limit = context.highLimits ? high : low;
    if (texts.length > limit) throw tooMany(wireName, limit, low, high);
    const before = context.warnings.list.length;
    const values: unknown[] = [];
    let unknown: string[] | undefined;
    for (const one of texts) {
      const value = parse(one, context);
      if (value === undefined) (unknown ??= []).push(one);
      else if (keepsDuplicates || texts.length > FEW || !values.includes(value)) values.push(value);
    }
    if (unknown) {
      context.warnings.add(
        modulePath,
        'unrecognizedvalues',
        message('paramvalidator-unrecognizedvalues', { plaintext: wireName }, { plaintext: text }, commaList(unknown), {
          num: unknown.length,
        }),
        { values: unknown },
      );
    }
    const result = keepsDuplicates || texts.length <= FEW ? values : [...new Set(values)];
    if (
      known &&
      context.warnings.list.length === before &&
      texts.length <= low &&
      text.length <= MOST_REMEMBERED_TEXT
    ) {
      // A key made afresh does not keep the request's text in memory.
      const key = result.join('|');
      if (known.size >= MOST_REMEMBERED) known.clear();
      if (key === text) known.set(key, Object.freeze(result));
    }
    return result;
  };
}

/** The text that stands for every value, if there is a list of them. Namespaces always have one. */
function allSpecifier({ descriptor }: TypedParameter, everything: readonly unknown[]): string | undefined {
  if (everything.length === 0) return undefined;
  return descriptor.allspecifier ?? (descriptor.type === 'namespace' ? '*' : undefined);
}

function tooMany(wireName: string, limit: number, lowlimit: number, highlimit: number): ApiError {
  return new ApiError(
    'toomanyvalues',
    message('paramvalidator-toomanyvalues', { plaintext: wireName }, { num: limit }),
    { data: { parameter: wireName, limit, lowlimit, highlimit } },
  );
}

/**
 * The parsed default. It is declared in wire form and goes the same way as a client's text, under raised limits,
 * because the catalogue may name more values than a caller could.
 */
function fallbackOf({ descriptor, wireName }: TypedParameter, convert: Converter): unknown {
  if (descriptor.type === 'boolean') return false;
  if (descriptor.default === undefined) return undefined;
  const warnings = new Warnings();
  const value = convert(String(descriptor.default), {
    highLimits: true,
    now: 0,
    warnings,
  });
  const odd = warnings.list.find(({ code }) => code !== 'deprecation' && code !== 'deprecation-help');
  if (odd) throw new TypeError(`The default of "${wireName}" is none of its values: ${String(descriptor.default)}`);
  // Every request gets the same list.
  return Array.isArray(value) ? Object.freeze(value) : value;
}
