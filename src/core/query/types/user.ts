import { ApiError } from '../answer/api-error.js';
import type { UserSubtype } from '../descriptor.js';
import { canonicalAddress, canonicalRange } from '../pages/ip-address.js';
import { message } from '../answer/messages.js';
import type { Site } from '../site/site.js';
import { canonicalUserName, isTemporaryName, withoutUserPrefix } from '../pages/user-name.js';
import type { TypeDef } from './type-def.js';

const DEFAULT_SUBTYPES: readonly UserSubtype[] = ['name', 'ip', 'temp', 'cidr', 'interwiki'];

/**
 * Who is meant: a name, an address, a range, a user of another site, or `#` and an id. Whether such a user exists is
 * not asked here; an id stays `#5` and the handler looks it up.
 */
export const user: TypeDef<string> = {
  compile({ wireName, descriptor, site }) {
    const subtypes = new Set(descriptor.subtypes ?? DEFAULT_SUBTYPES);
    return (text) => {
      const read = readUser(text, site);
      if (!read || !subtypes.has(read.subtype)) {
        throw new ApiError('baduser', message('paramvalidator-baduser', { plaintext: wireName }, { plaintext: text }));
      }
      return read.value;
    };
  },
  stringify: (value) => value,
};

function readUser(text: string, site: Site): { subtype: UserSubtype; value: string } | undefined {
  if (/^#\d{1,15}$/.test(text)) return { subtype: 'id', value: `#${Number(text.slice(1))}` };
  if (text.includes('#')) return undefined;
  if (text.includes('>')) return { subtype: 'interwiki', value: text };
  const name = canonicalUserName(text, site);
  if (name !== undefined) return { subtype: isTemporaryName(name, site) ? 'temp' : 'name', value: name };
  const bare = withoutUserPrefix(text, site);
  const address = canonicalAddress(bare) ?? (/^\d{1,3}\.\d{1,3}\.\d{1,3}\.xxx$/.test(bare) ? bare : undefined);
  if (address !== undefined) return { subtype: 'ip', value: address };
  const range = canonicalRange(bare);
  return range === undefined ? undefined : { subtype: 'cidr', value: range };
}
