import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { basic, bearer, Client } from '../hosts.js';
import { formOf } from '../hosts/form.js';
import { everyRow } from '../rows.js';
import { freePort } from '../stores/engines/daemon.js';
import { type Example, startExample } from './process.js';

const AUTHORIZE =
  '/oauth/authorize?response_type=code&client_id=printer&state=x&redirect_uri=http%3A%2F%2F127.0.0.1%3A5555%2Fcallback';

describe.each(['express', 'koa', 'fastify'])('examples/%s', (framework) => {
  let example: Example;
  let base: string;

  beforeAll(async () => {
    const port = await freePort();
    base = `http://127.0.0.1:${port}`;
    example = await startExample(`${framework}/main.ts`, [], { PORT: String(port) });
    await example.until(/Listening on/);
  });
  afterAll(() => example.stop());

  test("another program gets a token with the application's existing sign-in", async () => {
    const browser = new Client(base);
    const toLogin = await browser.get(AUTHORIZE);
    expect(toLogin.status).toBe(302);
    const loginPage = String(toLogin.headers.location);
    expect(loginPage).toMatch(/^\/login\?return_to=%2Foauth%2Fauthorize/);
    expect(formOf((await browser.get(loginPage)).text).fields).toEqual({ username: '', password: '' });

    expect((await browser.post(loginPage, { username: 'alice', password: 'wrong' })).status).toBe(403);
    const loggedIn = await browser.post(loginPage, { username: 'alice', password: 'wonderland' });
    expect(loggedIn.status).toBe(303);
    expect((await browser.get('/')).text).toBe('Hello alice');

    const consentPage = await browser.get(String(loggedIn.headers.location));
    expect(consentPage.text).toContain('Photo Printer');
    expect(consentPage.text).toContain('See your photos');
    const consent = formOf(consentPage.text, 'decision');
    const decided = await browser.post(consent.action, { ...consent.fields, decision: 'approve' });
    const back = new URL(String(decided.headers.location));
    expect(back.origin + back.pathname).toBe('http://127.0.0.1:5555/callback');

    const program = new Client(base);
    const code = back.searchParams.get('code') ?? '';
    const { json } = await program.post(
      '/oauth/token',
      { grant_type: 'authorization_code', code, redirect_uri: 'http://127.0.0.1:5555/callback' },
      basic('printer', 'printer-secret'),
    );
    const photos = await program.get('/api/photos', bearer(String(json['access_token'])));
    expect([photos.status, photos.json]).toEqual([200, { photos: ['rabbit.jpg', 'tea-party.jpg'] }]);
    expect(program.cookies.size).toBe(0);
  });

  test('requests without a token are rejected, even with the session of the application', async () => {
    const browser = new Client(base);
    await browser.post('/login', { username: 'alice', password: 'wonderland' });
    expect((await browser.get('/')).text).toBe('Hello alice');
    expect((await browser.get('/api/photos')).status).toBe(401);
  });

  test('the login redirects to no other origin', () =>
    everyRow(['https://evil.example/', '//evil.example/', '/\\evil.example/', '/\t/evil.example/'], async (address) => {
      const browser = new Client(base);
      const answer = await browser.post(`/login?return_to=${encodeURIComponent(address)}`, {
        username: 'alice',
        password: 'wonderland',
      });
      expect([answer.status, answer.headers.location]).toEqual([303, '/']);
    }));
});
