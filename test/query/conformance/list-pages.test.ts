import { describe, expect, test } from 'vitest';
import {
  badTitle,
  CONT,
  Hosts,
  mayNotView,
  mix,
  mustBeSet,
  needsOneOf,
  notWith,
  onlyWith,
  outOfRange,
  unrecognized,
} from './rows.js';

const hosts = new Hosts();
const SHA1 = 'a'.repeat(40);

describe('allcategories', () => {
  hosts.refuse([
    ['allcategories-1', 'list=allcategories&accontinue=A|B', ...CONT],
    ['allcategories-2', 'list=allcategories&acfrom=A%23', ...badTitle('A#')],
  ]);
  hosts.give([['allcategories-3', 'list=allcategories&acmin=5&acmax=2', { min: 5, max: 2 }]]);
});

describe('allfileusages, alllinks, allredirects, alltransclusions', () => {
  hosts.refuse([
    ['alllinks-1', 'list=alllinks&alunique=&alprop=ids|title', ...notWith('alprop=ids', 'alunique')],
    [
      'alllinks-2',
      'list=allredirects&arunique=&arprop=interwiki|ids|fragment',
      ...notWith('arprop=interwiki|ids|fragment', 'arunique'),
    ],
    ['alllinks-3', 'list=alllinks&alunique=&alcontinue=A|1', ...CONT],
    ['alllinks-4', 'list=alltransclusions&atcontinue=A', ...CONT],
    ['alllinks-5', 'list=alllinks&alnamespace=1&alfrom=Category:A%23', ...badTitle('Category:A#')],
    ['allfileusages-1', 'list=allfileusages&afprefix=[', ...badTitle('[')],
    ['alltransclusions-1', 'list=alltransclusions&atfrom=wikipedia:A|', ...badTitle('wikipedia:A|')],
  ]);
  hosts.give([
    ['alllinks-6', 'list=alllinks&alfrom=[bad&alcontinue=A|1', { from: undefined, continue: 'A|1' }],
    ['alllinks-7', 'list=alllinks&alfrom=B&alto=A&aldir=descending', { from: 'B', to: 'A', dir: 'descending' }],
    ['alllinks-8', 'generator=alllinks&galunique=', { unique: true }],
    ['alllinks-9', 'list=alllinks&alprop=', { prop: [] }],
    ['alllinks-10', 'list=alllinks&alnamespace=-1', { namespace: -1 }],
    ['allredirects-1', 'list=allredirects&arprop=fragment|interwiki', { prop: ['fragment', 'interwiki'] }],
  ]);
});

describe('allimages', () => {
  hosts.refuse([
    [
      'allimages-1',
      'generator=allimages&redirects=',
      'invalidparammix',
      'Use "gaifilterredir=nonredirects" instead of "redirects" when using "allimages" as a generator.',
    ],
    ['allimages-3', 'list=allimages&aiuser=Alice', ...onlyWith('aiuser', 'aisort=timestamp')],
    ['allimages-4', 'list=allimages&aifilterbots=bots', ...onlyWith('aifilterbots', 'aisort=timestamp')],
    ['allimages-5', 'list=allimages&aicontinue=A|B', ...CONT],
    ['allimages-6', 'list=allimages&aito=Talk:A%23', ...badTitle('Talk:A#')],
    ['allimages-7', 'list=allimages&aisort=timestamp&aifrom=A', ...onlyWith('aifrom', 'aisort=name')],
    [
      'allimages-8',
      'list=allimages&aisort=timestamp&aiuser=Alice&aifilterbots=bots',
      'invalidparammix-cannotusewith',
      'The "aiuser" parameter cannot be used with "aifilterbots".',
    ],
    ['allimages-9', 'list=allimages&aisort=timestamp&aicontinue=A', ...CONT],
    ['allimages-10', 'list=allimages&aisha1=zz', 'invalidsha1hash', 'The SHA1 hash provided is not valid.'],
    [
      'allimages-11',
      `list=allimages&aisha1base36=${'A'.repeat(31)}`,
      'invalidsha1base36hash',
      'The SHA1Base36 hash provided is not valid.',
    ],
  ]);
  hosts.give([
    ['allimages-2', 'list=allimages', { sort: 'name' }],
    ['allimages-12', 'list=allimages&aimime=image/png', { mime: ['image/png'] }],
    ['allimages-13', 'list=allimages&aimime=', 'nothing'],
    ['allimages-14', 'list=allimages&aimime=zz&aidir=newer', { mime: ['zz'], dir: 'newer' }],
    ['allimages-15', `list=allimages&aisha1=${SHA1}&aisha1base36=no`, { sha1: SHA1, sha1base36: undefined }],
  ]);
});

describe('allpages', () => {
  hosts.refuse([
    [
      'allpages-1',
      'generator=allpages&redirects=&gapfrom=[',
      'params',
      'Use "gapfilterredir=nonredirects" instead of "redirects" when using "allpages" as a generator.',
    ],
    ['allpages-2', 'list=allpages&apcontinue=A|B', ...CONT],
    ['allpages-3', 'list=allpages&apfrom=Talk:A', ...badTitle('Talk:A')],
    ['allpages-4', 'list=allpages&apprlevel=sysop&apprtype=', ...onlyWith('prlevel', 'prtype')],
  ]);
  hosts.give([
    [
      'allpages-5',
      'list=allpages&apprexpiry=definite&apprlevel=sysop',
      { prexpiry: 'definite', prlevel: undefined, prtype: undefined },
    ],
    ['allpages-6', 'list=allpages&apprfiltercascade=cascading', { prfiltercascade: 'all' }],
    ['allpages-7', 'list=allpages&apprtype=edit&apprlevel=|sysop', { prtype: ['edit'], prlevel: ['', 'sysop'] }],
    ['allpages-8', 'list=allpages&apminsize=10&apmaxsize=5', { minsize: 10, maxsize: 5 }],
  ]);
});

describe('backlinks, embeddedin, imageusage', () => {
  hosts.refuse([
    ['backlinks-2', 'list=backlinks', ...needsOneOf('bltitle', 'blpageid')],
    ['backlinks-3', 'list=backlinks&bltitle=A&blpageid=1', ...mix('bltitle', 'blpageid')],
    ['backlinks-4', 'list=backlinks&bltitle=', ...badTitle('')],
    ['backlinks-5', 'list=backlinks&bltitle=wikipedia:A', ...badTitle('wikipedia:A')],
    ['backlinks-8', 'list=backlinks&bltitle=A&blcontinue=0|1|2', ...CONT],
    ['embeddedin-1', 'list=embeddedin', ...needsOneOf('eititle', 'eipageid')],
    ['embeddedin-2', 'list=embeddedin&eititle=A&eicontinue=5', ...CONT],
    ['imageusage-1', 'list=imageusage&iutitle=A&iupageid=4', ...mix('iutitle', 'iupageid')],
    ['imageusage-2', 'list=imageusage&iutitle=Apple', 'bad_image_title', 'The title for "imageusage" must be a file.'],
    ['imageusage-3', 'list=imageusage&iutitle=File:A.png&iucontinue=x|y', ...CONT],
  ]);
  hosts.warn([
    ['backlinks-1', 'list=backlinks&bltitle=A&blredirect=&bllimit=251', ...outOfRange('bllimit', 251, 1, 250)],
  ]);
  hosts.give([
    ['backlinks-6', 'list=backlinks&bltitle=Special:Search', { title: 'Special:Search' }],
    ['backlinks-7', 'list=backlinks&blpageid=99', { pageid: 99 }],
    ['backlinks-9', 'list=backlinks&bltitle=Nowhere', { title: 'Nowhere' }],
    [
      'backlinks-10',
      'list=backlinks&bltitle=A&blredirect=&blfilterredir=nonredirects',
      { redirect: true, filterredir: 'nonredirects', limit: 10 },
    ],
    ['backlinks-11', 'list=backlinks&bltitle=A&blnamespace=1|0', { namespace: [1, 0] }],
    ['embeddedin-3', 'list=embeddedin&eititle=Talk:A&eilimit=max', { title: 'Talk:A', limit: 500 }],
  ]);
});

describe('categorymembers', () => {
  const base = 'list=categorymembers&cmtitle=Category:Fruit';
  const HEX = 'Invalid value for parameter';
  hosts.refuse([
    ['categorymembers-1', 'list=categorymembers', ...needsOneOf('cmtitle', 'cmpageid')],
    ['categorymembers-2', 'list=categorymembers&cmtitle=Fruit|', ...badTitle('Fruit|')],
    [
      'categorymembers-4',
      'list=categorymembers&cmtitle=Special:A',
      'pagecannotexist',
      "Namespace doesn't allow actual pages.",
    ],
    [
      'categorymembers-5',
      'list=categorymembers&cmtitle=Apple',
      'invalidcategory',
      'The category name you entered is not valid.',
    ],
    ['categorymembers-6', `${base}&cmsort=timestamp&cmcontinue=1|2`, ...CONT],
    ['categorymembers-7', `${base}&cmcontinue=page|4b4|5`, ...CONT],
    [
      'categorymembers-8',
      'generator=categorymembers&gcmtitle=Category:Fruit&gcmstarthexsortkey=4b4',
      'badvalue_gcmstarthexsortkey',
      `${HEX} "gcmstarthexsortkey".`,
    ],
    ['categorymembers-9', `${base}&cmendhexsortkey=zz`, 'badvalue_cmendhexsortkey', `${HEX} "cmendhexsortkey".`],
  ]);
  hosts.give([
    ['categorymembers-3', 'list=categorymembers&cmpageid=99', { pageid: 99 }],
    [
      'categorymembers-10',
      `${base}&cmstartsortkeyprefix=A&cmstarthexsortkey=no&cmstartsortkey=B`,
      { startsortkeyprefix: 'A', starthexsortkey: undefined, startsortkey: undefined },
    ],
    ['categorymembers-11', `${base}&cmstart=now&cmend=now`, { start: undefined, end: undefined }],
    [
      'categorymembers-12',
      `${base}&cmsort=timestamp&cmtype=file&cmstarthexsortkey=no`,
      { type: ['page', 'subcat', 'file'], starthexsortkey: undefined },
    ],
    [
      'categorymembers-13',
      `${base}&cmcontinue=page||1&cmstarthexsortkey=no`,
      { continue: 'page||1', starthexsortkey: undefined },
    ],
    ['categorymembers-14', `${base}&cmtype=`, 'nothing'],
    ['categorymembers-15', `${base}&cmtype=file|page&cmdir=newer`, { type: ['file', 'page'], dir: 'newer' }],
    ['categorymembers-16', `${base}&cmstarthexsortkey=`, { starthexsortkey: '' }],
  ]);
});

describe('exturlusage', () => {
  hosts.refuse([['exturlusage-1', 'list=exturlusage&euquery=a*b', 'badquery', 'Invalid query.']]);
  hosts.give([
    ['exturlusage-2', 'list=exturlusage&euquery=http://example.org/', { query: 'http://example.org/' }],
    ['exturlusage-3', 'list=exturlusage&eucontinue=abc|d', { continue: 'abc|d' }],
    ['exturlusage-4', 'generator=exturlusage&geuquery=*.example.org', { query: '*.example.org' }],
  ]);
});

describe('filearchive', () => {
  hosts.refuse([
    ['filearchive-1', 'list=filearchive&faprop=parseddescription', ...mayNotView('descriptions of deleted files')],
    ['filearchive-2', 'list=filearchive&faprop=metadata', ...mayNotView('metadata of deleted files'), 'bot'],
    ['filearchive-3', 'list=filearchive&facontinue=', ...CONT],
    ['filearchive-4', 'list=filearchive&fafrom=A%23', ...badTitle('A#')],
    ['filearchive-5', 'list=filearchive&fasha1=zz', 'invalidsha1hash', 'The SHA1 hash provided is not valid.'],
  ]);
  hosts.give([
    ['filearchive-6', 'list=filearchive', { prop: ['timestamp'] }],
    ['filearchive-7', `list=filearchive&fasha1=${SHA1}`, { sha1: SHA1 }],
  ]);
});

describe('iwbacklinks, langbacklinks', () => {
  hosts.refuse([
    ['iwbacklinks-1', 'list=iwbacklinks&iwbltitle=A', ...onlyWith('iwbltitle', 'iwblprefix')],
    ['iwbacklinks-2', 'list=iwbacklinks&iwblcontinue=abc', ...CONT],
    ['langbacklinks-1', 'list=langbacklinks&lbltitle=A', 'nolang', onlyWith('lbltitle', 'lbllang')[1]],
    ['langbacklinks-2', 'list=langbacklinks&lblcontinue=a|b|c', ...CONT],
  ]);
  hosts.give([['iwbacklinks-3', 'list=iwbacklinks&iwblprefix=&iwbltitle=A', { prefix: '', title: 'A' }]]);
});

describe('pagepropnames, pageswithprop', () => {
  hosts.refuse([
    ['pagepropnames-1', 'list=pagepropnames&ppncontinue=a|b', ...CONT],
    ['pageswithprop-1', 'list=pageswithprop&pwppropname=', ...mustBeSet('pwppropname')],
    ['pageswithprop-2', 'list=pageswithprop&pwppropname=x&pwpcontinue=1|2', ...CONT],
  ]);
  hosts.give([
    ['pagepropnames-2', 'list=pagepropnames&ppncontinue=', { continue: '' }],
    ['pageswithprop-3', 'list=pageswithprop&pwppropname=x&pwpcontinue=abc', { continue: 'abc' }],
    ['pageswithprop-4', 'list=pageswithprop&pwppropname=nosuch', { propname: 'nosuch' }],
  ]);
});

describe('prefixsearch, search', () => {
  hosts.refuse([
    ['prefixsearch-1', 'list=prefixsearch&pssearch=', ...mustBeSet('pssearch')],
    ['search-1', 'list=search', ...mustBeSet('srsearch')],
  ]);
  hosts.warn([['prefixsearch-3', 'list=prefixsearch&pssearch=A&psnamespace=99', ...unrecognized('psnamespace', '99')]]);
  hosts.give([
    ['prefixsearch-2', 'list=prefixsearch&pssearch=%20%20', 'nothing'],
    ['prefixsearch-4', 'list=prefixsearch&pssearch=A&psoffset=5', { offset: 5 }],
    ['search-4', 'list=search&srsearch=A', { what: undefined }],
    [
      'search-5',
      'generator=search&gsrsearch=A&gsrinterwiki=&gsrenablerewrites=',
      { interwiki: false, enablerewrites: false, prop: [], info: [] },
    ],
    ['search-6', 'generator=search&gsrsearch=A&gsrprop=size', { prop: ['size'], info: [] }],
    ['search-7', 'list=search&srsearch=A&sroffset=10&srlimit=5', { offset: 10, limit: 5 }],
  ]);
});

describe('protectedtitles, querypage, random, trackingcategories', () => {
  const base = 'list=querypage';
  hosts.refuse([
    ['protectedtitles-1', 'list=protectedtitles&ptcontinue=abc', ...CONT],
    ['querypage-1', `${base}&qppage=longpages`, 'badvalue', 'Unrecognized value for parameter "qppage": longpages.'],
    [
      'querypage-2',
      `${base}&qppage=Unwatchedpages`,
      'specialpage-cantexecute',
      "You don't have permission to view the results of this special page.",
      'bot',
    ],
    ['random-1', 'list=random&rnfilterredir=nonredirects&rnredirect=', ...mix('rnfilterredir', 'rnredirect')],
    ['random-2', 'list=random&rncontinue=0.5|0.5|07|0', ...CONT],
    ['trackingcategories-1', 'list=trackingcategories&tccontinue=A|B', ...CONT],
  ]);
  hosts.give([
    ['protectedtitles-2', 'list=protectedtitles&ptprop=user', { prop: ['user'] }],
    ['querypage-3', `${base}&qppage=Unwatchedpages`, { page: 'Unwatchedpages' }, 'admin'],
    ['querypage-6', `${base}&qppage=Longpages&qpoffset=-5`, { offset: -5 }],
    ['random-3', 'list=random&rnfilterredir=all', { filterredir: 'all' }],
    ['random-5', 'list=random&rnminsize=1&rnmaxsize=5&rncontentmodel=wikitext', { minsize: 1, maxsize: 5 }],
    ['trackingcategories-2', 'list=trackingcategories&tctrackingcatname=', { trackingcatname: undefined }],
  ]);

  test('querypage-5: as a generator the report is still named', async () => {
    const { json } = await hosts.noting('generator=querypage&gqppage=Longpages');
    expect(json['query']).toEqual({ querypage: { name: 'Longpages' } });
  });
});
