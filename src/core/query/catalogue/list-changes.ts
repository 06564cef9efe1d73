import { atMostOneOf, emptyIsAll, noContradiction, unlessGenerator } from '../descriptor/rule.js';
import { continues, continuesByTitle } from '../rules/continue.js';
import { contributionsContinue, contributionsOf, listedKind, patrolValues, typesWithSlots } from '../rules/lists.js';
import {
  allDeletedRevisions,
  allRevisions,
  deletedHistory,
  deletedRevsLimit,
  deletedRevsModes,
  revisionLimit,
} from '../rules/revisions.js';
import { pageTitles, wholeTitles } from '../rules/titles.js';
import { watchlistOwner } from '../rules/watchlist.js';
import { words } from '../site/words.js';
import { module } from './module.js';
import {
  ASCENDING,
  BOOLEAN,
  DEPRECATED_BOOLEAN,
  INTEGERS,
  LIMIT,
  LINK_NAMESPACES,
  NAMESPACES,
  OLDER,
  OWNER,
  REVISION_LIMIT,
  REVISION_PARAMETERS,
  STRING,
  TIMESTAMP,
  USER,
} from './shared-parameters.js';

/** Modules that list changes: revisions, recent changes, log entries, contributions, watched pages. */

const USER_ONLY = [{ name: 'useronly' }] as const;
const NON_USER_ONLY = [{ name: 'nonuseronly' }] as const;

export const alldeletedrevisions = module(
  { name: 'alldeletedrevisions', group: 'list', prefix: 'adr', generator: true, result: { contentKey: 'content' } },
  {
    ...REVISION_PARAMETERS,
    limit: REVISION_LIMIT,
    user: USER,
    namespace: NAMESPACES,
    start: { type: 'timestamp', info: USER_ONLY },
    end: { type: 'timestamp', info: USER_ONLY },
    dir: OLDER,
    from: { type: 'string', info: NON_USER_ONLY },
    to: { type: 'string', info: NON_USER_ONLY },
    prefix: { type: 'string', info: NON_USER_ONLY },
    excludeuser: { ...USER, info: NON_USER_ONLY },
    tag: STRING,
    continue: STRING,
    generatetitles: BOOLEAN,
  },
  { rules: allDeletedRevisions, limitRule: revisionLimit },
);

export const allrevisions = module(
  { name: 'allrevisions', group: 'list', prefix: 'arv', generator: true, result: { contentKey: 'content' } },
  {
    ...REVISION_PARAMETERS,
    limit: REVISION_LIMIT,
    user: USER,
    namespace: NAMESPACES,
    start: TIMESTAMP,
    end: TIMESTAMP,
    dir: OLDER,
    excludeuser: USER,
    continue: STRING,
    generatetitles: BOOLEAN,
  },
  { rules: allRevisions, limitRule: revisionLimit },
);

/** The modes of `deletedrevs`: 1 with given pages, 2 with a user, 3 otherwise. */
const modes = <const M extends readonly number[]>(...values: M) => [{ name: 'modes', values }] as const;

export const deletedrevs = module(
  { name: 'deletedrevs', group: 'list', prefix: 'dr', deprecated: true, result: { contentKey: 'content' } },
  {
    start: { type: 'timestamp', info: modes(1, 2) },
    end: { type: 'timestamp', info: modes(1, 2) },
    dir: { ...OLDER, info: modes(1, 3) },
    from: { type: 'string', info: modes(3) },
    to: { type: 'string', info: modes(3) },
    prefix: { type: 'string', info: modes(3) },
    unique: { type: 'boolean', info: modes(3) },
    namespace: { type: 'namespace', default: 0, info: modes(3) },
    tag: STRING,
    user: USER,
    excludeuser: USER,
    prop: {
      type: words('comment content len minor parentid parsedcomment revid sha1 tags user userid token'),
      multi: true,
      default: 'user|comment',
      deprecatedvalues: ['token'],
    },
    limit: LIMIT,
    continue: STRING,
  },
  { rules: [deletedHistory], pageRules: [deletedRevsModes], limitRule: deletedRevsLimit },
);

const LOG_ACTIONS = words(
  'block/block block/reblock block/unblock contentmodel/change contentmodel/new create/create delete/delete',
  'delete/delete_redir delete/delete_redir2 delete/event delete/restore delete/revision import/interwiki',
  'import/upload interwiki/iw_add interwiki/iw_delete interwiki/iw_edit managetags/activate managetags/create',
  'managetags/deactivate managetags/delete merge/merge merge/merge-into move/move move/move_redir newusers/autocreate',
  'newusers/byemail newusers/create newusers/create2 newusers/newusers patrol/autopatrol patrol/patrol protect/modify',
  'protect/move_prot protect/protect protect/unprotect renameuser/renameuser rights/autopromote rights/rights',
  'suppress/block suppress/delete suppress/event suppress/reblock suppress/revision tag/update thanks/*',
  'upload/overwrite upload/revert upload/upload',
);

export const logevents = module(
  { name: 'logevents', group: 'list', prefix: 'le' },
  {
    prop: {
      type: ['comment', 'details', 'ids', 'parsedcomment', 'tags', 'timestamp', 'title', 'type', 'user', 'userid'],
      multi: true,
      default: 'ids|title|type|user|timestamp|comment|details',
    },
    type: {
      type: [
        '',
        ...words(
          'block contentmodel create delete import interwiki managetags merge move newusers patrol protect renameuser rights',
          'suppress tag thanks upload',
        ),
      ],
    },
    action: { type: LOG_ACTIONS, checkedByRule: true },
    start: TIMESTAMP,
    end: TIMESTAMP,
    dir: OLDER,
    ids: INTEGERS,
    user: USER,
    title: STRING,
    namespace: { type: 'namespace', extranamespaces: [-2, -1] },
    prefix: STRING,
    tag: STRING,
    limit: LIMIT,
    continue: STRING,
  },
  {
    rules: [
      atMostOneOf('title', 'namespace', 'prefix'),
      listedKind('action', LOG_ACTIONS),
      continues(['timestamp', 'integer']),
      wholeTitles('title', 'prefix'),
    ],
  },
);

const PATROL_WORDS = ['patrolled', '!patrolled', 'autopatrolled', '!autopatrolled'] as const;
/** `unpatrolled` excludes both `patrolled` and `autopatrolled`. */
const UNPATROLLED = [
  ['patrolled', 'unpatrolled'],
  ['!patrolled', 'unpatrolled'],
  ['autopatrolled', 'unpatrolled'],
] as const;

export const recentchanges = module(
  { name: 'recentchanges', group: 'list', prefix: 'rc', generator: true },
  {
    start: TIMESTAMP,
    end: TIMESTAMP,
    dir: OLDER,
    namespace: LINK_NAMESPACES,
    user: USER,
    excludeuser: USER,
    tag: STRING,
    prop: {
      type: words(
        'comment flags ids loginfo parsedcomment patrolled redirect sha1 sizes tags timestamp title user userid',
      ),
      multi: true,
      default: 'title|timestamp|ids',
    },
    show: {
      type: words(
        '!anon !autopatrolled !bot !minor !patrolled !redirect anon autopatrolled bot minor patrolled redirect',
        'unpatrolled',
      ),
      multi: true,
    },
    limit: LIMIT,
    type: {
      type: ['categorize', 'edit', 'external', 'log', 'new'],
      multi: true,
      default: 'edit|new|log|categorize',
    },
    toponly: BOOLEAN,
    title: STRING,
    continue: STRING,
    generaterevisions: BOOLEAN,
    slot: { type: ['main'] },
  },
  {
    rules: [
      emptyIsAll('namespace'),
      continues(['timestamp', 'integer']),
      wholeTitles('title'),
      noContradiction(...UNPATROLLED, ['autopatrolled', '!patrolled']),
      patrolValues('show', [...PATROL_WORDS, 'unpatrolled']),
      atMostOneOf('user', 'excludeuser'),
      patrolValues('prop', ['patrolled']),
      typesWithSlots,
    ],
  },
);

export const usercontribs = module(
  { name: 'usercontribs', group: 'list', prefix: 'uc', example: { parameters: { user: 'Example' } } },
  {
    limit: LIMIT,
    start: TIMESTAMP,
    end: TIMESTAMP,
    continue: STRING,
    user: { type: 'user', multi: true, subtypes: ['name', 'ip', 'temp', 'interwiki'] },
    userids: INTEGERS,
    userprefix: STRING,
    iprange: STRING,
    dir: OLDER,
    namespace: NAMESPACES,
    prop: {
      type: words('comment flags ids parsedcomment patrolled size sizediff tags timestamp title'),
      multi: true,
      default: 'ids|title|timestamp|comment|size|flags',
    },
    show: {
      type: words('!autopatrolled !minor !new !patrolled !top autopatrolled minor new patrolled top'),
      multi: true,
    },
    tag: STRING,
    toponly: DEPRECATED_BOOLEAN,
  },
  {
    rules: [
      contributionsOf,
      emptyIsAll('namespace'),
      continues(contributionsContinue),
      noContradiction(['autopatrolled', '!patrolled'], ['toponly', '!top']),
      patrolValues('show', PATROL_WORDS),
      patrolValues('prop', ['patrolled']),
    ],
  },
);

export const watchlist = module(
  { name: 'watchlist', group: 'list', prefix: 'wl', generator: true },
  {
    allrev: BOOLEAN,
    start: TIMESTAMP,
    end: TIMESTAMP,
    namespace: NAMESPACES,
    user: USER,
    excludeuser: USER,
    dir: OLDER,
    limit: LIMIT,
    prop: {
      type: words(
        'comment expiry flags ids labels loginfo notificationtimestamp parsedcomment patrol sizes tags timestamp',
        'title user userid',
      ),
      multi: true,
      default: 'ids|title|flags',
    },
    show: {
      type: words('!anon !autopatrolled !bot !minor !patrolled !unread anon autopatrolled bot minor patrolled unread'),
      multi: true,
    },
    type: {
      type: ['categorize', 'edit', 'external', 'log', 'new'],
      multi: true,
      default: 'edit|new|log|categorize',
    },
    labels: INTEGERS,
    owner: OWNER,
    token: { type: 'string', sensitive: true },
    continue: STRING,
  },
  {
    pageRules: [
      watchlistOwner,
      unlessGenerator(patrolValues('prop', ['patrol'], 'patrol')),
      continues(['text', 'integer']),
      noContradiction(['autopatrolled', '!patrolled']),
      patrolValues('show', ['patrolled', '!patrolled']),
      atMostOneOf('user', 'excludeuser'),
    ],
  },
);

export const watchlistraw = module(
  { name: 'watchlistraw', group: 'list', prefix: 'wr', generator: true, result: { place: 'top' } },
  {
    continue: STRING,
    namespace: NAMESPACES,
    limit: LIMIT,
    prop: { type: ['changed'], multi: true },
    show: { type: ['!changed', 'changed'], multi: true },
    owner: OWNER,
    token: { type: 'string', sensitive: true },
    dir: ASCENDING,
    fromtitle: STRING,
    totitle: STRING,
  },
  {
    pageRules: [
      watchlistOwner,
      emptyIsAll('namespace'),
      noContradiction(),
      continuesByTitle,
      pageTitles('fromtitle', 'totitle'),
    ],
  },
);
