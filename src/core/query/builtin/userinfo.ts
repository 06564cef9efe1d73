import { createHash } from 'node:crypto';
import type { ResultItem } from '../answer/result-format.js';
import type { Caller } from '../caller.js';
import type { ParamsOf } from '../catalogue/index.js';
import type { CallerLimiter } from '../run/caller-limits.js';
import type { MetaHandler } from '../run/handlers.js';
import type { Site } from '../site/site.js';

/** The implicit group of all users. */
const ALL_USERS = ['*'];
const REGISTERED = ['*', 'user'];

/**
 * Answers `meta=userinfo` from the bearer token: the caller, its rights and limits. Facts that only the host has, such as the
 * edit count, have the values of a new user.
 */
export const userinfo =
  (limiter: CallerLimiter | undefined): MetaHandler<ParamsOf<'userinfo'>> =>
  ({ params, caller, address, site }) => {
    const identity = caller ? { id: idOf(caller), name: caller.name } : { id: 0, name: address, anon: true };
    const facts: Record<string, unknown> = {};
    for (const prop of params.prop ?? []) {
      if (prop === 'ratelimits' || prop === 'theoreticalratelimits') {
        facts[prop] = limiter?.shown(address, caller, prop === 'theoreticalratelimits') ?? {};
      } else Object.assign(facts, FACTS[prop]?.(caller, site));
    }
    return { data: { ...identity, ...facts } };
  };

/** A stable numeric id of the caller: the subject if it is a number, otherwise 31 bits of its hash. */
const idOf = ({ authorization: { sub } }: Caller): number => {
  if (/^[1-9]\d{0,14}$/.test(sub)) return Number(sub);
  return createHash('sha256').update(sub).digest().readUInt32BE(0) >>> 1 || 1;
};

/** The groups of the site of which the caller has every right. */
const groupsOf = (caller: Caller, site: Site): readonly string[] =>
  Object.entries(site.groups)
    .filter(([, rights]) => rights.length > 0 && rights.every((right) => caller.rights.includes(right)))
    .map(([group]) => group);

type Prop = NonNullable<ParamsOf<'userinfo'>['prop']>[number];

const FACTS: { readonly [P in Prop]?: (caller: Caller | undefined, site: Site) => ResultItem } = {
  groups: (caller, site) => ({ groups: caller ? [...groupsOf(caller, site), ...REGISTERED] : ALL_USERS }),
  implicitgroups: (caller) => ({ implicitgroups: caller ? REGISTERED : ALL_USERS }),
  groupmemberships: (caller, site) => ({
    groupmemberships: caller ? groupsOf(caller, site).map((group) => ({ group, expiry: 'infinity' })) : [],
  }),
  rights: (caller) => ({ rights: ['read', ...(caller?.rights ?? []).filter((right) => right !== 'read')] }),
  changeablegroups: () => ({ changeablegroups: { add: [], remove: [], 'add-self': [], 'remove-self': [] } }),
  options: () => ({ options: {} }),
  editcount: () => ({ editcount: 0 }),
  realname: () => ({ realname: '' }),
  email: (caller) => (caller?.rights.includes('viewmyprivateinfo') ? { email: '' } : {}),
  acceptlang: () => ({ acceptlang: [] }),
  hasmsg: () => ({ messages: false }),
  unreadcount: () => ({ unreadcount: 0 }),
  centralids: (caller) => ({
    centralids: { local: caller ? idOf(caller) : 0 },
    attachedlocal: { local: caller !== undefined },
  }),
};
