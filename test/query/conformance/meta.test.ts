import { describe, expect, test } from 'vitest';
import { startQuery } from '../fixture.js';
import { badTitle, conditions, deprecatedValue, Hosts, unrecognized } from './rows.js';

const hosts = new Hosts();
const LOGIN = 'You must be logged in.';

describe('allmessages', () => {
  hosts.refuse([
    ['allmessages-1', 'meta=allmessages&amlang=a:b', 'invalidlang', 'Invalid language code for parameter "amlang".'],
    ['allmessages-3', 'meta=allmessages&amenableparser=&amtitle=[', ...badTitle('[')],
  ]);
  hosts.give([
    ['allmessages-2', 'meta=allmessages&amlang=zzz', { lang: 'zzz' }],
    ['allmessages-4', 'meta=allmessages&amtitle=[', { title: '[' }],
    ['allmessages-6', 'meta=allmessages&ammessages=', 'nothing'],
  ]);
});

describe('authmanagerinfo', () => {
  hosts.give([
    [
      'authmanagerinfo-1',
      'meta=authmanagerinfo&amisecuritysensitiveoperation=anything&amirequestsfor=change',
      { securitysensitiveoperation: 'anything', requestsfor: 'change' },
    ],
  ]);

  test('authmanagerinfo-2: requires no right to read', async () => {
    const host = await startQuery({ private: true, modules: { authmanagerinfo: () => ({ data: {} }) } });
    const { json } = await host.get({ action: 'query', meta: 'authmanagerinfo' });
    expect(json['error']).toBeUndefined();
  });
});

describe('filerepoinfo, linterstats', () => {
  hosts.give([
    ['filerepoinfo-1', 'meta=filerepoinfo&friprop=name', { prop: ['name'] }],
    ['linterstats-1', 'meta=linterstats', {}],
  ]);
});

describe('languageinfo', () => {
  const languages = { de: { autonym: 'Deutsch' }, en: { autonym: 'English' }, fr: { autonym: 'français' } };
  const ask = async (query: string) => {
    const host = await startQuery({ languages });
    const { json } = await host.raw(
      `action=query&meta=languageinfo&format=json&formatversion=2&errorformat=plaintext&${query}`,
    );
    await host.close();
    return { codes: Object.keys(json['query']?.['languageinfo'] ?? {}), warnings: json['warnings'] };
  };

  test('languageinfo-1: an unknown code is a warning with a full stop and without data', async () => {
    expect((await ask('licode=de|xx')).warnings).toEqual([
      {
        code: 'unrecognizedvalues',
        text: 'Unrecognized value for parameter "licode": xx.',
        module: 'query+languageinfo',
      },
    ]);
  });

  test('languageinfo-2: `*` among others is not a code, and the order is the site’s', async () => {
    expect((await ask('licode=*')).codes).toEqual(['de', 'en', 'fr']);
    const { codes, warnings } = await ask('licode=fr|*|de');
    expect(codes).toEqual(['de', 'fr']);
    expect(warnings).toMatchObject([{ code: 'unrecognizedvalues' }]);
  });

  test('languageinfo-3: continues with the codes from any given value on', async () => {
    expect((await ask('licontinue=dz|1')).codes).toEqual(['en', 'fr']);
  });
});

describe('notifications, unreadnotificationpages', () => {
  hosts.refuse([
    ['notifications-1', 'meta=notifications', 'login-required', LOGIN],
    ['unreadnotificationpages-1', 'meta=unreadnotificationpages', 'login-required', LOGIN],
  ]);
  hosts.warn([
    ['notifications-3', 'meta=notifications&notformat=flyout', ...deprecatedValue('notformat', 'flyout'), 'alice'],
  ]);
  hosts.give([
    [
      'notifications-6',
      'meta=notifications&notgroupbysection=&notcontinue=a&notalertcontinue=b',
      { continue: undefined, alertcontinue: 'b' },
      'alice',
    ],
    ['notifications-7', 'meta=notifications&nottitles=[]|Apple', { titles: ['[]', 'Apple'] }, 'alice'],
    ['notifications-8', 'meta=notifications&notfilter=', { filter: ['!read'] }, 'alice'],
    ['unreadnotificationpages-2', 'meta=unreadnotificationpages&unpgrouppages=', { grouppages: true }, 'alice'],
  ]);
});

describe('siteinfo', () => {
  hosts.warn([['siteinfo-2', 'meta=siteinfo&siprop=general|*', ...unrecognized('siprop', '*')]]);

  test('siteinfo-1: with only unknown values there is no query', async () => {
    const { json } = await hosts.bare('meta=siteinfo&siprop=nosuch');
    expect(json['query']).toBeUndefined();
    expect(conditions(json, 'warnings')).toMatchObject([{ code: 'unrecognizedvalues' }]);
  });
  hosts.refuse([
    [
      'siteinfo-3',
      'meta=siteinfo&siprop=dbrepllag&sishowalldb=',
      'includeAllDenied',
      'Cannot view all servers\' info unless "$wgShowHostnames" is true.',
    ],
  ]);
  test('siteinfo-4: without dbrepllag the flag has no effect', async () => {
    expect((await hosts.bare('meta=siteinfo&sishowalldb=')).json['errors']).toBeUndefined();
  });
  test('siteinfo-5: an invalid language has no effect', async () => {
    const { json } = await hosts.bare('meta=siteinfo&siprop=languages&siinlanguagecode=%3Cx%3E');
    expect([json['errors'], json['query']?.['languages']]).toEqual([undefined, []]);
  });
  test('siteinfo-6: properties are in the order of the request', async () => {
    const { json } = await hosts.bare('meta=siteinfo&siprop=statistics|namespaces|general');
    expect(Object.keys(json['query'] ?? {})).toEqual(['statistics', 'namespaces', 'general']);
  });
});

describe('tokens', () => {
  hosts.warn([['tokens-2', 'meta=tokens&type=nosuch', ...unrecognized('type', 'nosuch')]]);
  test('tokens-1: a request that any page may have sent gets none', async () => {
    const { json } = await hosts.bare('meta=tokens&origin=*');
    expect(conditions(json, 'warnings')).toMatchObject([{ code: 'tokens-origin', module: 'query+tokens' }]);
    expect(json['query']).toBeUndefined();
  });
  test('tokens-3: `*` is all types, and two of them are available to all callers', async () => {
    const { json } = await hosts.bare('meta=tokens&type=*');
    expect(json['query']?.['tokens']).toMatchObject({
      csrftoken: '+\\',
      logintoken: expect.stringMatching(/^[0-9a-f]{40}\+\\$/),
    });
  });
});

describe('userinfo', () => {
  test('userinfo-1: the email address and the real name are personal, and require rights', async () => {
    const { json } = await hosts.bare('meta=userinfo&uiprop=email|realname', 'alice');
    expect(json['query']?.['userinfo']).not.toHaveProperty('email');
  });
  test('userinfo-2: `*` is everything', async () => {
    const { json } = await hosts.bare('meta=userinfo&uiprop=*', 'alice');
    expect(json['query']?.['userinfo']).toMatchObject({ name: 'Alice', groups: expect.arrayContaining(['user']) });
  });
  test('userinfo-4: the limits of the caller', async () => {
    const host = await startQuery({ limits: { token: { requests: 5 } } });
    const { json } = await host.get({ action: 'query', meta: 'userinfo', uiprop: 'ratelimits' }, { as: 'alice' });
    expect(json['query']?.['userinfo']?.['ratelimits']).toEqual({ requests: { user: { hits: 5, seconds: 60 } } });
  });
});
