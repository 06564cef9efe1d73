import { assertions } from 'oauth-query/assertions';
import * as languages from 'oauth-query/languages';
import { featureServer } from 'oauth-query/testing';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { JWT_BEARER, Signer } from './support.js';

const LANGUAGES = Object.values(languages);

let issuer: Signer;
beforeAll(async () => {
  issuer = await Signer.make('https://acme.idp.example');
});

let close: (() => Promise<void>) | undefined;
afterEach(async () => {
  await close?.();
  close = undefined;
});

const site = async () => {
  const server = await featureServer({
    scopes: { read: 'Read' },
    languages: LANGUAGES,
    features: [assertions({ issuers: [issuer.entry({ owner: () => ({ sub: 'alice' }) })] })],
  });
  close = async () => {
    expect(server.errors).toEqual([]);
    await server.close();
  };
  const form = { grant_type: JWT_BEARER, assertion: await issuer.sign(issuer.claims(server.issuer)) };
  expect((await server.post('/oauth/token', form)).status).toBe(200);
  const page = async (language: string, more: RequestInit = {}) => {
    const headers = {
      'x-signed-in': 'alice',
      'accept-language': language,
      ...(more.headers as Record<string, string>),
    };
    return fetch(`${server.issuer}/oauth/grants`, { ...more, headers });
  };
  return { server, page, form };
};

test('the page of connected applications says who connected one, in every language', async () => {
  const { server, page } = await site();
  const sentences = new Set<string>();
  for (const language of LANGUAGES.map(({ locale }) => locale)) {
    const text = await (await page(language)).text();
    expect([language, text.split('acme.idp.example').length]).toEqual([language, 2]);
    const [, sentence = ''] = /<p class="soft">([^]*?)<\/p>/.exec(text) ?? [];
    expect(sentence).toContain('acme.idp.example');
    sentences.add(sentence);
  }
  expect(sentences.size).toBe(8);
  expect([...sentences].join()).toContain('Connected by <strong><bdi>acme.idp.example</bdi></strong>, not by you.');
  await server.tokens();
  const both = await (await page('en')).text();
  expect(both).toContain('Also connected by <strong><bdi>acme.idp.example</bdi></strong>.');
  expect((await server.oauth.grants.apps({ sub: 'alice' })).map(({ issuers, own }) => [issuers, own])).toEqual([
    [['https://acme.idp.example'], true],
  ]);
});

test('an owner who disconnects an application refuses the assertions that were made before', async () => {
  const { server, page } = await site();
  const made = await issuer.sign(issuer.claims(server.issuer));
  const shown = await page('en');
  const cookie = shown.headers
    .getSetCookie()
    .map((one) => one.split(';', 1)[0])
    .join('; ');
  const [, form_token = ''] = /name="form_token" value="([^"]+)"/.exec(await shown.text()) ?? [];
  const fields = { form_token, disconnect: 'web' };
  const post = (more: Record<string, string>) =>
    page('en', {
      method: 'POST',
      body: new URLSearchParams({ ...fields, ...more }),
      headers: { cookie, origin: server.issuer },
    });
  const asked = await (await post({})).text();
  const [, confirmed = 'yes'] = /name="confirmed" value="([^"]+)"/.exec(asked) ?? [];
  expect((await post({ confirmed })).ok).toBe(true);
  expect((await server.oauth.grants.list({ sub: 'alice' })).grants).toEqual([]);
  const answer = await server.post('/oauth/token', { grant_type: JWT_BEARER, assertion: made });
  expect(answer).toMatchObject({
    status: 400,
    json: { error_description: 'Access was ended after the assertion was made. Get a new one from its issuer.' },
  });
});
