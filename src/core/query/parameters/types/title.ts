import { MAX_LENGTH } from '../../../base/text.js';
import { ApiError } from '../../answer/api-error.js';
import { message } from '../../answer/messages.js';
import { parseTitle, wholeTitle } from '../../site/title.js';
import type { TypeDef } from './type-def.js';

const badTitle = (text: string, wireName: string): ApiError =>
  new ApiError('badtitle', message('paramvalidator-badtitle', { plaintext: wireName }, { plaintext: text }));

/** A page title in canonical form: `Talk:Main Page`. */
export const title: TypeDef<string> = {
  most: MAX_LENGTH.title,
  refuse: badTitle,
  compile({ wireName, site }) {
    return (text) => {
      const parsed = parseTitle(text, site);
      if (parsed.kind === 'invalid') throw badTitle(text, wireName);
      return wholeTitle(parsed);
    };
  },
};
