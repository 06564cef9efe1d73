import { MAX_LENGTH } from '../../../base/text.js';
import { ApiError } from '../../answer/api-error.js';
import { message } from '../../answer/messages.js';
import type { UserSubtype } from '../../descriptor/descriptor.js';
import { canonicalAddress, canonicalRange } from '../../site/ip-address.js';
import type { Site } from '../../site/site.js';
import { tidy } from '../../site/title.js';
import { canonicalUserName, isTemporaryName, withoutUserPrefix } from '../../site/user-name.js';
import type { TypeDef } from './type-def.js';

const DEFAULT_SUBTYPES: readonly UserSubtype[] = ['name', 'ip', 'temp', 'cidr', 'interwiki'];

const badUser = (text: string, wireName: string): ApiError =>
  new ApiError('baduser', message('paramvalidator-baduser', { plaintext: wireName }, { plaintext: text }));

/**
 * A user: a name, an IP address or range, a user of another site, or `#` and an id. Does not check whether the user
 * exists; an id remains `#5` until the host resolves it.
 */
export const user: TypeDef<string> = {
  most: MAX_LENGTH.name,
  refuse: badUser,
  compile({ wireName, descriptor, site }) {
    const subtypes = new Set(descriptor.subtypes ?? DEFAULT_SUBTYPES);
    return (text, context) => {
      const read = readUser(text, site);
      if (!read || !subtypes.has(read.subtype)) throw badUser(text, wireName);
      if (read.subtype === 'id') (context.userIds ??= new Set()).add(Number(read.value.slice(1)));
      return read.value;
    };
  },
};

const readUser = (text: string, site: Site): { subtype: UserSubtype; value: string } | undefined => {
  if (/^#\d{1,15}$/.test(text)) return { subtype: 'id', value: `#${Number(text.slice(1))}` };
  if (text.includes('#')) return undefined;
  if (text.includes('>')) return { subtype: 'interwiki', value: text };
  const name = canonicalUserName(text, site);
  if (name !== undefined) return { subtype: isTemporaryName(name) ? 'temp' : 'name', value: name };
  const bare = tidy(withoutUserPrefix(tidy(text), site));
  const address =
    canonicalAddress(bare) ??
    (canonicalAddress(bare.replace(/\.xxx$/, '.0')) === undefined || !bare.endsWith('.xxx') ? undefined : bare);
  if (address !== undefined) return { subtype: 'ip', value: address };
  const range = canonicalRange(bare);
  return range === undefined ? undefined : { subtype: 'cidr', value: range };
};
