import { describe } from 'vitest';
import { catalogue } from '../../../src/core/query/index.js';
import { badTitle, CONT, Hosts, mix, mustBeSet, SHOW } from './rows.js';

const hosts = new Hosts();

describe('allusers', () => {
  hosts.refuse([
    ['allusers-2', 'list=allusers&aurights=block&auexcludegroup=bot', ...mix('augroup', 'auexcludegroup')],
  ]);
  hosts.give([
    ['allusers-1', 'list=allusers&aurights=bigdelete&auexcludegroup=bot', 'nothing'],
    ['allusers-3', 'list=allusers&augroup=bot&aurights=block', { group: ['bot'], rights: ['block'] }],
    ['allusers-4', 'list=allusers&aurights=purge', { rights: undefined }],
    ['allusers-5', 'list=allusers&aufrom=[&auprefix=a_b', { from: '[', prefix: 'a_b' }],
    ['allusers-8', 'list=allusers&auexcludenamed=&auexcludetemp=', 'nothing'],
  ]);
});

describe('blocks', () => {
  hosts.refuse([
    ['blocks-1', 'list=blocks&bkusers=Alice&bkip=x', ...mix('bkusers', 'bkip')],
    ['blocks-2', 'list=blocks&bkip=x&bkcontinue=1', ...CONT],
    ['blocks-3', 'list=blocks&bkip=x', 'param_ip', 'IP parameter is not valid.'],
    ['blocks-4', 'list=blocks&bkip=2001::/18', 'cidrtoobroad', 'IPv6 CIDR ranges broader than /19 are not accepted.'],
    ['blocks-5', 'list=blocks&bkshow=temp|!temp', ...SHOW],
  ]);
  hosts.give([['blocks-6', 'list=blocks&bkids=&bkusers=', { ids: undefined, users: undefined }]]);
});

describe('codexicons, gadgets, gadgetcategories', () => {
  hosts.refuse([['codexicons-1', 'list=codexicons', ...mustBeSet('names')]]);
  hosts.give([
    ['gadgetcategories-1', 'list=gadgetcategories&gcnames=', { names: undefined }],
    ['gadgets-1', 'list=gadgets&gacategories=', { categories: undefined }],
    ['gadgets-2', 'list=gadgets&gaids=', 'nothing'],
    ['gadgets-3', 'list=gadgets&gaallowedonly=&gaids=nosuch', { allowedonly: true, ids: ['nosuch'] }],
  ]);
});

describe('linterrors, mystashedfiles, tags', () => {
  hosts.refuse([
    ['linterrors-1', 'list=linterrors&lntpageid=1&lnttitle=A', ...mix('lntpageid', 'lnttitle')],
    ['linterrors-2', 'list=linterrors&lntnamespace=0&lnttitle=A', ...mix('lntnamespace', 'lnttitle')],
    ['linterrors-3', 'list=linterrors&lnttitle=wikipedia:A', ...badTitle('wikipedia:A')],
    [
      'mystashedfiles-1',
      'list=mystashedfiles',
      'stashnotloggedin',
      'The upload stash is only available to logged-in users.',
    ],
    ['mystashedfiles-2', 'list=mystashedfiles&msfcontinue=05', ...CONT, 'alice'],
  ]);
  hosts.give([
    [
      'linterrors-4',
      'list=linterrors&lntcategories=',
      { categories: catalogue.linterrors.parameters.categories.default.split('|') },
    ],
    ['linterrors-5', 'list=linterrors&lntfrom=7', { from: 7 }],
    ['tags-1', 'list=tags&tgcontinue=a|b', { continue: 'a|b' }],
  ]);
});

describe('users', () => {
  hosts.refuse([['users-1', 'list=users&ususers=&ususerids=2', ...mix('ususers', 'ususerids')]]);
  hosts.give([
    ['users-2', 'list=users', 'nothing'],
    ['users-3', 'list=users&ususers=[|Alice|nobody', { users: ['[', 'Alice', 'nobody'] }],
  ]);
});
