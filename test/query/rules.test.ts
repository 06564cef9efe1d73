import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { catalogue, type PageRecord } from '../../src/core/query/index.js';
import { type Answered, type QueryHost, startQuery } from './fixture.js';

const PAGES: readonly PageRecord[] = [
  { pageid: 1, ns: 0, title: 'Apple', revids: [11] },
  { pageid: 2, ns: 0, title: 'Banana' },
  { pageid: 3, ns: 14, title: 'Category:Fruit' },
];

let host: QueryHost;
beforeAll(async () => {
  host = await startQuery({
    modules: {
      allpages: () => [
        { pageid: 1, ns: 0, title: 'Apple' },
        { pageid: 2, ns: 0, title: 'Banana' },
      ],
      deletedrevs: () => [],
      deletedrevisions: () => ({ pages: {} }),
      revisions: () => ({ pages: {} }),
    },
    pages: ({ titles, revids }) =>
      PAGES.filter(({ title, revids: own }) => titles.includes(title) || own?.some((id) => revids.includes(id))),
  });
});
afterAll(() => host.close());

const ask = (query: string, as?: string): Promise<Answered> =>
  host.get(
    Object.fromEntries(new URLSearchParams(`action=query&formatversion=2&${query}`)),
    as === undefined ? {} : { as },
  );

describe('§11.1, §11.2 and §11.3 conditions between parameters', () => {
  test.each<[string, string, string]>([
    ['list=backlinks', 'missingparam', 'One of the parameters "bltitle" and "blpageid" is required.'],
    [
      'list=backlinks&bltitle=A&blpageid=1',
      'invalidparammix',
      'The parameters "bltitle" and "blpageid" can not be used together.',
    ],
    ['generator=backlinks', 'missingparam', 'One of the parameters "gbltitle" and "gblpageid" is required.'],
    ['list=backlinks&bltitle=', 'invalidtitle', 'Bad title "".'],
    [
      'list=embeddedin&eititle=A&eipageid=1',
      'invalidparammix',
      'The parameters "eititle" and "eipageid" can not be used together.',
    ],
    ['list=categorymembers', 'missingparam', 'One of the parameters "cmtitle" and "cmpageid" is required.'],
    ['list=usercontribs&ucuserids=', 'paramempty_ucuserids', 'The parameter "ucuserids" may not be empty.'],
    ['list=blocks&bkip=1.0.0.0/8', 'cidrtoobroad', 'IPv4 CIDR ranges broader than /16 are not accepted.'],
    ['list=blocks&bkip=2001::/8', 'cidrtoobroad', 'IPv6 CIDR ranges broader than /32 are not accepted.'],
    [
      'list=allimages&aifilterbots=bots',
      'invalidparammix',
      'The "aifilterbots" parameter may only be used with "aisort=timestamp".',
    ],
    [
      'meta=siteinfo&siprop=dbrepllag&sishowalldb=',
      'includeAllDenied',
      'The database servers of this site are not shown one by one.',
    ],
    ['list=embeddedin', 'missingparam', 'One of the parameters "eititle" and "eipageid" is required.'],
    ['list=imageusage&iutitle=Apple', 'bad_image_title', 'The title for "iutitle" must be a file.'],
    ['list=categorymembers&cmtitle=Apple', 'invalidcategory', 'The category name you entered is not valid.'],
    ['list=allpages&apprlevel=sysop', 'invalidparammix', 'The "prlevel" parameter may only be used with "prtype".'],
    ['list=allpages&apfrom=[bad', 'invalidtitle', 'Bad title "[bad".'],
    ['list=allpages&apfrom=A%23B', 'invalidtitle', 'Bad title "A#B".'],
    [
      'generator=allpages&redirects=',
      'params',
      'Use "gapfilterredir=nonredirects" instead of "redirects" when using "allpages" as a generator.',
    ],
    [
      'list=allimages&aiuser=Alice',
      'invalidparammix',
      'The "aiuser" parameter may only be used with "aisort=timestamp".',
    ],
    [
      'list=allimages&aisort=timestamp&aifrom=A',
      'invalidparammix',
      'The "aifrom" parameter may only be used with "aisort=name".',
    ],
    ['list=allimages&aisha1=zz', 'invalidsha1hash', 'The SHA1 hash provided is not valid.'],
    [
      'list=alldeletedrevisions&adruser=Alice&adrfrom=A',
      'invalidparammix',
      'The "adrfrom" parameter cannot be used with "adruser".',
    ],
    [
      'list=alldeletedrevisions&adrstart=now',
      'invalidparammix',
      'The "adrstart" parameter may only be used with "adruser".',
    ],
    [
      'list=allrevisions&arvuser=Alice&arvexcludeuser=Bob',
      'invalidparammix',
      'The parameters "arvuser" and "arvexcludeuser" can not be used together.',
    ],
    [
      'list=allrevisions&arvslots=main&arvprop=parsetree',
      'invalidparammix',
      'The "arvslots" parameter cannot be used with "arvprop=parsetree".',
    ],
    [
      'list=allrevisions&arvslots=main&arvparse=',
      'invalidparammix',
      'The "arvslots" parameter cannot be used with "arvparse".',
    ],
    [
      'list=allrevisions&arvdiffto=zzz',
      'diffto',
      '"arvdiffto" must be set to a non-negative number, "prev", "next" or "cur".',
    ],
    [
      'list=allusers&augroup=sysop&auexcludegroup=bot',
      'invalidparammix',
      'The parameters "augroup" and "auexcludegroup" can not be used together.',
    ],
    [
      'list=usercontribs',
      'missingparam',
      'One of the parameters "ucuserprefix", "ucuserids", "uciprange" and "ucuser" is required.',
    ],
    ['list=usercontribs&ucuser=', 'paramempty_ucuser', 'The parameter "ucuser" may not be empty.'],
    ['list=usercontribs&ucuserids=0', 'invaliduserid', 'User ID 0 is not valid.'],
    ['list=usercontribs&uciprange=x', 'invalidiprange', 'Invalid IP range.'],
    ['list=usercontribs&uciprange=1.0.0.0/8', 'cidrtoobroad', 'IPv4 CIDR ranges broader than /16 are not accepted.'],
    [
      'list=users&ususers=Alice&ususerids=2',
      'invalidparammix',
      'The parameters "ususers" and "ususerids" can not be used together.',
    ],
    [
      'list=blocks&bkusers=Alice&bkip=1.2.3.4',
      'invalidparammix',
      'The parameters "bkusers" and "bkip" can not be used together.',
    ],
    ['list=blocks&bkip=x', 'param_ip', 'IP parameter is not valid.'],
    [
      'list=logevents&letitle=Apple&lenamespace=0',
      'invalidparammix',
      'The parameters "letitle" and "lenamespace" can not be used together.',
    ],
    ['list=logevents&leaction=zzz', 'unknown_leaction', 'Unrecognized value for parameter "leaction": zzz.'],
    [
      'list=random&rnredirect=&rnfilterredir=all',
      'invalidparammix',
      'The parameters "rnfilterredir" and "rnredirect" can not be used together.',
    ],
    ['list=langbacklinks&lbltitle=A', 'nolang', 'The "lbltitle" parameter may only be used with "lbllang".'],
    ['list=iwbacklinks&iwbltitle=A', 'noprefix', 'The "iwbltitle" parameter may only be used with "iwblprefix".'],
    [
      'list=recentchanges&rcshow=minor|!minor',
      'show',
      'Incorrect parameter - mutually exclusive values may not be supplied.',
    ],
    [
      'list=recentchanges&rcshow=patrolled',
      'permissiondenied',
      'You need the "patrol" or "patrolmarks" right to request the patrolled flag.',
    ],
    ['list=watchlist', 'notloggedin', 'Please log in to view or edit items on your watchlist.'],
    ['list=watchlistraw', 'notloggedin', 'Please log in to view or edit items on your watchlist.'],
    ['list=mystashedfiles', 'stashnotloggedin', 'The upload stash is only available to logged-in users.'],
    ['list=deletedrevs', 'permissiondenied', "You don't have permission to view a page's deleted history."],
  ])('%s is %s', async (query, code, info) => {
    const { json, headers, status } = await ask(query);
    expect(json['error']).toMatchObject({ code, info });
    expect(headers.get('mediawiki-api-error')).toBe(code);
    expect(status).toBe(200);
  });

  test('what is allowed to go together does', async () => {
    for (const query of [
      'list=allpages&apprlevel=sysop&apprexpiry=definite',
      'list=logevents&leaction=thanks/thank',
      'list=random&rnredirect=',
      'list=blocks&bkip=1.2.3.4',
      'list=usercontribs&uciprange=1.2.3.0/24',
      'list=allimages&aisort=timestamp&aiuser=Alice',
    ]) {
      const { json } = await ask(query);
      expect([query, json['error']]).toEqual([query, undefined]);
    }
  });

  test('deletedrevs knows its modes', async () => {
    expect((await ask('list=deletedrevs&drstart=now', 'bot')).json['error']).toMatchObject({
      code: 'badparams',
      info: 'The "start" parameter cannot be used in mode 3.',
    });
    expect((await ask('list=deletedrevs&drfrom=A&titles=Apple', 'bot')).json['error']).toMatchObject({
      code: 'badparams',
      info: 'The "from" parameter cannot be used in modes 1 or 2.',
    });
    expect((await ask('list=deletedrevs&druser=A&drexcludeuser=B', 'bot')).json['error']).toMatchObject({
      code: 'badparams',
      info: 'The "user" parameter cannot be used with "excludeuser".',
    });
    const { json } = await ask('list=deletedrevs&errorformat=plaintext', 'bot');
    expect(json['warnings']).toMatchObject([
      { code: 'deprecation', module: 'query+deletedrevs', data: { feature: 'action=query&list=deletedrevs' } },
      { code: 'deprecation-help', module: 'main' },
    ]);
  });
});

describe('§11.3 conditions that need pages', () => {
  const several =
    '"titles", "pageids" or a generator was used to supply multiple pages, but the "rvlimit", "rvstartid", "rvendid", "rvdir=newer", "rvuser", "rvexcludeuser", "rvstart", and "rvend" parameters may only be used on a single page.';
  test.each<[string, string, string]>([
    ['prop=revisions&titles=Apple|Banana&rvlimit=1', 'invalidparammix', several],
    ['prop=revisions&titles=Apple|Banana&rvdir=newer', 'invalidparammix', several],
    ['prop=revisions&generator=allpages&rvuser=Alice', 'invalidparammix', several],
    [
      'prop=revisions&revids=11&rvlimit=1',
      'invalidparammix',
      'The "revids" parameter may not be used with the list options ("rvlimit", "rvstartid", "rvendid", "rvdir=newer", "rvuser", "rvexcludeuser", "rvstart", and "rvend").',
    ],
    [
      'prop=revisions&titles=Apple&rvstart=now&rvstartid=1',
      'invalidparammix',
      'The parameters "rvstartid" and "rvstart" can not be used together.',
    ],
    [
      'prop=revisions&titles=Apple&rvuser=Alice&rvexcludeuser=Bob',
      'invalidparammix',
      'The parameters "rvuser" and "rvexcludeuser" can not be used together.',
    ],
    [
      'prop=revisions&titles=Apple&rvdiffto=x',
      'diffto',
      '"rvdiffto" must be set to a non-negative number, "prev", "next" or "cur".',
    ],
    ['prop=deletedrevisions&titles=Apple', 'permissiondenied', "You don't have permission to view deleted comments."],
    [
      'prop=langlinks&titles=Apple&lltitle=X',
      'invalidparammix',
      'The "lltitle" parameter may only be used with "lllang".',
    ],
    [
      'prop=iwlinks&titles=Apple&iwurl=&iwprop=url',
      'invalidparammix',
      'The parameters "iwurl" and "iwprop" can not be used together.',
    ],
    [
      'prop=langlinks&titles=Apple&llurl=&llprop=url',
      'invalidparammix',
      'The parameters "llurl" and "llprop" can not be used together.',
    ],
    ...(['fileusage', 'linkshere', 'transcludedin'] as const).map((name): [string, string, string] => [
      `prop=${name}&titles=Apple&${catalogue[name].prefix}show=redirect|!redirect`,
      'show',
      'Incorrect parameter - mutually exclusive values may not be supplied.',
    ]),
    [
      'prop=contributors&titles=Apple&pcgroup=sysop&pcrights=block',
      'invalidparammix',
      'The parameters "pcgroup" and "pcrights" can not be used together.',
    ],
    [
      'prop=info&titles=Apple|Banana&inprop=preloadcontent',
      'invalidparammix',
      'Multiple pages or revisions were supplied, but "inprop=preloadcontent" and "inprop=editintro" may only be used with a single page and revision.',
    ],
  ])('%s is %s', async (query, code, info) => {
    expect((await ask(query)).json['error']).toMatchObject({ code, info });
  });

  test.each([
    'prop=revisions&titles=Apple|Nope&rvlimit=1',
    'prop=revisions&titles=Nope|Nope2&rvlimit=1',
    'prop=revisions&titles=Apple|Banana&rvdir=older',
    'prop=langlinks&titles=Nope&lltitle=X',
  ])('missing titles do not count: %s', async (query) => {
    expect((await ask(query)).json['error']).toBeUndefined();
  });

  test('titles that cannot be meant are named, and the others still count', async () => {
    const { json } = await ask(
      'prop=links|categories|images&titles=Apple&pltitles=[x&clcategories=Apple&imimages=Apple&errorformat=plaintext',
    );
    expect(json['warnings']).toEqual(
      expect.arrayContaining([
        { code: 'invalidtitle', text: 'Bad title "[x".', module: 'query+links' },
        { code: 'invalidcategory', text: '"Apple" is not a category.', module: 'query+categories' },
        { code: 'notfile', text: '"Apple" is not a file.', module: 'query+images' },
      ]),
    );
  });

  test('§10.2: content without rvslots comes in a legacy format, with a warning', async () => {
    const { json } = await ask('prop=revisions&titles=Apple&rvprop=content&errorformat=plaintext');
    expect(json['warnings']).toMatchObject([
      {
        code: 'deprecation',
        data: { feature: 'action=query&prop=revisions&!rvslots' },
        text: expect.stringMatching(/^Because "rvslots" was not specified, a legacy format has been used/),
      },
      { code: 'deprecation-help' },
    ]);
    expect((await ask('prop=revisions&titles=Apple&rvprop=content&rvslots=main')).json['warnings']).toBeUndefined();
  });
});

describe('§9.3 limits that depend on other parameters', () => {
  const limitOf = async (query: string, module: string, as?: string) => {
    let seen = -1;
    const own = await startQuery({
      modules: {
        backlinks: ({ limit }) => {
          seen = limit;
          return [];
        },
        allrevisions: ({ limit }) => {
          seen = limit;
          return [];
        },
        revisions: ({ limit }) => {
          seen = limit;
          return { pages: {} };
        },
      },
      pages: () => PAGES.slice(0, 1),
    });
    const { json } = await own.get(
      Object.fromEntries(new URLSearchParams(`action=query&formatversion=2&errorformat=plaintext&${query}`)),
      as === undefined ? {} : { as },
    );
    await own.close();
    return {
      limit: seen,
      limits: json['limits']?.[module],
      warnings: [...((json['warnings'] as unknown as { code: string; data: unknown }[]) ?? [])].filter(
        ({ code }) => code === 'outofrange',
      ),
    };
  };

  test('backlinks with redirect: half', async () => {
    expect(await limitOf('list=backlinks&bltitle=A&blredirect=&bllimit=max', 'backlinks')).toMatchObject({
      limit: 250,
      limits: 250,
      warnings: [],
    });
    expect(await limitOf('list=backlinks&bltitle=A&blredirect=&bllimit=max', 'backlinks', 'bot')).toMatchObject({
      limit: 2500,
      limits: 2500,
    });
    expect(await limitOf('list=backlinks&bltitle=A&blredirect=&bllimit=501', 'backlinks')).toMatchObject({
      limit: 250,
      warnings: [{ data: { min: 1, curmax: 250, max: 250, highmax: 2500 } }],
    });
  });

  test('revisions: 10 where nothing is said, 1 with parse, 50 or 500 with content', async () => {
    expect(await limitOf('list=allrevisions', 'allrevisions')).toMatchObject({ limit: 10 });
    expect(await limitOf('list=allrevisions&arvparse=', 'allrevisions')).toMatchObject({ limit: 1 });
    expect(await limitOf('list=allrevisions&arvlimit=max&arvprop=content&arvslots=main', 'allrevisions')).toMatchObject(
      { limit: 50, limits: 50 },
    );
    expect(
      await limitOf('list=allrevisions&arvlimit=501&arvprop=content&arvslots=main', 'allrevisions', 'bot'),
    ).toMatchObject({ limit: 500, warnings: [{ data: { curmax: 500 } }] });
    expect(await limitOf('prop=revisions&titles=Apple&rvlimit=max', 'revisions')).toMatchObject({ limit: 500 });
  });

  test('revisions outside a selection: as many as there may be pages', async () => {
    expect(await limitOf('prop=revisions&titles=Apple', 'revisions')).toMatchObject({ limit: 500, limits: undefined });
  });
});
