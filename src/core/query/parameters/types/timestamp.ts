import { ApiError } from '../../answer/api-error.js';
import { message } from '../../answer/messages.js';
import { readTimestamp } from './timestamp-forms.js';
import type { TypeDef } from './type-def.js';

const EARLIEST = -62_167_219_200; // 0000-01-01T00:00:00Z
const LATEST = 253_402_300_799; // 9999-12-31T23:59:59Z

/** A timestamp. The value is ISO 8601 in UTC with whole seconds: `2001-01-15T14:56:00Z`. */
export const timestamp: TypeDef<string> = {
  compile({ wireName, modulePath }) {
    return (text, { now, warnings }) => {
      if (isCanonical(text)) return text;
      if (text === 'now') return isoSeconds(now / 1000);
      if (text === '' || text === '0') {
        warnings.add(
          modulePath,
          'unclearnowtimestamp',
          message('paramvalidator-unclearnowtimestamp', { plaintext: wireName }, { plaintext: text }),
        );
        return isoSeconds(now / 1000);
      }
      const seconds = readTimestamp(text, now);
      if (seconds === undefined || seconds < EARLIEST || seconds > LATEST) {
        throw new ApiError(
          'badtimestamp',
          message('paramvalidator-badtimestamp', { plaintext: wireName }, { plaintext: text }),
        );
      }
      return isoSeconds(seconds);
    };
  },
  stringify: (value) => value,
};

/** Whether the text is already in canonical form, as from nearly all clients. */
const isCanonical = (text: string): boolean =>
  text.length === 20 &&
  text.charCodeAt(4) === DASH &&
  text.charCodeAt(7) === DASH &&
  text.charCodeAt(10) === LETTER_T &&
  text.charCodeAt(13) === COLON &&
  text.charCodeAt(16) === COLON &&
  text.charCodeAt(19) === LETTER_Z &&
  twoDigits(text, 0) >= 0 &&
  twoDigits(text, 2) >= 0 &&
  within(twoDigits(text, 5), 1, 12) &&
  within(twoDigits(text, 8), 1, DAYS_IN_EVERY_MONTH) &&
  within(twoDigits(text, 11), 0, 23) &&
  within(twoDigits(text, 14), 0, 59) &&
  within(twoDigits(text, 17), 0, 59);

const DASH = 0x2d;
const COLON = 0x3a;
const LETTER_T = 0x54;
const LETTER_Z = 0x5a;
/** Later days do not exist in every month; they are parsed completely. */
const DAYS_IN_EVERY_MONTH = 28;

const within = (value: number, least: number, most: number): boolean => value >= least && value <= most;

/** The value of two digits, or -1. */
const twoDigits = (text: string, at: number): number => {
  const tens = text.charCodeAt(at) - 0x30;
  const ones = text.charCodeAt(at + 1) - 0x30;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1;
};

/** Seconds since the epoch as ISO 8601 in UTC, without fractions. */
export const isoSeconds = (seconds: number): string =>
  `${new Date(Math.floor(seconds) * 1000).toISOString().slice(0, 19)}Z`;
