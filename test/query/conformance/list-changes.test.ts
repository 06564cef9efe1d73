import { describe } from 'vitest';
import {
  badTitle,
  CONT,
  empty,
  Hosts,
  mayNotView,
  mix,
  needsOneOf,
  notWith,
  onlyWith,
  outOfRange,
  PATROL,
  SHOW,
} from './rows.js';

const hosts = new Hosts();

describe('alldeletedrevisions', () => {
  const base = 'list=alldeletedrevisions';
  hosts.refuse([
    ['alldeletedrevisions-2', `${base}&adruser=Alice&adrexcludeuser=Bob&adrto=A`, ...notWith('adrto', 'adruser')],
    ['alldeletedrevisions-3', `${base}&adrend=now`, ...onlyWith('adrend', 'adruser')],
    ['alldeletedrevisions-5', `${base}&adrslots=main&adrparse=`, ...notWith('adrparse', 'adrslots')],
    ['alldeletedrevisions-6', 'list=alldeletedrevisions', ...mayNotView('deleted comments')],
    [
      'alldeletedrevisions-7',
      `${base}&adrprop=content&adrslots=main`,
      ...mayNotView('content of deleted revisions'),
      'bot',
    ],
    ['alldeletedrevisions-8', `${base}&adrprop=ids&adrnamespace=0|1&adrfrom=Talk:A`, ...badTitle('Talk:A')],
    ['alldeletedrevisions-9', `${base}&adrprop=ids&adrcontinue=0|A|1|2`, ...CONT],
  ]);
  hosts.warn([
    [
      'alldeletedrevisions-4',
      'generator=alldeletedrevisions&gadrgeneratetitles=',
      'performance',
      'For better performance when generating titles, set "gadrdir=newer".',
    ],
  ]);
  hosts.give([
    ['alldeletedrevisions-1', `${base}&adrnamespace=&adrstart=now`, 'nothing'],
    ['alldeletedrevisions-10', `${base}&adrprop=ids`, { prop: ['ids'] }],
    ['alldeletedrevisions-11', 'generator=alldeletedrevisions&gadrgeneratetitles=', { generatetitles: true }],
  ]);
});

describe('allrevisions', () => {
  hosts.refuse([
    ['allrevisions-1', 'list=allrevisions&arvuser=Alice&arvexcludeuser=Bob', ...mix('arvuser', 'arvexcludeuser')],
    [
      'allrevisions-2',
      'list=allrevisions&arvslots=main&arvprop=parsetree',
      ...notWith('arvprop=parsetree', 'arvslots'),
    ],
    ['allrevisions-3', 'list=allrevisions&arvcontinue=20240101000000|05', ...CONT],
  ]);
  hosts.give([
    ['allrevisions-4', 'list=allrevisions&arvnamespace=', 'nothing'],
    ['allrevisions-5', 'generator=allrevisions&garvgeneratetitles=', { generatetitles: true }],
  ]);
});

describe('deletedrevs', () => {
  hosts.refuse([
    ['deletedrevs-1', 'list=deletedrevs&drfrom=A&drstart=now', ...mayNotView("a page's deleted history"), 'alice'],
    [
      'deletedrevs-3',
      'list=deletedrevs&titles=Apple&drprefix=[',
      'badparams',
      'The "prefix" parameter cannot be used in modes 1 or 2.',
      'bot',
    ],
    [
      'deletedrevs-4',
      'list=deletedrevs&drfrom=A&drstart=now',
      'badparams',
      'The "start" parameter cannot be used in mode 3.',
      'bot',
    ],
    [
      'deletedrevs-5',
      'list=deletedrevs&druser=Alice&drexcludeuser=Bob',
      'badparams',
      '⧼user and excludeuser cannot be used together⧽',
      'bot',
    ],
    ['deletedrevs-6', 'list=deletedrevs&drprop=content', ...mayNotView('deleted revision text'), 'bot'],
    ['deletedrevs-8', 'list=deletedrevs&drfrom=Talk:A', ...badTitle('Talk:A'), 'bot'],
    ['deletedrevs-9', 'list=deletedrevs&druser=Alice&drcontinue=0|A|20240101000000|1', ...CONT, 'bot'],
  ]);
  hosts.warn([
    [
      'deletedrevs-2',
      'list=deletedrevs',
      'deprecation',
      '"list=deletedrevs" has been deprecated. Please use "prop=deletedrevisions" or "list=alldeletedrevisions" instead.',
      'bot',
    ],
    ['deletedrevs-7', 'list=deletedrevs&drprop=content&drlimit=51', ...outOfRange('drlimit', 51, 1, 50), 'admin'],
  ]);
  hosts.give([
    ['deletedrevs-10', 'list=deletedrevs&drprop=token', { prop: ['token'] }, 'bot'],
    ['deletedrevs-11', 'list=deletedrevs&titles=Apple&drunique=&drnamespace=1', { unique: true, namespace: 1 }, 'bot'],
  ]);
});

describe('logevents', () => {
  const unknown = (value: string): string => `Unrecognized value for parameter "leaction": ${value}.`;
  hosts.refuse([
    [
      'logevents-1',
      'list=logevents&leprefix=A&lenamespace=0&letitle=Apple',
      ...mix('letitle', 'lenamespace', 'leprefix'),
    ],
    ['logevents-2', 'list=logevents&leaction=thanks', 'unknown_leaction', unknown('thanks')],
    ['logevents-3', 'list=logevents&lecontinue=abc', ...CONT],
    ['logevents-4', 'list=logevents&letitle=wikipedia:A', ...badTitle('wikipedia:A')],
    ['logevents-6', 'list=logevents&leprefix=Talk:', ...badTitle('Talk:')],
  ]);
  hosts.give([
    ['logevents-5', 'list=logevents&leprefix=A', { prefix: 'A' }],
    ['logevents-7', 'list=logevents&letype=move&leaction=thanks/any', { type: undefined, action: 'thanks/any' }],
    ['logevents-8', 'list=logevents&letype=suppress', { type: 'suppress' }],
    ['logevents-9', 'list=logevents&leids=5|6&letype=move', { ids: [5, 6], type: 'move' }],
  ]);
});

describe('recentchanges', () => {
  hosts.refuse([
    ['recentchanges-1', 'list=recentchanges&rccontinue=20240101000000|x', ...CONT],
    ['recentchanges-2', 'list=recentchanges&rctitle=[', ...badTitle('[')],
    ['recentchanges-3', 'list=recentchanges&rcshow=!patrolled|unpatrolled', ...SHOW],
    ['recentchanges-4', 'list=recentchanges&rcshow=autopatrolled', ...PATROL],
    [
      'recentchanges-5',
      'list=recentchanges&rcuser=Alice&rcexcludeuser=Bob&rcprop=patrolled',
      ...mix('rcuser', 'rcexcludeuser'),
    ],
    ['recentchanges-6', 'generator=recentchanges&grcprop=patrolled', ...PATROL],
  ]);
  hosts.give([
    [
      'recentchanges-7',
      'list=recentchanges&rctoponly=&rctitle=Apple&rcnamespace=0',
      { toponly: true, title: 'Apple', namespace: [0] },
    ],
    ['recentchanges-8', 'list=recentchanges&rcslot=main&rctype=log', 'nothing'],
    ['recentchanges-9', 'generator=recentchanges&grcgeneraterevisions=', { generaterevisions: true }],
  ]);
});

describe('usercontribs', () => {
  hosts.refuse([
    ['usercontribs-1', 'list=usercontribs', ...needsOneOf('ucuserprefix', 'ucuserids', 'uciprange', 'ucuser')],
    [
      'usercontribs-2',
      'list=usercontribs&uciprange=1.2.3.0/24&ucuserids=2&ucuser=Alice',
      ...mix('ucuser', 'ucuserids', 'uciprange'),
    ],
    ['usercontribs-3', 'list=usercontribs&ucuserids=', ...empty('ucuserids')],
    ['usercontribs-4', 'list=usercontribs&ucuserids=2|0', 'invaliduserid', 'User ID "0" is not valid.'],
    ['usercontribs-5', 'list=usercontribs&ucuserids=2|3&uccontinue=id|x|20240101000000|1', ...CONT],
    ['usercontribs-6', 'list=usercontribs&uciprange=1.2.3.4', 'invalidiprange', 'Invalid CIDR range "1.2.3.4".'],
    [
      'usercontribs-7',
      'list=usercontribs&uciprange=2001::/31',
      'cidrtoobroad',
      'IPv6 CIDR ranges broader than /32 are not accepted.',
    ],
    ['usercontribs-8', 'list=usercontribs&ucuser=', ...empty('ucuser')],
    ['usercontribs-9', 'list=usercontribs&ucuser=A|B&uccontinue=id|A|20240101000000|1', ...CONT],
    ['usercontribs-10', 'list=usercontribs&ucuser=Alice&uctoponly=&ucshow=!top', ...SHOW],
    ['usercontribs-11', 'list=usercontribs&ucuser=Alice&ucprop=patrolled', ...PATROL],
  ]);
  hosts.give([['usercontribs-13', 'list=usercontribs&ucuserids=99|7', { userids: [99, 7] }]]);
});

describe('watchlist', () => {
  const LOGIN = 'Please log in to view or edit items on your watchlist.';
  const TOKEN = 'Incorrect watchlist token provided. Please set a correct token in [[Special:Preferences]].';
  hosts.refuse([
    [
      'watchlist-1',
      'list=watchlist&wlowner=Nobody&wltoken=key',
      'bad_wlowner',
      'There is no user by the name "Nobody". Check your spelling.',
    ],
    ['watchlist-2', 'list=watchlist&wlowner=Alice&wltoken=wrong', 'bad_wltoken', TOKEN, 'alice'],
    ['watchlist-3', 'list=watchlist&wlowner=Alice', 'notloggedin', LOGIN],
    ['watchlist-5', 'list=watchlist&wlprop=patrol', 'patrol', PATROL[1], 'alice'],
    ['watchlist-6', 'list=watchlist&wlcontinue=20240101000000', ...CONT, 'alice'],
    ['watchlist-7', 'list=watchlist&wlshow=autopatrolled|!patrolled', ...SHOW, 'alice'],
    ['watchlist-8', 'list=watchlist&wlshow=!patrolled', ...PATROL, 'alice'],
    ['watchlist-9', 'list=watchlist&wluser=A&wlexcludeuser=B', ...mix('wluser', 'wlexcludeuser'), 'alice'],
    ['watchlistraw-1', 'list=watchlistraw&wrtoken=x&wrshow=changed|!changed', 'notloggedin', LOGIN],
    ['watchlistraw-2', 'list=watchlistraw&wrshow=changed|!changed', ...SHOW, 'alice'],
    ['watchlistraw-3', 'list=watchlistraw&wrcontinue=0|[', ...CONT, 'alice'],
    ['watchlistraw-4', 'list=watchlistraw&wrfromtitle=Talk:', ...badTitle('Talk:'), 'alice'],
  ]);
  hosts.give([
    ['watchlist-10', 'list=watchlist&wlowner=Alice&wltoken=key', { owner: 'Alice', token: undefined }],
    ['watchlist-11', 'list=watchlist&wlowner=Alice', { owner: undefined }, 'bot'],
    ['watchlist-12', 'generator=watchlist&gwlallrev=&gwlprop=patrol', { allrev: true }, 'alice'],
    ['watchlistraw-5', 'list=watchlistraw&wrowner=Alice&wrtoken=key', { owner: 'Alice', token: undefined }],
  ]);
});
