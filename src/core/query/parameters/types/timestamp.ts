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
      if (CANONICAL.test(text)) return text;
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
};

/** The canonical form, as from nearly all clients. Later days do not exist in every month; they are parsed completely. */
const CANONICAL = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

/** Seconds since the epoch as ISO 8601 in UTC, without fractions. */
export const isoSeconds = (seconds: number): string =>
  `${new Date(Math.floor(seconds) * 1000).toISOString().slice(0, 19)}Z`;
