import { ApiError } from '../answer/api-error.js';
import { canonicalAddress, canonicalRange } from '../pages/ip-address.js';
import { message } from '../answer/messages.js';
import { parseTitle } from '../pages/title.js';
import {
  exactlyOneOf,
  given,
  hasRight,
  invalidTitle,
  mustUseWith,
  type PageRule,
  type Rule,
  valuesOf,
} from './rule.js';

const FILE = 6;
const CATEGORY = 14;
/** Wider ranges would touch too much at once: bits of IPv4 and of IPv6. */
const WIDEST = { v4: 16, v6: 32 } as const;

/** The page whose backlinks are wanted. */
export const linkTarget: readonly Rule[] = [
  exactlyOneOf('title', 'pageid'),
  ({ params: { title }, site }) => {
    if (typeof title === 'string' && parseTitle(title, site).kind === 'invalid') throw invalidTitle(title);
  },
];

export const fileTarget: Rule = ({ params: { title }, site, wire }) => {
  if (typeof title !== 'string') return;
  const parsed = parseTitle(title, site);
  if (parsed.kind !== 'local' || parsed.ns !== FILE) {
    throw new ApiError('bad_image_title', message('apierror-imageusage-badtitle', wire('title')));
  }
};

export const categoryTarget: Rule = ({ params: { title }, site }) => {
  if (typeof title !== 'string') return;
  const parsed = parseTitle(title, site);
  if (parsed.kind !== 'local' || parsed.ns !== CATEGORY) {
    throw new ApiError('invalidcategory', message('apierror-invalidcategory'));
  }
};

/** Protection levels are levels of something. The text names the parameters without their prefix, as MediaWiki's does. */
export const protectionType: Rule = (request) => {
  const selects = given(request, 'prtype') || request.params['prexpiry'] !== 'all';
  if (given(request, 'prlevel') && !selects) {
    throw mustUseWith('prlevel', 'prtype');
  }
};

export const noRedirectsForAllpages: PageRule = ({ role }, _pages, { redirects }) => {
  if (role === 'generator' && redirects) throw new ApiError('params', message('apierror-allpages-generator-redirects'));
};

/** Images are listed by name or by time, and each order has its own bounds. */
export const imageOrder: Rule = (request) => {
  const { params, wire } = request;
  const byName = params['sort'] === 'name';
  for (const name of byName ? ['start', 'end', 'user'] : ['from', 'to', 'prefix']) {
    if (given(request, name)) throw mustUseWith(wire(name), `${wire('sort')}=${byName ? 'timestamp' : 'name'}`);
  }
  if (byName && params['filterbots'] !== 'all') throw mustUseWith(wire('filterbots'), `${wire('sort')}=timestamp`);
};

export const hashes: Rule = ({ params: { sha1, sha1base36 } }) => {
  if (typeof sha1 === 'string' && !/^[0-9a-f]{40}$/i.test(sha1)) {
    throw new ApiError('invalidsha1hash', message('apierror-invalidsha1hash'));
  }
  if (typeof sha1base36 === 'string' && !/^[0-9a-z]{31}$/i.test(sha1base36)) {
    throw new ApiError('invalidsha1base36hash', message('apierror-invalidsha1base36hash'));
  }
};

export const contributionsOf: Rule = (request) => {
  exactlyOneOf('userprefix', 'userids', 'iprange', 'user')(request);
  const { wire, params } = request;
  for (const name of ['user', 'userids']) {
    if (given(request, name) && valuesOf(request, name).length === 0) {
      throw new ApiError(`paramempty_${wire(name)}`, message('apierror-paramempty', wire(name)));
    }
  }
  for (const id of valuesOf(request, 'userids')) {
    if (typeof id === 'number' && id <= 0)
      throw new ApiError('invaliduserid', message('apierror-invaliduserid', { plaintext: String(id) }));
  }
  const { iprange } = params;
  if (typeof iprange !== 'string') return;
  const range = canonicalRange(iprange);
  if (range === undefined) throw new ApiError('invalidiprange', message('apierror-invalidiprange'));
  refuseWide(range);
};

export const blockedAddress: Rule = ({ params: { ip } }) => {
  if (typeof ip !== 'string') return;
  const range = canonicalRange(ip);
  if (range === undefined && canonicalAddress(ip) === undefined)
    throw new ApiError('param_ip', message('apierror-badip'));
  if (range !== undefined) refuseWide(range);
};

function refuseWide(range: string): void {
  const v6 = range.includes(':');
  const widest = v6 ? WIDEST.v6 : WIDEST.v4;
  if (Number(range.slice(range.indexOf('/') + 1)) < widest) {
    throw new ApiError('cidrtoobroad', message('apierror-cidrtoobroad', v6 ? 'IPv6' : 'IPv4', widest));
  }
}

/** Only those who patrol, or may see who did, are told. */
export const patrolFlags: Rule = (request) => {
  const asked = ['patrolled', '!patrolled', 'unpatrolled', 'autopatrolled', '!autopatrolled', 'patrol'];
  const wants = [...valuesOf(request, 'show'), ...valuesOf(request, 'prop')];
  if (!wants.some((value) => typeof value === 'string' && asked.includes(value))) return;
  if (!hasRight(request, 'patrol') && !hasRight(request, 'patrolmarks')) {
    throw new ApiError('permissiondenied', message('apierror-permissiondenied-patrolflag'));
  }
};
