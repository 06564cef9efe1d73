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

/**
 * Compiles a parameter.
 *
 * @param cleans - Whether values are cleaned here; otherwise the reader of the values does.
 */
export const compileParameter = (name: string, parameter: TypedParameter, cleans = true): ParameterReader => {
  const { descriptor, wireName } = parameter;
  const type: TypeDef<unknown> = typeof descriptor.type === 'string' ? TYPES[descriptor.type] : enumeration;
  const clean: Cleaner = cleans ? cleanerOf(type, parameter) : (raws) => raws;
  const counts = valueCounts(descriptor);
  const convert = counts
    ? compileMany(parameter, type, clean, counts)
    : compileSingle(parameter, type.compile(parameter), clean);
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
      message('paramvalidator-param-deprecated', { plaintext: wireName }),
      `${feature}&${wireName}`,
    );
    return convert(raw, source, context);
  };

/** Cleans values, with a warning if that changes one. */
type Cleaner = (raws: readonly string[], source: ParameterSource, context: ParseContext) => readonly string[];

const cleanerOf = (
  { most = MAX_LENGTH.name, refuse }: TypeDef<unknown>,
  { wireName, modulePath }: TypedParameter,
): Cleaner => {
  const clean = (raw: string): string => {
    const text = cleanText(raw, most);
    if (text !== undefined) return text;
    if (refuse) throw refuse(raw, wireName);
    return raw;
  };
  return (raws, source, { warnings }) => {
    const texts = raws.map(clean);
    if (source.malformed(wireName) || texts.some((text, index) => text !== raws[index]))
      warnings.add(modulePath, 'badutf8', message('apiwarn-badutf8', { plaintext: wireName }));
    return texts;
  };
};

export const missingParameter = (wireName: string): ApiError =>
  new ApiError('missingparam', message('paramvalidator-missingparam', { plaintext: wireName }));

const compileSingle = (
  { descriptor, wireName }: TypedParameter,
  parse: ValueParser<unknown>,
  clean: Cleaner,
): Converter => {
  // Only its presence matters, so any value is valid.
  if (descriptor.type === 'boolean') return (raw, _source, context) => parse(raw, context);
  const needsText = descriptor.required === true && descriptor.type === 'string';
  return (raw, source, context) => {
    if (raw.startsWith(SEPARATOR)) {
      throw new ApiError('badvalue', message('paramvalidator-notmulti', { plaintext: wireName }, { plaintext: raw }));
    }
    const [text = raw] = clean([raw], source, context);
    if (needsText && text === '') throw missingParameter(wireName);
    const value = parse(text, context);
    if (value !== undefined) return value;
    throw new ApiError(
      'badvalue',
      message('paramvalidator-badvalue-enumnotmulti', { plaintext: wireName }, { plaintext: text }),
    );
  };
};

const compileMany = (
  parameter: TypedParameter,
  type: TypeDef<unknown>,
  clean: Cleaner,
  { low, high }: ValueCounts,
): Converter => {
  const { descriptor, wireName } = parameter;
  const parse = type.compile(parameter);
  const everything = Object.freeze([...(type.values?.(parameter) ?? [])]);
  const all = everything.length === 0 ? undefined : everythingOf(descriptor);
  const keepsDuplicates = descriptor.allowsduplicates === true;
  // As the only value, with or without a leading separator.
  const whole = new Set(all === undefined ? [] : [all, SEPARATOR + all]);
  return (raw, source, context) => {
    if (whole.has(raw)) return everything;
    const pieces = splitValues(raw, high + 1);
    const limit = context.highLimits ? high : low;
    if (pieces.length > limit) throw tooMany(wireName, limit, low, high);
    const values: unknown[] = [];
    const unknown: string[] = [];
    for (const text of clean(pieces, source, context)) {
      const value = parse(text, context);
      if (value === undefined) unknown.push(text);
      else values.push(value);
    }
    if (unknown.length > 0) warnUnknown(parameter, raw, unknown, context);
    return keepsDuplicates ? values : [...new Set(values)];
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
