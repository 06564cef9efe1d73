import { MAX_LENGTH } from '../../base/text.js';
import { ApiError } from '../answer/api-error.js';
import { commaList, message } from '../answer/messages.js';
import { Warnings } from '../answer/warnings.js';
import { everythingOf, type ValueCounts, valueCounts } from '../descriptor/descriptor-facts.js';
import { SEPARATOR, splitValues } from './multi-value.js';
import { cleanText } from './raw-values.js';
import {
  enumeration,
  type ParseContext,
  TYPES,
  type TypeDef,
  type TypedParameter,
  type ValueParser,
} from './types/index.js';

/** The raw parameters of a request, by their names on the wire. */
export interface ParameterSource {
  get(wireName: string): string | undefined;
  /** Whether the value was not valid UTF-8. */
  malformed(wireName: string): boolean;
}

/** A compiled parameter. */
export interface ParameterReader {
  readonly name: string;
  readonly wireName: string;
  /** An error if absent. */
  readonly mandatory: boolean;
  /** The value if absent. */
  readonly fallback: unknown;
  read(raw: string, source: ParameterSource, context: ParseContext): unknown;
}

/** Up to this number of values, comparing them is faster than a set. */
const FEW = 8;

/** How a parameter is parsed. */
interface Reading {
  readonly parse: ValueParser<unknown>;
  /** Cleans one value, or throws the error of its type. */
  clean(raw: string): string;
  /** Cleans each value of a list. */
  cleanAll(raw: string, pieces: readonly string[]): readonly string[];
  /** Whether the text was not valid UTF-8. */
  isMalformed(source: ParameterSource): boolean;
}

interface ReadingOfMany extends Reading {
  readonly counts: ValueCounts;
}

/**
 * Compiles a parameter.
 *
 * @param cleans - Whether values are cleaned here; otherwise the reader of the values does.
 */
export const compileParameter = (name: string, parameter: TypedParameter, cleans = true): ParameterReader => {
  const { descriptor, wireName } = parameter;
  const type: TypeDef<unknown> = typeof descriptor.type === 'string' ? TYPES[descriptor.type] : enumeration;
  const reading = { parse: type.compile(parameter), ...(cleans ? cleanersOf(type, wireName) : AS_IT_CAME) };
  const counts = valueCounts(descriptor);
  const convert = counts ? compileMany(parameter, type, { ...reading, counts }) : compileSingle(parameter, reading);
  return {
    name,
    wireName,
    mandatory: descriptor.required === true && descriptor.default === undefined,
    fallback: fallbackOf(parameter, convert),
    read: descriptor.deprecated === true ? afterWarning(parameter, convert) : convert,
  };
};

/** Converts a raw value. */
type Converter = ParameterReader['read'];

const afterWarning =
  ({ wireName, modulePath, feature }: TypedParameter, convert: Converter): Converter =>
  (raw, source, context) => {
    context.warnings.deprecation(
      modulePath,
      message('apiwarn-deprecation-parameter', { plaintext: wireName }),
      `${feature}&${wireName}`,
    );
    return convert(raw, source, context);
  };

type Cleaners = Omit<Reading, 'parse'>;

const AS_IT_CAME: Cleaners = { clean: (raw) => raw, cleanAll: (_raw, pieces) => pieces, isMalformed: () => false };

const cleanersOf = ({ most = MAX_LENGTH.name, refuse }: TypeDef<unknown>, wireName: string): Cleaners => {
  const clean = (raw: string): string => {
    const text = cleanText(raw, most);
    if (text !== undefined) return text;
    if (refuse) throw refuse(raw, wireName);
    return raw;
  };
  return {
    clean,
    cleanAll(raw, pieces) {
      // Checking all of them at once is faster, and equivalent: no character combines with a bar.
      const isClean = cleanText(raw, MAX_LENGTH.text) === raw && pieces.every(({ length }) => length <= most);
      return isClean ? pieces : pieces.map(clean);
    },
    isMalformed: (source) => source.malformed(wireName),
  };
};

export const missingParameter = (wireName: string): ApiError =>
  new ApiError('missingparam', message('paramvalidator-missingparam', { plaintext: wireName }));

const compileSingle = (parameter: TypedParameter, { parse, clean, isMalformed }: Reading): Converter => {
  const { descriptor, wireName } = parameter;
  // Only its presence matters, so any value is valid.
  if (descriptor.type === 'boolean') return (raw, _source, context) => parse(raw, context);
  const needsText = descriptor.required === true && descriptor.type === 'string';
  const read = (text: string, context: ParseContext): unknown => {
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
  return (raw, source, context) => {
    if (raw.charCodeAt(0) === 0x1f) {
      throw new ApiError('badvalue', message('paramvalidator-notmulti', { plaintext: wireName }, { plaintext: raw }));
    }
    const text = clean(raw);
    if (text !== raw || isMalformed(source)) warnUnclean(parameter, context);
    return read(text, context);
  };
};

const warnUnclean = ({ wireName, modulePath }: TypedParameter, { warnings }: ParseContext): void =>
  warnings.add(modulePath, 'badutf8', message('apiwarn-badutf8', { plaintext: wireName }));

const compileMany = (
  parameter: TypedParameter,
  type: TypeDef<unknown>,
  { parse, cleanAll, isMalformed, counts: { low, high } }: ReadingOfMany,
): Converter => {
  const { descriptor, wireName } = parameter;
  const everything = Object.freeze([...(type.values?.(parameter) ?? [])]);
  const all = everything.length === 0 ? undefined : everythingOf(descriptor);
  // As the only value, with or without a leading separator.
  const whole = new Set(all === undefined ? [] : [all, SEPARATOR + all]);
  const keepsDuplicates = descriptor.allowsduplicates === true;
  return (raw, source, context) => {
    if (whole.has(raw)) return everything;
    const pieces = splitValues(raw, high + 1);
    const limit = context.highLimits ? high : low;
    if (pieces.length > limit) throw tooMany(wireName, limit, low, high);
    const texts = cleanAll(raw, pieces);
    const isChanged = texts !== pieces && texts.some((text, index) => text !== pieces[index]);
    if (isChanged || isMalformed(source)) warnUnclean(parameter, context);
    const values: unknown[] = [];
    let unknown: string[] | undefined;
    for (const one of texts) {
      const value = parse(one, context);
      if (value === undefined) (unknown ??= []).push(one);
      else if (keepsDuplicates || texts.length > FEW || !values.includes(value)) values.push(value);
    }
    if (unknown) warnUnknown(parameter, raw, unknown, context);
    return keepsDuplicates || texts.length <= FEW ? values : [...new Set(values)];
  };
};

const warnUnknown = (
  { wireName, modulePath }: TypedParameter,
  raw: string,
  values: readonly string[],
  { warnings }: ParseContext,
): void => {
  warnings.add(
    modulePath,
    'unrecognizedvalues',
    message('paramvalidator-unrecognizedvalues', { plaintext: wireName }, { plaintext: raw }, commaList(values), {
      num: values.length,
    }),
    { values },
  );
};

const tooMany = (wireName: string, limit: number, lowlimit: number, highlimit: number): ApiError =>
  new ApiError('toomanyvalues', message('paramvalidator-toomanyvalues', { plaintext: wireName }, { num: limit }), {
    data: { parameter: wireName, limit, lowlimit, highlimit },
  });

/** The source of defaults. */
const DECLARED: ParameterSource = { get: () => undefined, malformed: () => false };

/**
 * The parsed default. It is declared in wire form and parsed like a request, with the high limits, because the
 * catalogue may list more values than a caller may send.
 */
const fallbackOf = ({ descriptor, wireName }: TypedParameter, convert: Converter): unknown => {
  if (descriptor.type === 'boolean') return false;
  if (descriptor.default === undefined) return undefined;
  const warnings = new Warnings();
  const value = convert(String(descriptor.default), DECLARED, { highLimits: true, now: 0, warnings });
  const odd = warnings.list.find(({ code }) => code !== 'deprecation' && code !== 'deprecation-help');
  if (odd)
    throw new TypeError(
      `The default of the parameter "${wireName}" is not one of its values: ${String(descriptor.default)}. Correct the descriptor.`,
    );
  // All requests share the list.
  return Array.isArray(value) ? Object.freeze(value) : value;
};
