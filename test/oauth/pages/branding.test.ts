import { describe, expect, test } from 'vitest';
import { contrastOf, lightened } from '../../../src/core/base/pages/contrast.js';
import { PALETTES } from '../../../src/core/base/pages/style.js';
import { html, type Template, pageLayout } from '../../../src/core/pages.js';
import { english, german } from '../../../src/languages/index.js';
import { type Answer, Client, hostFor } from '../../hosts.js';
import { Browser, formOf, wordsOf } from '../support/browser.js';
import { fixture } from '../support/fixture.js';
import { Flows } from '../support/tokens.js';

const WEB = { response_type: 'code', client_id: 'web' } as const;
const PICTURE = 'data:image/svg+xml,%3Csvg%20xmlns=%22http://www.w3.org/2000/svg%22/%3E';
const BRANDING = {
  name: 'Orchard <b>',
  logo: PICTURE,
  color: '#0a7d4f',
  links: { home: '/start', privacy: 'https://orchard.example/privacy', terms: '/terms', help: '/help?a=1&b="' },
};

const policyOf = ({ headers }: Answer, name: string): string | undefined =>
  String(headers['content-security-policy'])
    .split('; ')
    .find((directive) => directive.startsWith(name));

describe('colours', () => {
  test.each([
    ['#000000', '#ffffff', 21],
    ['#fff', '#FFFFFF', 1],
    ['#777777', '#ffffff', 4.47],
    ['#767676', '#ffffff', 4.54],
  ])('%s and %s: %f', (one, other, ratio) => {
    expect(Math.floor(contrastOf(one, other) * 100) / 100).toBe(ratio);
  });

  test('each palette is readable, with its own accent', () => {
    for (const palette of Object.values(PALETTES)) {
      const pairs = [
        [palette.text, palette.card],
        [palette.text, palette['note-back']],
        [palette.text, palette.back],
        [palette.soft, palette.card],
        [palette.soft, palette.back],
        [palette.accent, palette.card],
        [palette.accent, palette['note-back']],
        [palette['on-accent'], palette.accent],
        [palette.bad, palette['bad-back']],
      ] as const;
      expect(pairs.filter(([text, around]) => contrastOf(text, around) < 4.5)).toEqual([]);
    }
  });

  test('a single colour is lightened for the dark palette, only as much as necessary', () => {
    const { card } = PALETTES.dark;
    expect(lightened('#a3bcff', [card])).toBe('#a3bcff');
    const made = lightened('#00205b', [card]);
    expect(contrastOf(made, card)).toBeGreaterThanOrEqual(4.5);
    expect(contrastOf(made, card)).toBeLessThan(5.5);
  });

  test.each(['#0a4d3f', '#5b2333', '#00205b'])('%s keeps its hue and its strength in the dark palette', (color) => {
    const spread = (one: string): number => {
      const channels = [1, 3, 5].map((at) => Number.parseInt(one.slice(at, at + 2), 16));
      return Math.max(...channels) - Math.min(...channels);
    };
    const made = lightened(color, [PALETTES.dark.card]);
    expect(spread(made)).toBeGreaterThan(spread(color) * 0.8);
  });
});

describe.each(hostFor(import.meta.url))('$name', ({ start }) => {
  test("every page shows its site and host, and links to the site's pages", async () => {
    const host = await start(fixture({ branding: BRANDING }));
    const browser = new Browser(host);
    const signIn = await browser.authorize(WEB);
    const { host: name } = new URL(host.base);
    expect(wordsOf(signIn)).toContain(
      `Orchard <b> ${name} Sign in Sign in with your account at Orchard <b> to continue to web .`,
    );
    const device = await browser.device();
    const { json } = await new Client(host.base).post('/oauth/device', { client_id: 'tv' });
    const deviceConsent = await browser.submit(device, { user_code: String(json['user_code']) });
    const pages = [
      signIn,
      await browser.authorize(WEB),
      device,
      deviceConsent,
      await browser.submit(deviceConsent, { decision: 'deny' }),
      await browser.open(`${host.base}/oauth/grants`),
      await browser.authorize({ ...WEB, client_id: 'nobody' }),
    ];
    for (const page of pages) {
      expect(page.text).toContain(`<img src="${PICTURE}" alt="">`);
      expect(policyOf(page, 'img-src')).toBe('img-src data:');
      const links = [...page.text.matchAll(/<a href="([^"]*)">(?:<bdi>)?([^<]*)/g)].map(([, href, text]) => [
        href,
        text,
      ]);
      expect(links).toEqual(
        expect.arrayContaining([
          ['/start', 'Orchard &lt;b&gt;'],
          ['/help?a=1&amp;b=&quot;', 'Help'],
          ['https://orchard.example/privacy', 'Privacy'],
          ['/terms', 'Terms'],
        ]),
      );
      expect(page.text).toContain(`<span><bdi dir="ltr">${name}</bdi></span>`);
      expect(page.text).toContain('--accent:#0a7d4f;');
    }
  });

  test('pages show the e-mail address of an account below its name, once, and no token contains it', async () => {
    const password = 'wonderland';
    const users = [
      { username: 'alice', password, email: 'alice@orchard.example' },
      { username: 'bob@orchard.example', password, sub: 'bob', email: 'bob@orchard.example' },
    ];
    const host = await start(fixture({ users }));
    const browser = new Browser(host);
    const consent = await browser.signIn(await browser.authorize(WEB));
    expect(wordsOf(consent)).toContain('signed in as alice . alice@orchard.example Sign out');
    expect(wordsOf(await browser.device())).toContain('alice@orchard.example');
    expect(wordsOf(await browser.open(`${host.base}/oauth/grants`))).toContain('alice@orchard.example');
    expect(JSON.stringify(await new Flows(host).tokens('web'))).not.toContain('orchard.example');
    const other = new Browser(host);
    const bob = { username: 'bob@orchard.example', password };
    expect(wordsOf(await other.signIn(await other.authorize(WEB), bob)).split('bob@orchard.example')).toHaveLength(2);
  });

  test("a client's logo is shown if loading it reveals nothing: in the page itself, or from the host of the issuer", async () => {
    const about = { client_secret: 's', redirect_uris: ['https://app.example/cb'], scope: 'profile' } as const;
    const shown = async (logo_uri: (base: string) => string): Promise<readonly unknown[]> => {
      const host = await start({
        options: (base) => fixture({ clients: [{ ...about, client_id: 'logo', logo_uri: logo_uri(base) }] }).options,
      });
      const browser = new Browser(host);
      const page = await browser.signIn(await browser.authorize({ response_type: 'code', client_id: 'logo' }));
      return [/<div class="pair"><img src="([^"]*)"/.exec(page.text)?.[1], policyOf(page, 'img-src')];
    };
    expect(await shown(() => PICTURE)).toEqual([PICTURE, 'img-src data:']);
    expect(await shown(() => 'https://tracker.example/logo.png')).toEqual([undefined, undefined]);
    let address = '';
    const own = await shown((base) => (address = `${new URL(base).origin}/logo.png`));
    expect(own).toEqual([address, `img-src ${new URL(address).origin}`]);
  });

  test('every error page has a link back: to the start, the client, or the home page', async () => {
    const about = { client_secret: 's', redirect_uris: ['https://app.example/cb'], scope: 'profile' } as const;
    const known = { ...about, client_id: 'known', client_name: 'Known', client_uri: 'https://app.example/' };
    const { options, advance } = fixture({ branding: { name: 'Orchard' }, clients: [known] });
    const host = await start({ options });
    const prefix = host.base.slice(host.origin.length);
    const browser = new Browser(host);
    const wayOf = ({ text }: Answer) => /<p><a href="([^"]*)">(.*?)<\/a><\/p>/.exec(text)?.slice(1) ?? [];
    const home = ['/', 'Back to Orchard'];
    const start_ = 'Start again';
    const client = ['https://app.example/', 'Back to Known'];
    const request = { response_type: 'code', client_id: 'known' };
    const consent = await browser.signIn(await browser.authorize(request));
    const grants = `${prefix}/oauth/grants`;
    const device = `${prefix}/oauth/device`;
    const { json } = await new Client(host.base).post('/oauth/device', { client_id: 'tv' });
    const deviceConsent = await browser.submit(await browser.device(), { user_code: String(json['user_code']) });

    expect(wayOf(await browser.authorize({ ...request, client_id: 'nobody' }))).toEqual(home);
    expect(wayOf(await browser.authorize({ ...request, redirect_uri: 'https://evil.example/' }))).toEqual(client);
    const forged = await browser.submit(consent, { form_token: 'x', decision: 'deny' });
    expect(wayOf(forged)).toEqual([expect.stringMatching(/^.*\/oauth\/authorize\?resume=[\w-]+$/), start_]);
    expect(formOf(await browser.open(wayOf(forged)[0] ?? '')).buttons).toContain('decision=approve');
    expect(wayOf(await browser.submit(consent, { decision: 'x' }))[1]).toBe(start_);
    await browser.submit(consent, { decision: 'deny' });
    expect(wayOf(await browser.submit(consent, { decision: 'approve' })), 'already answered').toEqual(client);
    expect(wayOf(await browser.submit(await browser.open(grants), { form_token: 'x' }))).toEqual([grants, start_]);
    expect(wayOf(await browser.open(`${device}/verify`)), 'a form reloaded').toEqual([device, start_]);
    const wrong = await browser.submit(deviceConsent, { form_token: 'x', decision: 'approve' });
    expect(wayOf(wrong)).toEqual([expect.stringMatching(/\/oauth\/device\?user_code=/), start_]);
    advance(3600);
    expect(wayOf(await browser.submit(consent, { decision: 'approve' })), 'too old').toEqual(home);
  });

  test('a custom page can use the same frame: layout, style sheet and tag are exported', async () => {
    const template: Template = (view) =>
      view.page === 'login'
        ? pageLayout(view, { title: 'Come in', body: html`<p>${view.site.name} ${view.clientId} ${view.locale}</p>` })
        : undefined;
    const host = await start(fixture({ branding: BRANDING, template, languages: [english, german] }));
    const page = await new Browser(host).authorize({ ...WEB, ui_locales: 'de' });
    expect(wordsOf(page)).toMatch(/^Come in · Orchard <b> .* Come in Orchard <b> web de Hilfe/);
    const style = /<style>([\s\S]*?)<\/style>/.exec(page.text)?.[1] ?? '';
    const digest = await crypto.subtle.digest('SHA-256', Buffer.from(style));
    expect(policyOf(page, 'style-src')).toBe(`style-src 'sha256-${Buffer.from(digest).toString('base64')}'`);
  });

  test("a custom page may have style attributes: no hash disables 'unsafe-inline'", async () => {
    const template = () => ({ html: '<p style="color: red">', styleSources: ["'unsafe-inline'"] });
    const host = await start(fixture({ template }));
    expect(policyOf(await new Browser(host).authorize(WEB), 'style-src')).toBe("style-src 'unsafe-inline'");
  });
});
