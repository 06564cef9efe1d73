import { ApiError } from '../answer/api-error.js';
import { message } from '../answer/messages.js';
import { MOST_UNITS } from '../../base/text.js';
import type { TypeDef } from './type-def.js';

const MOST = MOST_UNITS.text;

/** Any text. */
export const string: TypeDef<string> = {
  most: MOST,
  refuse: (text, wireName) =>
    text.length > MOST
      ? new ApiError(
          'maxchars',
          message('paramvalidator-maxchars', { plaintext: wireName }, '', { num: MOST }, { num: text.length }),
          { data: { maxbytes: null, maxchars: MOST } },
        )
      : new ApiError('badvalue', message('paramvalidator-badvalue-marks', { plaintext: wireName })),
  compile: () => (text) => text,
  stringify: (value) => value,
};
