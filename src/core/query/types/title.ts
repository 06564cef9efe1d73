import { ApiError } from '../answer/api-error.js';
import { message } from '../answer/messages.js';
import { parseTitle } from '../pages/title.js';
import type { TypeDef } from './type-def.js';

/** The title of a page, in the form that answers show: `Talk:Main Page`. */
export const title: TypeDef<string> = {
  compile({ wireName, site }) {
    return (text) => {
      const parsed = parseTitle(text, site);
      if (parsed.kind === 'invalid') {
        throw new ApiError(
          'badtitle',
          message('paramvalidator-badtitle', { plaintext: wireName }, { plaintext: text }),
        );
      }
      return parsed.kind === 'local' ? parsed.prefixed : `${parsed.prefix}:${parsed.text}`;
    };
  },
  stringify: (value) => value,
};
