import { atMostOneOf, emptyIsAll, noContradiction } from '../descriptor/rule.js';
import { continues } from '../rules/continue.js';
import { blockedAddress, kindsOfUsers, someUsers, usersByRight } from '../rules/lists.js';
import { GROUPS, RIGHTS } from '../site/value-sets.js';
import { words } from '../site/words.js';
import { module } from './module.js';
import { ASCENDING, BOOLEAN, INTEGERS, LIMIT, OLDER, STRING, STRINGS, TIMESTAMP } from './shared-parameters.js';

/** Modules that list users and blocks. */

export const allusers = module(
  { name: 'allusers', group: 'list', prefix: 'au', continueWith: 'from' },
  {
    from: STRING,
    to: STRING,
    prefix: STRING,
    dir: ASCENDING,
    group: { type: GROUPS, siteValues: 'groups', multi: true },
    excludegroup: { type: GROUPS, siteValues: 'groups', multi: true },
    rights: { type: RIGHTS, siteValues: 'rights', multi: true },
    prop: {
      type: words('blockinfo centralids editcount groups implicitgroups registration rights tempexpired'),
      multi: true,
    },
    limit: LIMIT,
    witheditsonly: BOOLEAN,
    activeusers: BOOLEAN,
    attachedwiki: STRING,
    excludenamed: BOOLEAN,
    excludetemp: BOOLEAN,
  },
  { rules: [usersByRight, kindsOfUsers] },
);

export const blocks = module(
  { name: 'blocks', group: 'list', prefix: 'bk' },
  {
    start: TIMESTAMP,
    end: TIMESTAMP,
    dir: OLDER,
    ids: INTEGERS,
    users: { type: 'user', multi: true, subtypes: ['name', 'ip', 'temp', 'cidr'] },
    ip: STRING,
    limit: LIMIT,
    prop: {
      type: words('by byid expiry flags id parsedreason range reason restrictions timestamp user userid'),
      multi: true,
      default: 'id|user|by|timestamp|expiry|reason|flags',
    },
    show: { type: ['!account', '!ip', '!range', '!temp', 'account', 'ip', 'range', 'temp'], multi: true },
    continue: STRING,
  },
  {
    rules: [
      atMostOneOf('users', 'ip'),
      emptyIsAll('ids', 'users'),
      continues(['timestamp', 'integer']),
      blockedAddress,
      noContradiction(),
    ],
  },
);

export const users = module(
  { name: 'users', group: 'list', prefix: 'us', continueWith: 'users', example: { parameters: { users: 'Example' } } },
  {
    prop: {
      type: words(
        'blockinfo cancreate centralids editcount emailable gender groupmemberships groups implicitgroups',
        'registration rights tempexpired',
      ),
      multi: true,
    },
    attachedwiki: STRING,
    users: STRINGS,
    userids: INTEGERS,
  },
  { rules: [atMostOneOf('users', 'userids'), someUsers] },
);
