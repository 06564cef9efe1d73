import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { checkRegistration } from '../../../src/core/oauth/clients/check-registration.js';
import { SHOW_PASSWORD } from '../../../src/core/oauth/pages/built-in-pages.js';
import type { ConsentView } from '../../../src/core/oauth/pages/views.js';
import { html, type Template } from '../../../src/core/pages.js';
import { type Answer, Client, hostFor, useHost } from '../../hosts.js';
import { Browser, formOf, locationOf, wordsOf } from '../support/browser.js';
import { fixture } from '../support/fixture.js';

const OWN_SCRIPT = `<script>${SHOW_PASSWORD}</script>`;
const HOSTILE = `<script>alert(1)</script><img src=x onerror=alert(2)> "'> &amp; </strong></title></textarea>`;

const WEB = { response_type: 'code', client_id: 'web' } as const;
const CLIENTS = [
  {
    client_id: 'hostile',
    client_name: HOSTILE,
    client_secret: 's',
    redirect_uris: [`https://hostile.example/cb?x='&y`],
    grant_types: ['authorization_code', 'device_code'],
    scope: 'profile',
  },
  { client_id: 'app', redirect_uris: ['com.example.app://callback'], grant_types: ['authorization_code'] },
] as const;

const VOID = new Set(['meta', 'input', 'br', 'hr', 'img', 'link']);

/** The names of elements that are opened and never closed, or closed and never opened. */
const unbalanced = (html: string): readonly string[] => {
  const open: string[] = [];
  for (const [, slash, name = ''] of html
    .replace(/<style>[\s\S]*?<\/style>/g, '')
    .matchAll(/<(\/?)([a-z][a-z0-9]*)[^>]*>/g)) {
    if (slash === '') {
      if (!VOID.has(name)) open.push(name);
    } else if (open.pop() !== name) return [`</${name}>`];
  }
  return open;
};

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

describe.each(hostFor(import.meta.url))('$name', ({ start }) => {
  const { options, errors } = fixture({ clients: CLIENTS });
  const pages: Record<string, Answer> = {};

  const userCode = async (client_id = 'tv', client_secret = ''): Promise<string> =>
    String((await new Client(host.base).post('/oauth/device', { client_id, client_secret })).json['user_code']);

  const host = useHost({ start }, { options }, errors);
  beforeAll(async () => {
    const browser = new Browser(host);
    const signIn = await browser.authorize(WEB);
    const signInProblem = await browser.submit(signIn, { username: 'alice', password: 'wrong' });
    const consent = await browser.signIn(signInProblem);
    const deviceCode = await browser.device();
    const deviceCodeProblem = await browser.submit(deviceCode, { user_code: 'wrong' });
    const deviceConsent = await browser.submit(deviceCode, { user_code: await userCode() });
    Object.assign(pages, {
      signIn,
      signInProblem,
      consent,
      deviceCode,
      deviceCodeProblem,
      deviceConsent,
      deviceConnected: await browser.submit(deviceConsent, { decision: 'approve' }),
      deviceRefused: await browser.submit(await browser.submit(deviceCode, { user_code: await userCode() }), {
        decision: 'deny',
      }),
      unknownClient: await browser.authorize({ ...WEB, client_id: 'nobody' }),
      forbidden: await browser.submit(consent, { decision: 'approve', form_token: 'x' }),
    });
  });

  const all = (): readonly (readonly [string, Answer])[] => Object.entries(pages);

  test('the status matches the outcome', () => {
    expect(Object.fromEntries(all().map(([name, { status }]) => [name, status]))).toEqual({
      signIn: 200,
      signInProblem: 400,
      consent: 200,
      deviceCode: 200,
      deviceCodeProblem: 400,
      deviceConsent: 200,
      deviceConnected: 200,
      deviceRefused: 200,
      unknownClient: 400,
      forbidden: 403,
    });
  });

  test('#34 every page is private, cannot be framed, and loads nothing from other sites (RFC 9700 §4.2.4, §4.16)', () => {
    for (const [name, { headers, text }] of all()) {
      const style = /<style>([\s\S]*?)<\/style>/.exec(text)?.[1] ?? '';
      const leadsToClient = name === 'consent' ? [] : ["form-action 'self'"];
      expect([name, String(headers['content-security-policy']).split('; ')]).toEqual([
        name,
        [
          "default-src 'none'",
          `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
          ...(text.includes('<script>')
            ? [`script-src 'sha256-${createHash('sha256').update(SHOW_PASSWORD).digest('base64')}'`]
            : []),
          ...leadsToClient,
          "frame-ancestors 'none'",
          "base-uri 'none'",
        ],
      ]);
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      });
      expect(headers['access-control-allow-origin']).toBeUndefined();
    }
  });

  test('works without JavaScript: POST forms with submit buttons, no inline style, no script except the one that shows the password', () => {
    for (const [name, page] of all()) {
      const text = page.text.replace(OWN_SCRIPT, '').replace(/<button type="button" id="show"[^>]* hidden>/, '');
      expect(text).not.toMatch(/<script|javascript:|\son[a-z]+=|\sstyle=|<button[^>]*type=|href=(?!"\/)/i);
      const hasForm = page.text.includes('<form');
      expect([name, hasForm]).toEqual([name, !['unknownClient', 'forbidden'].includes(name)]);
      if (!hasForm) continue;
      const { action, method } = formOf(page);
      const place = name.startsWith('device') ? '/oauth/device/verify' : '/oauth/authorize';
      expect([method, action]).toEqual(['post', host.base.slice(host.origin.length) + place]);
    }
  });

  test('is accessible: one heading, a title, a language, a label for each field, an alert for each problem', () => {
    for (const [name, { text }] of all()) {
      const shape = [
        count(text, /<h1>/g),
        count(text, /<main>/g),
        count(text, /<title>[^<]+<\/title>/g),
        count(text, /<html lang="en">/g),
        unbalanced(text),
      ];
      expect([name, ...shape]).toEqual([name, 1, 1, 1, 1, []]);
      expect(text).toMatch(/^<!DOCTYPE html>/);
      expect(text).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">');
      const ids = [...text.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);
      expect(new Set(ids).size).toBe(ids.length);
      for (const [input] of text.matchAll(/<input (?!type="hidden")[^>]*>/g)) {
        const id = /id="([^"]*)"/.exec(input)?.[1] ?? '';
        expect([name, count(text, new RegExp(`<label for="${id}">[^<]+</label>`, 'g'))]).toEqual([name, 1]);
      }
      const problems = count(text, /role="alert"/g);
      expect([name, problems]).toEqual([name, name.endsWith('Problem') ? 1 : 0]);
      expect([name, count(text, /aria-describedby="(?:hint )?problem"/g)]).toEqual([name, problems]);
    }
  });

  test('reloading the URL of a form shows a page too', async () => {
    const page = await new Browser(host).open(`${host.base}/oauth/device/verify`);
    expect([page.status, page.headers.allow, page.headers['content-type']]).toEqual([
      405,
      'POST',
      'text/html; charset=utf-8',
    ]);
  });

  test('the password is never sent back, and password managers recognise the fields', () => {
    expect(pages['signInProblem']?.text).not.toContain('wrong"');
    expect(pages['signInProblem']?.text).toMatch(
      /<input [^>]*name="username" autocomplete="username"[^>]*value="alice"/,
    );
    expect(pages['signIn']?.text).toMatch(/<input [^>]*type="password" autocomplete="current-password" required>/);
  });

  test('#34 input from clients and browsers is displayed as text everywhere (RFC 9700 §4.16)', async () => {
    const browser = new Browser(host);
    const request = { response_type: 'code', client_id: 'hostile', state: HOSTILE, scope: 'profile' };
    const signIn = await browser.authorize(request);
    const wrong = await browser.submit(signIn, { username: HOSTILE, password: HOSTILE });
    const consent = await browser.signIn(wrong);
    const device = await browser.device();
    const wrongCode = await browser.submit(device, { user_code: HOSTILE });
    const linkedCode = await browser.open(
      `${locationOf(await new Client(host.base).post('/oauth/device/verify', { user_code: HOSTILE }))}`,
    );
    const deviceConsent = await browser.submit(device, { user_code: await userCode('hostile', 's') });
    const refused = await browser.authorize({ ...request, client_id: HOSTILE, redirect_uri: HOSTILE });
    const done = await browser.submit(deviceConsent, { decision: 'approve' });
    for (const page of [signIn, wrong, consent, device, wrongCode, linkedCode, deviceConsent, refused, done]) {
      expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(page.text.replace(OWN_SCRIPT, '')).not.toMatch(/<script|<img|<\/textarea/);
      expect([unbalanced(page.text), count(page.text, /<title>/g)]).toEqual([[], 1]);
    }
    for (const page of [signIn, consent, deviceConsent, done]) expect(wordsOf(page)).toContain(HOSTILE);
    expect(formOf(wrong).fields['username']).toBe(HOSTILE);
    for (const page of [wrongCode, linkedCode]) expect(formOf(page).fields['user_code']).toBe(HOSTILE);
    const answer = await browser.submit(consent, { decision: 'approve' });
    expect(new URL(locationOf(answer)).searchParams.get('state')).toBe(HOSTILE);
  });

  test('the consent page shows where the decision leads: the host, or the scheme of an app', async () => {
    const browser = new Browser(host);
    const challenge = { code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' };
    const app = await browser.signIn(
      await browser.authorize({ response_type: 'code', client_id: 'app', ...challenge }),
    );
    expect(wordsOf(app)).toContain('you return to com.example.app: .');
    const native = {
      response_type: 'code',
      client_id: 'native',
      redirect_uri: 'http://127.0.0.1:51004/cb',
      ...challenge,
    };
    expect(wordsOf(await browser.authorize(native))).toContain('you return to 127.0.0.1:51004 .');
  });
});

describe.each(hostFor(import.meta.url))('$name', ({ start }) => {
  test('with remembered approvals, the sign-in form may redirect to the client as well', async () => {
    const browser = new Browser(await start(fixture({ lifetimes: { rememberedConsent: 60 } })));
    const signIn = await browser.authorize(WEB);
    expect(signIn.headers['content-security-policy']).not.toContain('form-action');
    const device = await browser.device();
    expect(device.headers['content-security-policy']).toContain("form-action 'self'");
  });

  test('both consent pages link to the registered URLs of a client: https only, with their host, in a new tab without a referrer', async () => {
    const about = {
      client_secret: 's',
      redirect_uris: ['https://app.example/cb'],
      grant_types: ['authorization_code', 'device_code'],
      scope: 'profile',
      logo_uri: 'https://logo.example/a.png',
    } as const;
    const views: ConsentView[] = [];
    const clients = [
      {
        ...about,
        client_id: 'linked',
        client_uri: `https://BÜCHER.example/?a='&b`,
        policy_uri: 'HTTPS://policy.example:8443/',
        tos_uri: 'https://tos.example/terms',
      },
      { ...about, client_id: 'local', client_uri: 'http://127.0.0.1:8080/', policy_uri: 'http://localhost/' },
      { ...about, client_id: 'plain' },
    ] as const;
    const { options } = fixture({ clients });
    const host = await start({ options });
    const browser = new Browser(host);
    const device = async (client_id: string) => {
      const code = await new Client(host.base).post('/oauth/device', { client_id, client_secret: 's' });
      return browser.submit(await browser.device(), { user_code: String(code.json['user_code']) });
    };
    const linksOf = (text: string) =>
      [...text.matchAll(/<a href="([^"]*)"([^>]*)>(.*?)<\/a>/g)].filter(([, href]) => !href?.startsWith('/'));
    const found: Record<string, unknown> = {};
    await browser.signIn(await browser.authorize({ ...WEB, client_id: 'plain' }));
    for (const client_id of ['linked', 'local', 'plain'])
      found[client_id] = [await browser.authorize({ ...WEB, client_id }), await device(client_id)].map(({ text }) => {
        expect(text).not.toMatch(/<script|<img|logo\.example/);
        expect(unbalanced(text)).toEqual([]);
        for (const host of client_id === 'linked'
          ? ['xn--bcher-kva.example', 'policy.example:8443', 'tos.example']
          : [])
          expect(text).toContain(`About this application, at <bdi>${host}</bdi>:`);
        return linksOf(text).map(([, href, more, words = '']) => [href, more, words.replaceAll(/<\/?bdi>/g, '')]);
      });
    const more = ' target="_blank" rel="noreferrer noopener"';
    const links = [
      ['https://BÜCHER.example/?a=&#39;&amp;b', more, 'Website'],
      ['HTTPS://policy.example:8443/', more, 'Privacy policy'],
      ['https://tos.example/terms', more, 'Terms of service'],
    ];
    expect(found).toEqual({ linked: [links, links], local: [[], []], plain: [[], []] });

    const template: Template = (view) => (view.page === 'consent' ? (views.push(view), 'own') : undefined);
    const another = new Browser(await start(fixture({ clients, template })));
    await another.signIn(await another.authorize({ ...WEB, client_id: 'linked' }));
    expect(views).toEqual([
      expect.objectContaining({
        clientUri: clients[0].client_uri,
        policyUri: clients[0].policy_uri,
        tosUri: clients[0].tos_uri,
      }),
    ]);
  });

  test('a client with a document or its own registration has neither links nor a logo', () => {
    const rules = {
      scopes: new Set<string>(),
      requirePkce: false,
      refreshTokens: true,
    };
    const registration = {
      client_id: 'a',
      redirect_uris: ['https://a.example/cb'],
      tos_uri: 'https://b.example/',
      logo_uri: 'data:image/png,x',
    };
    const links = (['operator', 'registration', 'document'] as const).map(
      (origin) => checkRegistration(registration, { ...rules, origin }).client?.links,
    );
    expect(links).toEqual([{ tosUri: 'https://b.example/', logoUri: 'data:image/png,x' }, {}, {}]);
  });

  test('custom renderers receive the data, may be async, and keep the security headers', async () => {
    const views: Record<string, unknown> = {};
    const template: Template = async (view) => {
      views[view.page] = view;
      if (!('hidden' in view)) return `<h1>own ${view.page} ${'status' in view ? view.status : ''}</h1>`;
      const hidden = Object.entries(view.hidden).map(([key, value]) => `<input name="${key}" value="${value}">`);
      const page = `<h1>own ${view.page}</h1><form method="post" action="${view.action}">${hidden.join('')}</form>`;
      if (view.page !== 'login') return page;
      return { html: page, styleSources: ['https://cdn.example'], imageSources: ["'self'"] };
    };
    const { options, errors } = fixture({ template });
    const host = await start({ options });
    const browser = new Browser(host);
    const login = await browser.authorize(WEB);
    expect(login.text).toContain('own login');
    expect(login.headers).toMatchObject({
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; style-src 'sha256-[^']+' https:\/\/cdn\.example; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
      ),
      'x-frame-options': 'DENY',
      'cache-control': 'no-store',
    });
    const consent = await browser.signIn(login);
    expect(consent.text).toContain('own consent');
    expect(locationOf(await browser.submit(consent, { decision: 'approve' }))).toContain('code=');
    const { json } = await new Client(host.base).post('/oauth/device', { client_id: 'tv' });
    const code = await browser.open(`${host.base}/oauth/device`);
    const device = await browser.submit(code, { user_code: String(json['user_code']) });
    expect((await browser.submit(device, { decision: 'approve' })).text).toContain('<h1>own deviceDone</h1>');
    const error = await browser.authorize({ ...WEB, client_id: 'nobody' });
    expect([error.status, error.text, error.headers['x-frame-options']]).toEqual([
      400,
      '<h1>own error 400</h1>',
      'DENY',
    ]);

    const grantsPath = `${new URL(host.base).pathname.replace(/\/$/, '')}/oauth/grants`;
    const { host: name } = new URL(host.base);
    const frame = { locale: 'en', dir: 'ltr', site: { name, host: name, home: '/', links: [] } };
    const form = { ...frame, action: expect.any(String), hidden: expect.any(Object) };
    const devicePath = grantsPath.replace(/grants$/, 'device');
    const scopes = [
      { name: 'profile', description: 'See your name' },
      { name: 'content.read', description: 'Read your content' },
    ];
    expect(views).toEqual({
      login: { page: 'login', ...form, username: '', clientId: 'web', clientName: 'web', links: [] },
      consent: {
        page: 'consent',
        ...form,
        clientId: 'web',
        clientName: 'web',
        username: 'alice',
        scopes,
        resources: [],
        redirectHost: 'app.example',
        canSwitch: true,
        grantsPath,
      },
      deviceCode: {
        page: 'deviceCode',
        ...form,
        userCode: '',
        example: 'XXXX-XXXX',
        username: 'alice',
        canSignOut: true,
      },
      deviceConsent: {
        page: 'deviceConsent',
        ...form,
        clientId: 'tv',
        clientName: 'tv',
        username: 'alice',
        scopes,
        resources: [],
        userCode: json['user_code'],
        fingerprint: expect.stringMatching(/^[0-9a-f]{8}$/),
        canSignOut: true,
        grantsPath,
      },
      deviceDone: {
        page: 'deviceDone',
        ...form,
        decision: 'approve',
        clientId: 'tv',
        clientName: 'tv',
        canSignOut: true,
        devicePath,
        grantsPath,
      },
      error: {
        page: 'error',
        ...frame,
        status: 400,
        code: 'unknown_client',
        back: { href: '/', text: expect.stringContaining('Back to') },
        message: 'The application that brought you here is not known.',
        reference: expect.stringMatching(/^\w{4}-\w{4}$/),
        explanation: 'There is no client "nobody" in options.clients, or it is disabled.',
      },
    });
    expect(errors).toEqual([]);
  });

  test('a renderer may return output of the tag; one that returns something else is reported by name', async () => {
    const other = 5 as unknown as string;
    const template: Template = (view) => (view.page === 'login' ? html`<h1>${view.username}</h1>` : other);
    const { options, errors } = fixture({ template });
    const browser = new Browser(await start({ options }));
    expect((await browser.authorize(WEB)).text).toBe('<h1></h1>');
    const { status, headers } = await browser.authorize({ ...WEB, client_id: 'nobody' });
    expect([status, headers['x-frame-options']]).toEqual([500, 'DENY']);
    expect(errors.map(String)).toEqual([
      'TypeError: options.template must return the HTML of the page error, as text or made by the tag html, or undefined for the built-in page.',
    ]);
  });
});
