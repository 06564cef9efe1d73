import { describe } from 'vitest';
import { CONT, deprecatedValue, Hosts, mayNotView, mix, notWith, onlyWith, outOfRange, SHOW } from './rows.js';

const hosts = new Hosts();

describe('categories, categoryinfo', () => {
  hosts.refuse([
    ['categories-3', 'prop=categories&titles=Apple&clcontinue=1|A|B', ...CONT],
    ['categories-4', 'prop=categories&titles=Apple&clshow=hidden|!hidden', ...SHOW],
  ]);
  hosts.warn([
    [
      'categories-2',
      'prop=categories&titles=Apple&clcategories=Apple|Category:Fruit',
      'invalidcategory',
      '"Apple" is not a category.',
    ],
  ]);
  hosts.give([
    ['categories-1', 'prop=categories&titles=Nope&clshow=hidden|!hidden', 'nothing'],
    ['categories-5', 'prop=categories&titles=Apple&clcategories=Apple&clshow=hidden|!hidden', 'nothing'],
    ['categoryinfo-1', 'prop=categoryinfo&titles=Category:Nowhere', {}],
    ['categoryinfo-2', 'prop=categoryinfo&titles=Category:Fruit&cicontinue=abc', { continue: 'abc' }],
  ]);
});

describe('contributors', () => {
  hosts.refuse([
    ['contributors-1', 'prop=contributors&pcgroup=sysop&pcexcluderights=block', ...mix('pcgroup', 'pcexcluderights')],
    ['contributors-2', 'prop=contributors&pccontinue=abc', ...CONT],
  ]);
});

describe('deletedrevisions', () => {
  const base = 'prop=deletedrevisions&titles=Nope';
  hosts.refuse([
    ['deletedrevisions-3', `${base}&drvuser=A&drvexcludeuser=B`, ...mix('drvuser', 'drvexcludeuser')],
    ['deletedrevisions-4', `${base}&drvslots=main&drvdifftotext=x`, ...notWith('drvdifftotext', 'drvslots')],
    ['deletedrevisions-5', 'prop=deletedrevisions&titles=Apple', ...mayNotView('deleted comments')],
    [
      'deletedrevisions-6',
      'prop=deletedrevisions&titles=Apple&drvprop=content&drvslots=main',
      ...mayNotView('content of deleted revisions'),
      'bot',
    ],
    ['deletedrevisions-7', 'prop=deletedrevisions&revids=99&drvcontinue=1', ...CONT, 'bot'],
  ]);
  hosts.give([
    ['deletedrevisions-1', 'prop=deletedrevisions', 'nothing'],
    ['deletedrevisions-2', 'prop=deletedrevisions&revids=99', 'nothing', 'alice'],
    ['deletedrevisions-8', `${base}&drvprop=ids&drvstart=now`, { prop: ['ids'] }],
    ['deletedrevisions-9', 'prop=deletedrevisions&revids=99', {}, 'bot'],
  ]);
});

describe('duplicatefiles, extlinks', () => {
  hosts.refuse([
    ['duplicatefiles-2', 'prop=duplicatefiles&titles=File:Red.png&dfcontinue=abc', ...CONT],
    ['extlinks-2', 'prop=extlinks&titles=Apple&elquery=/x*', 'badquery', 'Invalid query.'],
  ]);
  hosts.give([
    ['duplicatefiles-1', 'prop=duplicatefiles&titles=Apple', 'nothing'],
    ['duplicatefiles-3', 'prop=duplicatefiles&titles=File:Red.png&dflocalonly=', { localonly: true }],
    ['extlinks-1', 'prop=extlinks&titles=Nope&elquery=/x*', 'nothing'],
    [
      'extlinks-4',
      'prop=extlinks&titles=Apple&elquery=http://example.org',
      { query: 'http://example.org', protocol: '' },
    ],
  ]);
});

describe('extracts', () => {
  hosts.refuse([
    ['extracts-3', 'prop=extracts&titles=Apple&exchars=5&exsentences=1', ...mix('exchars', 'exsentences')],
    ['extracts-6', 'prop=extracts&titles=Apple&excontinue=2', ...CONT],
  ]);
  hosts.warn([
    [
      'extracts-4',
      'prop=extracts&titles=Apple|Banana',
      'textextracts-limit',
      '"exlimit" was too large for a whole article extracts request, lowered to 1.',
    ],
    ['extracts-9', 'prop=extracts&titles=Apple&exsentences=11', ...outOfRange('exsentences', 11, 1, 10)],
  ]);
  hosts.give([
    ['extracts-1', 'prop=extracts&titles=Nope&exchars=5&exsentences=1', 'nothing'],
    ['extracts-5', 'prop=extracts&titles=Apple|Banana', { limit: 1 }],
    ['extracts-8', 'prop=extracts&titles=Apple&exsectionformat=raw', { sectionformat: 'raw', plaintext: false }],
  ]);
});

describe('imageinfo, images', () => {
  hosts.refuse([
    [
      'imageinfo-1',
      'prop=imageinfo&iibadfilecontexttitle=',
      'invalid-title',
      'Invalid title in "iibadfilecontexttitle" parameter.',
    ],
    ['imageinfo-3', 'prop=imageinfo&titles=File:Red.png&iicontinue=x', ...CONT],
    ['images-2', 'prop=images&titles=Apple&imcontinue=x&imimages=Apple', ...CONT],
  ]);
  hosts.warn([['images-3', 'prop=images&titles=Apple&imimages=Apple|File:A.png', 'notfile', '"Apple" is not a file.']]);
  hosts.give([
    ['imageinfo-2', 'prop=imageinfo&titles=Apple', 'nothing'],
    ['imageinfo-8', 'prop=imageinfo&titles=File:Red.png&iiurlheight=10', { urlwidth: -1, urlheight: 10 }],
    ['imageinfo-9', 'prop=imageinfo&titles=File:Nope.png', { limit: 1 }],
    ['images-1', 'prop=images&titles=Nope&imcontinue=x', 'nothing'],
    ['images-4', 'prop=images&titles=Apple&imimages=Apple', 'nothing'],
  ]);
});

describe('info', () => {
  hosts.refuse([
    [
      'info-1',
      'prop=info&titles=Apple&inlinkcontext=[x',
      'badtitle',
      'Invalid value "[x" for title parameter "inlinkcontext": not a valid title string.',
    ],
    [
      'info-2',
      'prop=info&titles=Apple|Nope&inprop=editintro',
      'invalidparammix',
      'Multiple pages or revisions were supplied, but "inprop=preloadcontent" and "inprop=editintro" may only be used with a single page and revision.',
    ],
    ['info-3', 'prop=info&titles=Apple&incontinue=0|[', ...CONT],
  ]);
  hosts.warn([['info-7', 'prop=info&titles=Apple&inprop=readable', ...deprecatedValue('inprop', 'readable')]]);
  hosts.give([
    ['info-4', 'prop=info&titles=Apple&intestactions=zzz&intestactionsdetail=full', { testactions: ['zzz'] }],
    ['info-8', 'prop=info&titles=Apple&inpreloadcustom=x&ineditintrocustom=y', { preloadcustom: 'x' }],
  ]);
});

describe('iwlinks, langlinks', () => {
  hosts.refuse([
    ['iwlinks-2', 'prop=iwlinks&titles=Apple&iwtitle=A&iwurl=&iwprop=url', ...onlyWith('iwtitle', 'iwprefix')],
    ['iwlinks-3', 'prop=iwlinks&titles=Apple&iwurl=&iwprop=', ...mix('iwprop', 'iwurl')],
    ['iwlinks-4', 'prop=iwlinks&titles=Apple&iwcontinue=abc', ...CONT],
    ['langlinks-2', 'prop=langlinks&titles=Apple&lltitle=A', ...onlyWith('lltitle', 'lllang')],
    ['langlinks-3', 'prop=langlinks&titles=Apple&llurl=&llprop=url', ...mix('llprop', 'llurl')],
    ['langlinks-4', 'prop=langlinks&titles=Apple&llcontinue=x|de', ...CONT],
  ]);
  hosts.give([
    ['iwlinks-1', 'prop=iwlinks&titles=Nope&iwtitle=A', 'nothing'],
    ['langlinks-1', 'prop=langlinks&titles=Nope&lltitle=A', 'nothing'],
    ['langlinks-5', 'prop=langlinks&titles=Apple&llinlanguagecode=%3Cx%3E', { inlanguagecode: '<x>', prop: undefined }],
  ]);
});

describe('links, templates', () => {
  hosts.refuse([
    ['links-4', 'prop=links&titles=Apple&plcontinue=abc', ...CONT],
    ['templates-1', 'prop=templates&titles=Apple&tlcontinue=1|10', ...CONT],
  ]);
  hosts.warn([
    ['links-2', 'prop=links&titles=Apple&pltitles=[x|Banana', 'invalidtitle', '"[x" is not a valid title.'],
    [
      'templates-2',
      'prop=templates&titles=Apple&tltemplates=wikipedia:A',
      'invalidtitle',
      '"wikipedia:A" is not a valid title.',
    ],
  ]);
  hosts.give([
    ['links-1', 'prop=links&titles=Nope&plcontinue=abc', 'nothing'],
    ['links-3', 'prop=links&titles=Apple&pltitles=Banana&plnamespace=1&plcontinue=abc', 'nothing'],
    ['templates-3', 'prop=templates&titles=Apple&tltemplates=Box&tlnamespace=10', 'nothing'],
  ]);
});

describe('linkshere, transcludedin, fileusage, redirects', () => {
  hosts.refuse([
    ['linkshere-3', 'prop=linkshere&titles=Apple&lhcontinue=abc', ...CONT],
    ['linkshere-4', 'prop=linkshere&titles=Apple&lhshow=redirect|!redirect', ...SHOW],
    ['transcludedin-1', 'prop=transcludedin&titles=Nope&tishow=redirect|!redirect', ...SHOW],
    ['fileusage-1', 'prop=fileusage&titles=File:Red.png&fushow=redirect|!redirect', ...SHOW],
    ['redirects-1', 'prop=redirects&titles=Apple&rdshow=fragment|!fragment', ...SHOW],
  ]);
  hosts.give([
    ['linkshere-1', 'prop=linkshere&lhshow=redirect|!redirect', 'nothing'],
    ['linkshere-2', 'prop=linkshere&titles=Apple&lhnamespace=', 'nothing'],
    ['linkshere-5', 'prop=linkshere&titles=Nope', {}],
    ['fileusage-2', 'prop=fileusage&titles=Apple', 'nothing'],
    ['redirects-3', 'prop=redirects&titles=Special:Search', {}],
  ]);
});

describe('pageimages, pageprops', () => {
  hosts.refuse([
    ['pageimages-1', 'prop=pageimages&piprop=', 'noprop', 'The parameter "piprop" may not be empty.'],
    ['pageimages-3', 'prop=pageimages&titles=Apple|Banana&picontinue=1', ...CONT],
    ['pageprops-1', 'prop=pageprops&ppcontinue=05', ...CONT],
  ]);
  hosts.give([
    ['pageimages-2', 'prop=pageimages&titles=Nope&picontinue=1', 'nothing'],
    ['pageimages-4', 'prop=pageimages&titles=Apple&pilangcode=%3Cx%3E', { langcode: '<x>' }],
    ['pageprops-2', 'prop=pageprops&titles=Apple&ppprop=', { prop: undefined }],
  ]);
});

describe('revisions', () => {
  const several =
    '"titles", "pageids" or a generator was used to supply multiple pages, but the "rvlimit", "rvstartid", "rvendid", "rvdir=newer", "rvuser", "rvexcludeuser", "rvstart", and "rvend" parameters may only be used on a single page.';
  hosts.refuse([
    [
      'revisions-3',
      'prop=revisions&revids=11&rvlimit=1',
      'invalidparammix',
      'The "revids" parameter may not be used with the list options ("rvlimit", "rvstartid", "rvendid", "rvdir=newer", "rvuser", "rvexcludeuser", "rvstart", and "rvend").',
    ],
    ['revisions-4', 'prop=revisions&titles=Apple|Banana&rvdir=newer', 'invalidparammix', several],
    [
      'revisions-5',
      'prop=revisions&titles=Apple&rvslots=main&rvdifftotextpst=&rvstart=now&rvstartid=1',
      ...notWith('rvdifftotextpst', 'rvslots'),
    ],
    [
      'revisions-7',
      'prop=revisions&titles=Apple&rvend=now&rvendid=1&rvuser=A&rvexcludeuser=B',
      ...mix('rvendid', 'rvend'),
    ],
    ['revisions-8', 'prop=revisions&titles=Apple&rvlimit=1&rvcontinue=1|2', ...CONT],
    ['revisions-10', 'prop=revisions&titles=Apple&rvcontinue=1', ...CONT],
  ]);
  hosts.give([
    ['revisions-1', 'prop=revisions&titles=Nope&rvslots=main&rvparse=', 'nothing'],
    ['revisions-2', 'prop=revisions&revids=99&rvlimit=1', 'nothing'],
    ['revisions-11', 'prop=revisions&titles=Apple|Banana&rvdir=older', { limit: 500 }],
  ]);
});

describe('stashimageinfo', () => {
  const STASH = 'The upload stash is only available to logged-in users.';
  hosts.refuse([
    ['stashimageinfo-1', 'prop=stashimageinfo', 'notloggedin', STASH],
    [
      'stashimageinfo-2',
      'prop=stashimageinfo',
      'missingparam',
      'At least one of the parameters "siifilekey" and "siisessionkey" is required.',
      'alice',
    ],
    [
      'stashimageinfo-3',
      'prop=stashimageinfo&siifilekey=a.png|b',
      'uploadstash-bad-path-bad-format',
      'Key "b" is not in a proper format.',
      'alice',
    ],
  ]);
  hosts.give([
    [
      'stashimageinfo-6',
      'prop=stashimageinfo&siifilekey=a.png&siisessionkey=b',
      { filekey: ['a.png'], sessionkey: undefined },
      'alice',
    ],
  ]);
});
