import { ApiError, apiError, badContinue } from '../answer/api-error.js';
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
} from '../descriptor/rule.js';
import { canonicalAddress, canonicalRange } from '../site/ip-address.js';
import { type ContinueForm, type ContinuePart, continues } from './continue.js';
import { wholeTitles } from './titles.js';

/** `prlevel` requires `prtype`. The message names the parameters without their prefix, as MediaWiki does. */
export const protectionType: ModuleRule = (request) => {
  if (valuesOf(request, 'prtype').length > 0) return;
  request.ignore('prfiltercascade');
  if (!given(request, 'prlevel')) return;
  if (request.params['prexpiry'] === 'all') throw mustUseWith('prlevel', 'prtype');
  request.ignore('prlevel');
};

/** A generator of pages has its own filter of redirects. */
export const noRedirects =
  (code: string, module: 'allpages' | 'allimages'): ModuleRule =>
  ({ role, redirects, wire }) => {
    if (role !== 'generator' || !redirects) return;
    throw new ApiError(code, message('apierror-generator-redirects', wire('filterredir'), module));
  };

/** With `unique`, only titles can be shown. */
export const uniqueLinks: ModuleRule = (request) => {
  if (request.params['unique'] !== true) return;
  const unfit = valuesOf(request, 'prop').filter((value) => value !== 'title');
  if (unfit.length > 0) {
    throw cannotUseWith(`${plainName(request, 'prop')}=${unfit.join('|')}`, plainName(request, 'unique'));
  }
};

/** With `continue`, `from` is ignored. */
export const continueWins: ModuleRule = (request) => {
  if (given(request, 'continue')) request.ignore('from');
};

/** Images are listed by name or by time; each order has its own parameters. */
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

/** Validates the hash. With both, `sha1` wins. */
export const hashes: ModuleRule = (request) => {
  const { sha1, sha1base36 } = request.params;
  if (typeof sha1 === 'string') {
    if (!/^[0-9a-f]{40}$/i.test(sha1)) throw apiError('invalidsha1hash');
    request.ignore('sha1base36');
  } else if (typeof sha1base36 === 'string' && !/^[0-9a-z]{31}$/.test(sha1base36)) {
    throw apiError('invalidsha1base36hash');
  }
};

/** Descriptions and metadata of deleted files require rights. */
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

/**
 * Members are listed by sort key or by time. Ignores the parameters of the other order, and the start when continuing.
 */
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

/** The continue value of a list of members. */
export const memberContinue: ModuleRule = (request) => {
  const { params, answered } = request;
  const value = params['continue'];
  if (answered || typeof value !== 'string') return;
  if (params['sort'] === 'timestamp') continues(['timestamp', 'integer'])(request);
  else if (value !== '' && !/^[^|]*\|(?:[0-9a-f]{2})*\|[^|]*$/i.test(value)) throw badContinue();
};

/** With `redirect`, links through redirects are included: the value has two, six, seven or eight parts. */
export const throughRedirects = ({ params }: RuleRequest): ContinueForm => {
  const count = String(params['continue']).split('|').length;
  const form = Array.from({ length: [6, 7, 8].includes(count) ? count : 2 }, (): ContinuePart => 'integer');
  if (form.length > 2) form[3] = 'text';
  return form;
};

/** A URL pattern: the host may start with `*`, which is the only wildcard. */
export const linkQuery: ModuleRule = ({ params: { query } }) => {
  if (typeof query !== 'string' || query === '') return;
  const [, host = '', rest = ''] = /^([^/?#:]*)(.*)$/s.exec(query) ?? [];
  if (host === '' || host.replace(/^\*\.?/, '') === '' || host.slice(1).includes('*') || rest.includes('*')) {
    throw apiError('badquery');
  }
};

/** Whether the caller may see patrol flags. */
const mayPatrol = (request: RuleRequest): boolean => hasRight(request, 'patrol') || hasRight(request, 'patrolmarks');

const PATROL_TEXT = message('apierror-permissiondenied-patrolflag');

/** Values of a parameter that require the right to patrol. */
export const patrolValues =
  (parameter: 'show' | 'prop', values: readonly string[], code = 'permissiondenied'): ModuleRule =>
  (request) => {
    if (valuesOf(request, parameter).some((value) => values.includes(String(value))) && !mayPatrol(request)) {
      throw new ApiError(code, PATROL_TEXT);
    }
  };

/** Rights are resolved to the groups that have them, so they cannot be combined with excluded groups. */
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
  apiError('invalidparammix', { list: names.map((name) => `"${wire(name)}"`), type: 'text' }, names.length);

/** Excluding both named and temporary accounts leaves no users. */
export const kindsOfUsers: ModuleRule = ({ params }) =>
  params['excludenamed'] === true && params['excludetemp'] === true ? 'nothing' : undefined;

/** A request without users has no results. */
export const someUsers: ModuleRule = (request) =>
  valuesOf(request, 'users').length + valuesOf(request, 'userids').length === 0 ? 'nothing' : undefined;

/** The smallest prefix lengths of IP ranges. */
interface PrefixLengths {
  readonly v4: number;
  readonly v6: number;
}
/** Wider ranges would match too many addresses. */
const MIN_BLOCK_PREFIX: PrefixLengths = { v4: 16, v6: 19 };
const MIN_SEARCH_PREFIX: PrefixLengths = { v4: 16, v6: 32 };

export const contributionsOf: ModuleRule = (request) => {
  atMostOneOf('user', 'userids', 'userprefix', 'iprange')(request);
  exactlyOneOf('userprefix', 'userids', 'iprange', 'user')(request);
  const { wire, params } = request;
  if (isEmptySet(request, 'userids')) throw emptyParameter(wire('userids'));
  for (const id of valuesOf(request, 'userids')) {
    if (typeof id === 'number' && id <= 0) {
      throw apiError('invaliduserid', String(id));
    }
  }
  const { iprange } = params;
  if (typeof iprange === 'string') {
    const range = canonicalRange(iprange);
    if (range === undefined) {
      throw apiError('invalidiprange', { plaintext: iprange });
    }
    refuseWide(range, MIN_SEARCH_PREFIX);
  }
  if (isEmptySet(request, 'user')) throw emptyParameter(wire('user'));
};

/** Several users are listed by name or id, and the contributions of each by time. */
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

/** The error for an empty parameter. */
export const emptyParameter = (wireName: string, code = `paramempty_${wireName}`): ApiError =>
  new ApiError(code, message('apierror-paramempty', wireName));

export const blockedAddress: ModuleRule = ({ params: { ip } }) => {
  if (typeof ip !== 'string') return;
  const range = canonicalRange(ip);
  if (range === undefined && canonicalAddress(ip) === undefined)
    throw new ApiError('param_ip', message('apierror-badip'));
  if (range !== undefined) refuseWide(range, MIN_BLOCK_PREFIX);
};

const refuseWide = (range: string, minimum: PrefixLengths): void => {
  const v6 = range.includes(':');
  const bits = v6 ? minimum.v6 : minimum.v4;
  if (Number(range.slice(range.indexOf('/') + 1)) < bits) {
    throw apiError('cidrtoobroad', v6 ? 'IPv6' : 'IPv4', bits);
  }
};

/** Reports that require a right. */
export const restrictedReport: ModuleRule = (request) => {
  if (request.params['page'] === 'Unwatchedpages' && !hasRight(request, 'unwatchedpages')) {
    throw apiError('specialpage-cantexecute');
  }
};

/** A search for white space has no results. */
export const someSearch: ModuleRule = ({ params: { search } }) =>
  typeof search === 'string' && search.trim() === '' ? 'nothing' : undefined;

/** As a generator, a search has no defaults for `prop` and `info`, and is limited to this site. */
export const quietSearch: ModuleRule = ({ role, sent, ignore }) => {
  if (role !== 'generator') return;
  for (const name of ['prop', 'info']) if (!sent(name)) ignore(name, []);
  for (const name of ['interwiki', 'enablerewrites']) ignore(name);
};

/** `rnredirect` is the deprecated form of `rnfilterredir`. */
export const randomRedirects: ModuleRule = (request) => {
  if (request.sent('filterredir') && request.params['redirect'] === true) {
    throw mixed(request, 'filterredir', 'redirect');
  }
};

/** Validates a language code. */
export const languageCode: ModuleRule = ({ params: { lang }, wire }) => {
  if (typeof lang !== 'string') return;
  if (Buffer.byteLength(lang) > 128 || /[:/\\&<>'"\0]|[^ %!$()*,\-.0-9;=?@A-Z^_`a-z~\u0080-\u{10ffff}+]/u.test(lang)) {
    throw apiError('invalidlang', wire('lang'));
  }
};

/** The page that messages are parsed for, if they are parsed. */
export const parsedTitle: ModuleRule = (request) => {
  if (request.params['enableparser'] === true) wholeTitles('title')(request);
};

/** Deprecated output formats. */
export const oldForms =
  (parameter: string, ...values: readonly string[]): ModuleRule =>
  ({ params, wire, deprecate }) => {
    const value = params[parameter];
    if (typeof value !== 'string' || !values.includes(value)) return;
    deprecate(message('apiwarn-deprecation-withvalue', wire(parameter), value), `${wire(parameter)}=${value}`);
  };

/** An empty filter means unread notifications. */
export const unreadByDefault: ModuleRule = (request) => {
  if (isEmptySet(request, 'filter')) request.ignore('filter', ['!read']);
};

/** Ignores parameters without a flag; {@link onlyWithout}, with a flag. */
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
 * A value of a list in which an entry such as `thanks/*` allows any subtype. MediaWiki has a specific error code for
 * other values. `type` is then ignored.
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

/** Only edits and page creations have slots. */
export const typesWithSlots: ModuleRule = (request) => {
  const types = valuesOf(request, 'type');
  if (request.params['slot'] === undefined || types.includes('edit') || types.includes('new')) return undefined;
  return 'nothing';
};
