import { ApiError } from '../../answer/api-error.js';
import { type MessageKey, message } from '../../answer/messages.js';
import { type Bounds, boundsOf } from '../../descriptor/descriptor-facts.js';
import type { ParseContext, TypeDef, TypedParameter } from './type-def.js';

const MAX_INTEGER = 2n ** 63n - 1n;
const MIN_INTEGER = -(2n ** 63n);

/** Parses an integer with an optional sign, within 64 bits. */
const readInteger = (text: string, wireName: string): number => {
  if (!/^[+-]?\d+$/.test(text)) throw badInteger(text, wireName);
  const value = Number(text);
  // Adding zero turns a negative zero into zero.
  return Math.abs(value) > Number.MAX_SAFE_INTEGER ? readLarge(text, wireName) : value + 0;
};

/** Parses an integer above 2^53: returns the nearest number, and checks the 64-bit bounds exactly. */
const readLarge = (text: string, wireName: string): number => {
  const digits = text.replace(/^([+-]?)0+(?=\d)/, '$1');
  // Every 64-bit integer has at most 20 characters.
  const value = digits.length > 20 ? MAX_INTEGER + 1n : BigInt(digits.startsWith('+') ? digits.slice(1) : digits);
  // MediaWiki rejects the largest number with a plus sign.
  const most = digits.startsWith('+') ? MAX_INTEGER - 1n : MAX_INTEGER;
  if (value > most || value < MIN_INTEGER) throw badInteger(text, wireName);
  return Number(value);
};

const badInteger = (text: string, wireName: string): ApiError =>
  new ApiError('badinteger', message('paramvalidator-badinteger', { plaintext: wireName }, { plaintext: text }));

/** Parses an integer; out of range, returns the nearest bound with a warning. */
export const readBounded = (text: string, bounds: Bounds, parameter: TypedParameter, context: ParseContext): number => {
  const value = readInteger(text, parameter.wireName);
  const { min, max } = bounds;
  const most = context.highLimits ? bounds.highmax : max;
  const low = min !== undefined && value < min;
  if (!low && (most === undefined || value <= most)) return value;
  const key: MessageKey =
    min === undefined
      ? 'paramvalidator-outofrange-max'
      : most === undefined
        ? 'paramvalidator-outofrange-min'
        : 'paramvalidator-outofrange-minmax';
  context.warnings.add(
    parameter.modulePath,
    'outofrange',
    message(key, { plaintext: parameter.wireName }, { plaintext: text }, numberOr(min), numberOr(most)),
    { min: min ?? null, curmax: most ?? null, max: max ?? null, highmax: bounds.highmax ?? null },
  );
  return low ? min : (most ?? value);
};

const numberOr = (value: number | undefined) => (value === undefined ? '' : { num: value });

const exactly: typeof readBounded = (text, bounds, parameter, context) => {
  const value = readBounded(text, bounds, parameter, context);
  if (Number.isSafeInteger(value)) return value;
  throw badInteger(text, parameter.wireName);
};

/** An integer. Out of range, it is the nearest bound, with a warning. */
export const integer: TypeDef<number> = {
  compile(parameter) {
    const { wireName, descriptor } = parameter;
    const bounds = boundsOf(descriptor);
    // Above 2^53, the nearest number is sufficient as a bound, but as an id it would be a different page.
    if (descriptor.multi === true || wireName.endsWith('id'))
      return (text, context) => exactly(text, bounds, parameter, context);
    if (bounds.min === undefined && bounds.max === undefined) return (text) => readInteger(text, wireName);
    return (text, context) => readBounded(text, bounds, parameter, context);
  },
};
