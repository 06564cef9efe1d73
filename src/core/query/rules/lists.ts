import { ApiError, badContinue } from '../answer/api-error.js';
import { type ContinueForm, type ContinuePart, continues } from './continue.js';
import { canonicalAddress, canonicalRange } from '../pages/ip-address.js';
import { message } from '../answer/messages.js';
import {
  atMostOneOf,
  cannotUseWith,
  exactlyOneOf,
  given,
  hasRight,
  isEmptySet,
  type ModuleRule,
  mustUseWith,
  permissionDenied,
  plainName,
  type RuleRequest,
  valuesOf,
} from './rule.js';
import { wholeTitles } from './titles.js';

/** Protection levels are levels of something. The text names the parameters without their prefix, as MediaWiki's does. */
export const protectionType: ModuleRule = (request) => {
  if (valuesOf(request, 'prtype').length > 0) return;
  request.ignore('prfiltercascade');
  if (!given(request, 'prlevel')) return;
  if (request.params['prexpiry'] === 'all') throw mustUseWith('prlevel', 'prtype');
  request.ignore('prlevel');
};

/** A list of pages can leave redirects out by itself. */
export const noRedirects =
  (code: string, module: 'allpages' | 'allimages'): ModuleRule =>
  ({ role, redirects, wire }) => {
    if (role !== 'generator' || !redirects) return;
    throw new ApiError(code, message('apierror-generator-redirects', wire('filterredir'), module));
  };

/** What `unique` leaves out cannot be shown. */
export const uniqueLinks: ModuleRule = (request) => {
  if (request.params['unique'] !== true) return;
  const unfit = valuesOf(request, 'prop').filter((value) => value !== 'title');
  if (unfit.length > 0) {
    throw cannotUseWith(`${plainName(request, 'prop')}=${unfit.join('|')}`, plainName(request, 'unique'));
  }
};

/** Whoever goes on does not begin again. */
export const continueWins: ModuleRule = (request) => {
  if (given(request, 'continue')) request.ignore('from');
};

/** Images are listed by name or by time, and each order has its own bounds. */
export const imageOrder: ModuleRule = (request) => {
  const { params } = request;
  const name = (parameter: string): string => plainName(request, parameter);
  const isByName = params['sort'] === 'name';
  const unfit = (isByName ? ['start', 'end', 'user'] : ['from', 'to', 'prefix']).find((one) => given(request, one));
  if (unfit !== undefined) throw mustUseWith(name(unfit), `${name('sort')}=${isByName ? 'timestamp' : 'name'}`);
  if (params['filterbots'] === 'all') return;
  if (isByName) throw mustUseWith(name('filterbots'), `${name('sort')}=timestamp`);
  if (given(request, 'user')) {
    throw cannotUseWith(name('user'), name('filterbots'), 'invalidparammix-cannotusewith');
  }
};

/** Without a hash of one kind there may be one of the other; with both the first counts. */
export const hashes: ModuleRule = (request) => {
  const { sha1, sha1base36 } = request.params;
  if (typeof sha1 === 'string') {
    if (!/^[0-9a-f]{40}$/i.test(sha1)) throw new ApiError('invalidsha1hash', message('apierror-invalidsha1hash'));
    request.ignore('sha1base36');
  } else if (typeof sha1base36 === 'string' && !/^[0-9a-z]{31}$/.test(sha1base36)) {
    throw new ApiError('invalidsha1base36hash', message('apierror-invalidsha1base36hash'));
  }
};

/** Descriptions of deleted files may hold what was deleted. */
export const deletedFileRights: ModuleRule = (request) => {
  const asked = valuesOf(request, 'prop');
  const wantsText = asked.includes('description') || asked.includes('parseddescription');
  if (wantsText && !hasRight(request, 'deletedhistory')) {
    throw permissionDenied('view descriptions of deleted files');
  }
  if (asked.includes('metadata') && !hasRight(request, 'deletedtext') && !hasRight(request, 'undelete')) {
    throw permissionDenied('view metadata of deleted files');
  }
};

const SORT_KEYS = ['startsortkeyprefix', 'starthexsortkey', 'startsortkey'] as const;
const END_KEYS = ['endsortkeyprefix', 'endhexsortkey', 'endsortkey'] as const;

/** Members are listed by sort key or by time. What belongs to the other order, and a start beside a place to go on, is nothing. */
export const memberOrder: ModuleRule = (request) => {
  const { params, ignore, wire } = request;
  const isByTime = params['sort'] === 'timestamp';
  const unused = isByTime ? [...SORT_KEYS, ...END_KEYS, 'type'] : ['start', 'end'];
  if (given(request, 'continue') && params['continue'] !== '') unused.push('start', 'end', ...SORT_KEYS, ...END_KEYS);
  for (const name of unused) ignore(name);
  if (isByTime) return undefined;
  for (const keys of [SORT_KEYS, END_KEYS]) {
    const [winner, ...losers] = keys.filter((name) => given(request, name));
    for (const name of losers) ignore(name);
    const text = winner === undefined ? undefined : params[winner];
    if (winner?.includes('hex') && typeof text === 'string' && !/^(?:[0-9a-f]{2})*$/i.test(text)) {
      throw badParameter(wire(winner));
    }
  }
  return isEmptySet(request, 'type') ? 'nothing' : undefined;
};

const badParameter = (wireName: string): ApiError =>
  new ApiError(`badvalue_${wireName}`, message('apierror-badparameter', wireName));

/** Where a list of members goes on. */
export const memberContinue: ModuleRule = (request) => {
  const { params, answered } = request;
  const value = params['continue'];
  if (answered || typeof value !== 'string') return;
  if (params['sort'] === 'timestamp') continues(['timestamp', 'integer'])(request);
  else if (value !== '' && !/^[^|]*\|(?:[0-9a-f]{2})*\|[^|]*$/i.test(value)) throw badContinue();
};

/** With `redirect`, links through redirects are on their way too: two, six, seven or eight parts. */
export const throughRedirects = ({ params }: RuleRequest): ContinueForm => {
  const count = String(params['continue']).split('|').length;
  const form = Array.from({ length: [6, 7, 8].includes(count) ? count : 2 }, (): ContinuePart => 'integer');
  if (form.length > 2) form[3] = 'text';
  return form;
};

/** An address to look for: what stands before its path may begin with `*`, and with nothing else that is not meant literally. */
export const linkQuery: ModuleRule = ({ params: { query } }) => {
  if (typeof query !== 'string' || query === '') return;
  const [, host = '', rest = ''] = /^([^/?#:]*)(.*)$/s.exec(query) ?? [];
  if (host === '' || host.replace(/^\*\.?/, '') === '' || host.slice(1).includes('*') || rest.includes('*')) {
    throw new ApiError('badquery', message('apierror-badquery'));
  }
};

/** Only those who patrol, or may see who did, are told. */
export const mayPatrol = (request: RuleRequest): boolean =>
  hasRight(request, 'patrol') || hasRight(request, 'patrolmarks');

const PATROL_TEXT = message('apierror-permissiondenied-patrolflag');

/** The values of a parameter that only those may use who patrol. */
export const patrolValues =
  (parameter: 'show' | 'prop', values: readonly string[], code = 'permissiondenied'): ModuleRule =>
  (request) => {
    if (valuesOf(request, parameter).some((value) => values.includes(String(value))) && !mayPatrol(request)) {
      throw new ApiError(code, PATROL_TEXT);
    }
  };

/** Groups that bring a right stand for it, so that rights cannot stand beside groups to leave out. */
export const usersByRight: ModuleRule = (request) => {
  const rights = valuesOf(request, 'rights');
  const { groups, implicitRights } = request.site;
  if (rights.some((right) => implicitRights.includes(String(right)))) request.ignore('rights');
  else if (rights.length > 0) {
    const bring = Object.values(groups).some((own) => own.some((right) => rights.includes(right)));
    if (!bring) return 'nothing';
    if (given(request, 'excludegroup')) throw mixed(request, 'group', 'excludegroup');
  }
  return atMostOneOf('group', 'excludegroup')(request);
};

const mixed = ({ wire }: RuleRequest, ...names: readonly string[]): ApiError =>
  new ApiError(
    'invalidparammix',
    message('apierror-invalidparammix', { list: names.map((name) => `"${wire(name)}"`), type: 'text' }, names.length),
  );

/** Named accounts and temporary ones are all there are; a site without temporary ones has nothing to leave out. */
export const kindsOfUsers: ModuleRule = (request) => {
  if (!request.site.temporaryAccounts) {
    request.ignore('excludenamed');
    request.ignore('excludetemp');
  }
  return request.params['excludenamed'] === true && request.params['excludetemp'] === true ? 'nothing' : undefined;
};

/** A request without any user. */
export const someUsers: ModuleRule = (request) =>
  valuesOf(request, 'users').length + valuesOf(request, 'userids').length === 0 ? 'nothing' : undefined;

/** Bits of the widest ranges of addresses. */
interface Widest {
  readonly v4: number;
  readonly v6: number;
}
/** Wider ranges would touch too much at once. */
const WIDEST_BLOCK: Widest = { v4: 16, v6: 19 };
const WIDEST_SEARCH: Widest = { v4: 16, v6: 32 };

export const contributionsOf: ModuleRule = (request) => {
  atMostOneOf('user', 'userids', 'userprefix', 'iprange')(request);
  exactlyOneOf('userprefix', 'userids', 'iprange', 'user')(request);
  const { wire, params } = request;
  if (isEmptySet(request, 'userids')) throw emptyParameter(wire('userids'));
  for (const id of valuesOf(request, 'userids')) {
    if (typeof id === 'number' && id <= 0) {
      throw new ApiError('invaliduserid', message('apierror-invaliduserid', String(id)));
    }
  }
  const { iprange } = params;
  if (typeof iprange === 'string') {
    const range = canonicalRange(iprange);
    if (range === undefined) {
      throw new ApiError('invalidiprange', message('apierror-invalidiprange', { plaintext: iprange }));
    }
    refuseWide(range, WIDEST_SEARCH);
  }
  if (isEmptySet(request, 'user')) throw emptyParameter(wire('user'));
};

/** Several users are gone through by name or by number, and each by time. */
export const contributionsContinue = ({ params }: RuleRequest): ContinueForm => {
  const { user, userids } = params;
  const [kind, ...parts] = String(params['continue']).split('|');
  const isMany = [user, userids].every((list) => !Array.isArray(list) || list.length !== 1);
  if (!isMany) return ['timestamp', 'integer'];
  const isByName = params['userids'] === undefined && kind === 'name';
  const modes = params['userids'] === undefined ? ['name', 'actor'] : ['id', 'actor'];
  if (!modes.includes(kind ?? '') || parts.length !== 3) throw badContinue();
  return ['text', isByName ? 'text' : 'integer', 'timestamp', 'integer'];
};

/** A parameter that is there and holds nothing. */
export const emptyParameter = (wireName: string, code = `paramempty_${wireName}`): ApiError =>
  new ApiError(code, message('apierror-paramempty', wireName));

export const blockedAddress: ModuleRule = ({ params: { ip } }) => {
  if (typeof ip !== 'string') return;
  const range = canonicalRange(ip);
  if (range === undefined && canonicalAddress(ip) === undefined)
    throw new ApiError('param_ip', message('apierror-badip'));
  if (range !== undefined) refuseWide(range, WIDEST_BLOCK);
};

const refuseWide = (range: string, widest: Widest): void => {
  const v6 = range.includes(':');
  const bits = v6 ? widest.v6 : widest.v4;
  if (Number(range.slice(range.indexOf('/') + 1)) < bits) {
    throw new ApiError('cidrtoobroad', message('apierror-cidrtoobroad', v6 ? 'IPv6' : 'IPv4', bits));
  }
};

/** A list of reports that require a right. */
export const restrictedReport: ModuleRule = (request) => {
  if (request.params['page'] === 'Unwatchedpages' && !hasRight(request, 'unwatchedpages')) {
    throw new ApiError('specialpage-cantexecute', message('apierror-specialpage-cantexecute'));
  }
};

/** A search for spaces finds nothing. */
export const someSearch: ModuleRule = ({ params: { search } }) =>
  typeof search === 'string' && search.trim() === '' ? 'nothing' : undefined;

/** As a generator, a search shows nothing but what is asked for, and stays on this site. */
export const quietSearch: ModuleRule = ({ role, sent, ignore }) => {
  if (role !== 'generator') return;
  for (const name of ['prop', 'info']) if (!sent(name)) ignore(name, []);
  for (const name of ['interwiki', 'enablerewrites']) ignore(name);
};

/** `rnredirect` is the old way to say what `rnfilterredir` says. */
export const randomRedirects: ModuleRule = (request) => {
  if (request.sent('filterredir') && request.params['redirect'] === true) {
    throw mixed(request, 'filterredir', 'redirect');
  }
};

/** A language's code that no language can have. */
export const languageCode: ModuleRule = ({ params: { lang }, wire }) => {
  if (typeof lang !== 'string') return;
  if (Buffer.byteLength(lang) > 128 || /[:/\\&<>'"\0]|[^ %!$()*,\-.0-9;=?@A-Z^_`a-z~\u0080-\u{10ffff}+]/u.test(lang)) {
    throw new ApiError('invalidlang', message('apierror-invalidlang', wire('lang')));
  }
};

/** The page that messages are made for, if anything is made of them. */
export const parsedTitle: ModuleRule = (request) => {
  if (request.params['enableparser'] === true) wholeTitles('title')(request);
};

/** Forms of an answer that have no future. */
export const oldForms =
  (parameter: string, ...values: readonly string[]): ModuleRule =>
  ({ params, wire, deprecate }) => {
    const value = params[parameter];
    if (typeof value !== 'string' || !values.includes(value)) return;
    deprecate(message('apiwarn-deprecation-withvalue', wire(parameter), value), `${wire(parameter)}=${value}`);
  };

/** Nothing to choose by means what has not been read. */
export const unreadByDefault: ModuleRule = (request) => {
  if (isEmptySet(request, 'filter')) request.ignore('filter', ['!read']);
};

/** Parameters that mean nothing with, or without, a flag. */
export const onlyWith =
  (flag: string, ...names: readonly string[]): ModuleRule =>
  (request) => {
    if (request.params[flag] !== true) for (const name of names) request.ignore(name);
  };
export const onlyWithout =
  (flag: string, ...names: readonly string[]): ModuleRule =>
  (request) => {
    if (request.params[flag] === true) for (const name of names) request.ignore(name);
  };

/**
 * A single value of a list in which `thanks/*` admits any kind of thanks. MediaWiki has a code of its own for what is
 * not in it. Such a value says more than the type beside it.
 */
export const listedKind = (parameter: string, values: readonly string[]): ModuleRule => {
  const listed = new Set(values);
  return ({ params: { [parameter]: kind }, wire, ignore }) => {
    if (typeof kind !== 'string') return;
    const slash = kind.indexOf('/');
    if (slash < 0 || !(listed.has(kind) || listed.has(`${kind.slice(0, slash)}/*`))) {
      const name = wire(parameter);
      throw new ApiError(
        `unknown_${name}`,
        message('paramvalidator-badvalue-enumnotmulti', { plaintext: name }, { plaintext: kind }),
      );
    }
    ignore('type');
  };
};

/** Only edits and new pages have slots. */
export const typesWithSlots: ModuleRule = (request) => {
  const types = valuesOf(request, 'type');
  if (request.params['slot'] === undefined || types.includes('edit') || types.includes('new')) return undefined;
  return 'nothing';
};
