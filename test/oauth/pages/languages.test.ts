import { describe, expect, test } from 'vitest';
import type {
  FeatureTexts,
  PageLanguage,
  PageTextName,
  PageTexts,
} from '../../../src/core/base/pages/languages/english.js';
import { Languages, LANGUAGES } from '../../../src/core/base/pages/languages/languages.js';
import { acceptedLanguage, askedLanguage, uiLocalesOf } from '../../../src/core/base/pages/languages/negotiation.js';
import { Translator } from '../../../src/core/base/pages/languages/translator.js';
import type { HttpRequest } from '../../../src/core/index.js';
import { API_TEXTS } from '../../../src/core/query/describe/texts/api-texts.js';
import { ADMIN_TEXTS } from '../../../src/features/admin/texts.js';
import { describeClaims, DESCRIPTIONS } from '../../../src/features/openid/scopes.js';
import { SESSION_TEXTS } from '../../../src/features/sessions/texts.js';
import * as languages from '../../../src/languages/index.js';
import { type Answer, Client, hostFor, useHost } from '../../hosts.js';
import { everyRow } from '../../rows.js';
import { Browser, formOf, locationOf, wordsOf } from '../support/browser.js';
import { fixture } from '../support/fixture.js';

const { arabic, english, german, spanish } = languages;
const NAMES = Object.keys(english.texts) as PageTextName[];

/** Words that are the same in English. */
const SAME: Readonly<Record<string, readonly string[]>> = { de: ['website', 'code', 'tokenName'], fr: ['code'] };
const WEB = { response_type: 'code', client_id: 'web' } as const;

/** A name that is read from right to left, and what would turn the text around it. */
const HEBREW = 'יומן';

const langOf = ({ text }: Answer): string => /<html ([^>]*)>/.exec(text)?.[1] ?? '';

/** The pages that entries of their own provide. */
const FEATURES = [
  ['admin', ADMIN_TEXTS],
  ['sessions', SESSION_TEXTS],
  ['api', API_TEXTS],
] as const satisfies readonly (readonly [keyof NonNullable<PageLanguage['features']>, FeatureTexts])[];

/** Words of these pages that are the same in English. */
const SAME_IN_FEATURES: Readonly<Record<string, readonly string[]>> = {
  de: ['clients', 'name', 'scopes', 'logo', 'sandbox', 'parameters', 'status', 'format'],
  es: ['error'],
  fr: ['clients', 'public', 'logo', 'secret', 'modules', 'actions', 'pages', 'format'],
  'pt-BR': ['status'],
};

describe.each(Object.values<PageLanguage>(languages))('the texts in $locale', ({ locale, texts, features }) => {
  test('are complete: each text, its placeholders, and the plural forms that the language has', () => {
    expect(() => LANGUAGES.read([{ locale, texts }], locale)).not.toThrow();
  });

  test('are translated, except a few words that are the same', () => {
    const same = NAMES.filter((name) => JSON.stringify(texts[name]) === JSON.stringify(english.texts[name]));
    expect(same).toEqual(locale === 'en' ? NAMES : (SAME[locale] ?? []));
  });

  test.each(FEATURES)('are complete and translated on the pages %s', (feature, inEnglish) => {
    const { offered } = Languages.of([{ locale, texts, ...(features && { features }) }]).with(feature, inEnglish);
    expect(offered).toEqual([locale]);
    const own = features?.[feature] ?? {};
    const same = Object.entries<unknown>(inEnglish).filter(
      ([name, text]) => JSON.stringify(own[name]) === JSON.stringify(text),
    );
    const known = SAME_IN_FEATURES[locale] ?? [];
    expect(same.map(([name]) => name).filter((name) => !known.includes(name))).toEqual([]);
  });

  test('have a sentence for every number', () => {
    const language = new Translator(locale, texts);
    const sentences = [0, 1, 2, 3, 11, 100].map((count) => language.text('apps', { count }));
    const forms = new Set([0, 1, 2, 3, 11, 100].map((count) => new Intl.PluralRules(locale).select(count)));
    expect(new Set(sentences.map((text) => text.replaceAll(/\p{Nd}+/gu, ''))).size).toBe(forms.size);
    expect(sentences.join()).not.toMatch(/undefined|[{}]/);
  });
});

/** How a language would address somebody else than its other texts do. */
const OTHER_ADDRESS: Readonly<Record<string, RegExp>> = {
  de: /\b(du|dir|dich|dein\w*)\b/i,
  es: /\b(usted|ustedes|inicie|introduzca)\b/i,
  fr: /(?<!\p{L})(tu|toi|ton|tes)(?!\p{L})/iu,
  ja: /お客様/,
  'zh-Hans': /您/,
};

test.each(Object.entries(OTHER_ADDRESS))('the texts in %s address the reader in one way', (locale, other) => {
  const { texts, features } = Object.values<PageLanguage>(languages).find((each) => each.locale === locale) ?? {};
  const scopes = Object.values(DESCRIPTIONS).map(({ translations }) => translations[locale]);
  const shown = [texts, features, scopes, describeClaims(['name'], locale)];
  expect(
    JSON.stringify(shown)
      .split('"')
      .filter((text) => other.test(text)),
  ).toEqual([]);
});

test('a wrong language is rejected with the text that is wrong', () => {
  const read = (given: unknown) => () => LANGUAGES.read(given, 'options.languages');
  expect(read([german, english, german])).toThrow('options.languages has "de" twice.');
  expect(read([{ locale: 'nl', texts: {} }])).toThrow(/^options\.languages\[0\]\.texts lacks help, .* more\./);
  return everyRow(
    [
      [{ signin: 'x' }, 'signin is no text of the pages. Did you mean signIn?'],
      [{ signIn: '' }, 'signIn must be'],
      [{ signIn: 7 }, 'signIn must be'],
      [{ signIn: undefined }, 'lacks signIn'],
      [{ signedInAs: 'Angemeldet.' }, 'signedInAs must have {user}'],
      [{ signedInAs: 'Als {user} bei {site} angemeldet.' }, 'signedInAs has {site}'],
      [{ signIn: '{user}' }, 'signIn has {user}'],
      [{ apps: '{count} Anwendungen' }, 'apps must be an object of plural forms'],
      [{ apps: { one: 'Eine Anwendung' } }, 'apps.other is missing'],
      [{ apps: { few: 'x', one: 'x', other: 'x' } }, 'apps.few is no plural form of de'],
    ],
    ([texts, problem]) => {
      expect(read([english, { locale: 'de', texts: { ...german.texts, ...texts } }])).toThrow(problem);
    },
  );
});

test('the pages of a feature are in English if the default language lacks its texts, and wrong ones are rejected', () => {
  const dutch: PageLanguage = { locale: 'nl', texts: english.texts };
  const inEnglish = { hello: 'Hello {name}' };
  const offeredBy = (...given: readonly PageLanguage[]) => Languages.of(given).with('admin', inEnglish).offered;
  const withAdmin = (one: PageLanguage, admin: FeatureTexts): PageLanguage => ({ ...one, features: { admin } });
  const german2 = withAdmin(german, { hello: 'Hallo {name}' });
  expect(offeredBy(dutch, german2)).toEqual(['en', 'de']);
  expect(offeredBy(german2, dutch)).toEqual(['de']);
  expect(Languages.of([german2]).with('admin', inEnglish).get('de').text('hello', { name: 'Eva' })).toBe('Hallo Eva');
  expect(() => offeredBy(withAdmin(german, { hello: 'Hallo' }))).toThrow(
    'The language de: features.admin.hello must have {name}',
  );
  expect(() => offeredBy(withAdmin(german, {}))).toThrow('The language de: features.admin lacks hello');
});

describe('choosing the language', () => {
  const offered = ['en', 'de', 'pt-BR', 'zh-Hant', 'ar'];
  const accepted = (header: string) =>
    acceptedLanguage(
      { header: (name: string) => (name === 'accept-language' ? header : undefined) } as HttpRequest,
      offered,
    );

  test('Accept-Language chooses the language', () =>
    everyRow(
      [
        ['de', 'de'],
        ['de-AT', 'de'],
        ['DE', 'de'],
        ['fr, de;q=0.5, ar;q=0.9', 'ar'],
        ['fr;q=1, de; q=0.8', 'de'],
        ['zh-Hant-TW', 'zh-Hant'],
        ['zh-TW', 'zh-Hant'],
        ['zh-CN', undefined],
        ['pt', 'pt-BR'],
        ['pt-PT', undefined],
        ['de;q=0', undefined],
        ['de;q=x, ar', 'ar'],
        ['*', undefined],
        ['', undefined],
        ['de\u0000', undefined],
      ],
      ([header, language]) => {
        expect(accepted(header)).toBe(language);
      },
    ));

  test('a list is read up to its twentieth entry and its 500th character', () => {
    expect([accepted(`${'xx, '.repeat(19)}de`), accepted(`${'xx, '.repeat(20)}de`)]).toEqual(['de', undefined]);
    expect([accepted(`${' '.repeat(498)}de`), accepted(`${' '.repeat(499)}de`)]).toEqual(['de', undefined]);
  });

  test('#116 OpenID Connect Core §3.1.2.1: a language is chosen by its tag', () =>
    everyRow(
      [
        ['ui_locales=de', 'de'],
        ['a=b&ui_locales=fr+ar%20de', 'ar'],
        ['ui_locales=fr', undefined],
        ['ui_locales=%ff', undefined],
        ['ui_locales=', undefined],
        ['x=ui_locales', undefined],
      ],
      ([query, language]) => {
        expect(askedLanguage(uiLocalesOf(query), offered)).toBe(language);
      },
    ));
});

describe.each(hostFor(import.meta.url))('the pages on $name', ({ start }) => {
  const hebrew = {
    client_id: 'hebrew',
    client_name: HEBREW,
    client_secret: 's',
    redirect_uris: ['https://hebrew.example/cb'],
    grant_types: ['authorization_code', 'device_code'],
    scope: 'profile',
  } as const;
  const { options, errors } = fixture({
    clients: [hebrew],
    scopes: {
      profile: { description: 'See your name', translations: { de: 'Ihren Namen sehen' } },
      'content.read': 'Read your content',
      'content.write': 'Change your content',
      highvolume: 'Read a lot',
      introspect: 'Look at tokens',
    },
    languages: [english, { ...german, texts: { ...german.texts, signIn: 'Einloggen' } }, spanish, arabic],
  });

  const host = useHost({ start }, { options }, errors);

  test("use the browser's language, with custom texts in place of ours", async () => {
    const browser = new Browser(host, { 'accept-language': 'fr, de-CH;q=0.9, en;q=0.1' });
    const signIn = await browser.authorize(WEB);
    expect([langOf(signIn), wordsOf(signIn)]).toEqual(['lang="de"', expect.stringContaining('Einloggen')]);
    const wrong = await browser.submit(signIn, { username: 'alice', password: 'wrong' });
    expect(wordsOf(wrong)).toContain(german.texts.wrong_credentials);
    const consent = await browser.signIn(wrong);
    expect(wordsOf(consent)).toContain('web bittet um folgende Berechtigungen: Ihren Namen sehen Read your content');
    const unknown = await browser.authorize({ ...WEB, client_id: 'nobody' });
    for (const text of [german.texts.unknown_client.slice(0, -1), german.texts.inDevelopment])
      expect(wordsOf(unknown)).toContain(text);
    expect(unknown.text, 'the explanation is English').toContain('<bdi lang="en" dir="ltr">There is no client');
  });

  test("use the client's language on every page, whatever the browser's; error pages too", async () => {
    const browser = new Browser(host, { 'accept-language': 'de' });
    const signIn = await browser.authorize({ ...WEB, ui_locales: 'xx ar' });
    expect(langOf(signIn)).toBe('lang="ar" dir="rtl"');
    const consent = await browser.signIn(signIn);
    expect([langOf(consent), formOf(consent).action]).toEqual([
      'lang="ar" dir="rtl"',
      expect.stringMatching(/\/oauth\/authorize\?ui_locales=ar$/),
    ]);
    const forged = await browser.submit(consent, { form_token: 'x', decision: 'approve' });
    expect([forged.status, langOf(forged)]).toEqual([403, 'lang="ar" dir="rtl"']);
    const again = /<p><a href="([^"]*)"/.exec(forged.text)?.[1] ?? '';
    expect(langOf(await browser.open(again.replaceAll('&amp;', '&'))), 'the way back').toBe('lang="ar" dir="rtl"');
    const apps = /<a href="([^"]*grants[^"]*)"/.exec(consent.text)?.[1] ?? '';
    expect(langOf(await browser.open(apps)), 'the page of connected applications').toBe('lang="ar" dir="rtl"');
    expect(locationOf(await browser.submit(consent, { decision: 'approve' }))).toContain('code=');
  });

  test('read ui_locales from a POST request too', async () => {
    const answer = await new Client(host.base).post('/oauth/authorize', { ...WEB, ui_locales: 'es' });
    expect(langOf(await new Browser(host).open(locationOf(answer)))).toBe('lang="es"');
  });

  test('use English if nothing matches, and the metadata lists the offered languages', async () => {
    expect(langOf(await new Browser(host, { 'accept-language': 'fr' }).authorize(WEB))).toBe('lang="en"');
    const { json } = await new Client(host.base).get('/.well-known/oauth-authorization-server');
    expect(json['ui_locales_supported']).toEqual(['en', 'de', 'es', 'ar']);
  });

  test('isolate names and other untrusted texts, so that none changes the direction of the sentence', async () => {
    const browser = new Browser(host);
    const consent = await browser.signIn(await browser.authorize({ response_type: 'code', client_id: 'hebrew' }));
    const { json } = await new Client(host.base).post('/oauth/device', { client_id: 'hebrew', client_secret: 's' });
    const device = await browser.submit(await browser.device(), { user_code: String(json['user_code']) });
    for (const { text } of [consent, device]) {
      const [, head = '', body = ''] = /<title>(.*?)<\/title>(.*)/s.exec(text) ?? [];
      expect(head).toContain(HEBREW);
      expect(head, 'control characters').not.toMatch(/[\u2066-\u2069]/);
      expect(body.split(HEBREW).length).toBeGreaterThan(2);
      expect(body.replaceAll(`<bdi>${HEBREW}</bdi>`, '')).not.toContain(HEBREW);
      for (const outside of ['alice', 'See your name']) expect(body).toContain(`<bdi>${outside}</bdi>`);
    }
  });
});

describe.each(hostFor(import.meta.url))('languages of a host on $name', ({ start }) => {
  test('a complete one can be added, and only offered ones are used', async () => {
    const counted = { one: '{count}', many: '{count}', other: '{count}' };
    const texts = Object.fromEntries(
      Object.entries(english.texts).map(([name, text]) => [name, typeof text === 'string' ? text : counted]),
    ) as unknown as PageTexts;
    const offered = [german, { locale: 'fr', texts: { ...texts, signIn: 'Se connecter' } }];
    const host = await start(fixture({ languages: offered }));
    const spoken = await Promise.all(
      ['fr-CA', 'en', 'de'].map((language) => new Browser(host, { 'accept-language': language }).authorize(WEB)),
    );
    expect(spoken.map(langOf)).toEqual(['lang="fr"', 'lang="de"', 'lang="de"']);
    expect(wordsOf(spoken[0]!)).toContain('Se connecter');
  });
});
