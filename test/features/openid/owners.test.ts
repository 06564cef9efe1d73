import { decodeJwt } from 'jose';
import { checkClient } from 'oauth-query';
import * as languages from 'oauth-query/languages';
import { selfRegistration } from 'oauth-query/self-registration';
import { describe, expect, test } from 'vitest';
import { bearer, Client, hostFor, useHost } from '../../hosts.js';
import { Browser, PKCE, responseOf, wordsOf } from '../../oauth/support/browser.js';
import { everyRow } from '../../rows.js';
import { ALICE, openIdFixture, rpsAt } from './support.js';

const SENTENCES = {
  en: ['Know who you are on this site', 'See your e-mail address'],
  de: ['Wissen, wer Sie auf dieser Website sind', 'Ihre E-Mail-Adresse sehen'],
  es: ['Saber quién eres en este sitio', 'Ver tu dirección de correo electrónico'],
  ar: ['معرفة هويتك على هذا الموقع', 'الاطلاع على عنوان بريدك الإلكتروني'],
  fr: ['Savoir qui vous êtes sur ce site', 'Voir votre adresse e-mail'],
  ja: ['このサイトでのあなたのアカウントを知る', 'あなたのメールアドレスを見る'],
  'pt-BR': ['Saber quem é você neste site', 'Ver seu endereço de e-mail'],
  'zh-Hans': ['知道你在本网站的身份', '查看你的电子邮件地址'],
} as const;

const offered = Object.values(languages).filter((one) => typeof one === 'object');

describe.each(hostFor(import.meta.url))('what owners see and control, on $name', (host) => {
  const warnings: string[] = [];
  const { options, errors } = openIdFixture(
    {},
    { languages: offered, features: [selfRegistration()], resources: ['https://api.example'] },
  );
  const running = useHost(host, { options: { ...options, onWarning: (text) => warnings.push(text) } }, errors);
  const flows = rpsAt(running);
  const request = { client_id: 'rp', response_type: 'code', redirect_uri: 'https://rp.example/cb' } as const;

  test('O6, O70: the consent page and the connected applications say what is told, in every language', async () => {
    expect(new Set(offered.map(({ locale }) => locale))).toEqual(new Set(Object.keys(SENTENCES)));
    expect(warnings.join()).not.toMatch(/openid|profile|email/);
    const browser = new Browser(running);
    await browser.authorizeFor({ ...request, scope: 'openid email' });
    await flows.redeem('rp', await flows.code('rp', { scope: 'openid email' }));
    for (const [locale, sentences] of Object.entries(SENTENCES)) {
      const consent = await browser.authorize({ ...request, scope: 'openid email', ui_locales: locale });
      const { pathname } = new URL(`${running.base}/oauth/grants`);
      const connected = await flows.browser().open(`${pathname}?ui_locales=${locale}`);
      for (const sentence of sentences) {
        expect(wordsOf(consent)).toContain(sentence);
        expect(wordsOf(connected)).toContain(sentence);
      }
    }
  });

  test('O64: a client that registered itself is bound to the only resource, so its ID token has the claims', async () => {
    const api = new Client(running.base);
    const registered = await api.request('/oauth/register', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: ['https://self.example/cb'], client_name: 'Self' }),
    });
    const client_id = String(registered.json['client_id']);
    const at = { client_id, redirect_uri: 'https://self.example/cb' };
    const asked = { ...at, response_type: 'code', scope: 'openid email', ...PKCE.request };
    const { code = '' } = responseOf(await new Browser(running).authorizeFor(asked));
    const redemption = { ...at, grant_type: 'authorization_code', code, code_verifier: PKCE.verifier };
    const bound = (await api.post('/oauth/token', redemption)).json;
    expect(decodeJwt(String(bound['id_token']))).toMatchObject({ email: ALICE.email });
    expect((await api.get('/oauth/userinfo', bearer(String(bound['access_token'])))).status).toBe(401);
  });
});

test('O85: the fields of a registration are checked like redirect URIs and algorithms', () =>
  everyRow(
    [
      [{ id_token_signed_response_alg: 'none' }, /id_token_signed_response_alg/],
      [{ id_token_signed_response_alg: 'HS256' }, /id_token_signed_response_alg/],
      [{ default_max_age: -1 }, /default_max_age/],
      [{ require_auth_time: 'yes' }, /require_auth_time/],
      [{ post_logout_redirect_uris: ['javascript:alert(1)'] }, /post_logout_redirect_uris/],
      [{ post_logout_redirect_uris: ['https://x.example/#top'] }, /post_logout_redirect_uris/],
      [{ subject_type: 'pairwise' }, /subject_type/],
      [{ initiate_login_uri: 'ftp://x.example' }, /initiate_login_uri/],
      [{ backchannel_logout_uri: 'http://x.example/told' }, /backchannel_logout_uri/],
      [{ backchannel_logout_session_required: 1 }, /backchannel_logout_session_required/],
      [{ backchannel_logout_uri: 'https://x.example/told', backchannel_logout_session_required: true }, undefined],
      [
        {
          ...{
            id_token_signed_response_alg: 'RS256',
            default_max_age: 0,
            require_auth_time: true,
            subject_type: 'public',
          },
          ...{ post_logout_redirect_uris: ['https://x.example/bye', 'http://127.0.0.1/bye'] },
        },
        undefined,
      ],
    ] as const,
    ([fields, problem]) => {
      const found = checkClient({ client_id: 'x', redirect_uris: ['https://x.example/cb'], ...fields } as never);
      if (problem === undefined) expect(found).toEqual([]);
      else expect(found.join()).toMatch(problem);
    },
  ));

describe.each(hostFor(`${import.meta.url}75`))('during an upgrade, on $name', (host) => {
  test('O75: a process without the feature uses codes and tokens of one with it, and the other way round', async () => {
    const { options, errors } = openIdFixture();
    const on = await host.start({ options });
    const { features: _features, clients, ...others } = options;
    const off = await host.start({
      options: {
        ...others,
        issuer: on.base,
        // It does not know the scope openid.
        clients: (clients as readonly object[]).map((client) => ({
          ...client,
          scope: 'content.read',
          default_scope: 'content.read',
        })) as never,
      },
    });
    const [young, old] = [rpsAt(on), rpsAt(off)];
    const code = await young.code('app', { scope: 'openid content.read', nonce: 'n' });
    const { status, json: first } = await old.redeem('app', code);
    expect([status, first['id_token']]).toEqual([200, undefined]);
    const second = await young.refreshed('app', String(first['refresh_token']));
    expect(second).toHaveProperty('id_token');
    const third = await old.refresh('app', second.refresh_token);
    expect([third.status, third.json['id_token']]).toEqual([200, undefined]);
    const plain = await old.redeem('app', await old.code('app', { scope: 'content.read' }));
    const fresh = await young.refreshed('app', String(plain.json['refresh_token']));
    expect(fresh).not.toHaveProperty('id_token');
    expect(await young.isActive(fresh.access_token)).toBe(true);
    expect(errors).toEqual([]);
  });
});
