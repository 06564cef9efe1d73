import { MAX_LENGTH } from '../../../base/text.js';
import { ApiError } from '../../answer/api-error.js';
import { message } from '../../answer/messages.js';
import type { TypeDef } from './type-def.js';

const MAX_CHARACTERS = MAX_LENGTH.text;

/** Any text. */
export const string: TypeDef<string> = {
  most: MAX_CHARACTERS,
  refuse: (text, wireName) =>
    text.length > MAX_CHARACTERS
      ? new ApiError(
          'maxchars',
          message(
            'paramvalidator-maxchars',
            { plaintext: wireName },
            '',
            { num: MAX_CHARACTERS },
            { num: text.length },
          ),
          { data: { maxbytes: null, maxchars: MAX_CHARACTERS } },
        )
      : new ApiError('badvalue', message('paramvalidator-badvalue-marks', { plaintext: wireName })),
  compile: () => (text) => text,
};
