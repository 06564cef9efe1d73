import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { oauthQueryProgram } from '../cli/program.js';
import { basic, bearer, Client } from '../hosts.js';
import { formOf } from '../hosts/form.js';
import { describeEngine } from '../stores/engines/availability.js';
import { freePort } from '../stores/engines/daemon.js';
import { noSqlite } from '../stores/engines/sqlite.js';
import { type Example, startExample } from './process.js';

const REDIRECT = 'https://album.example/cb';

describeEngine('examples/express over a SQLite file', noSqlite, () => {
  const folder = mkdtempSync(join(tmpdir(), 'oauth-query-connected-'));
  const STORE_URL = `sqlite:${join(folder, 'oauth.db')}`;
  let example: Example;
  let base: string;
  beforeAll(async () => {
    const port = await freePort();
    base = `http://127.0.0.1:${port}`;
    example = await startExample('express/main.ts', [], { PORT: String(port), STORE_URL });
    await example.until(/Listening on/);
  });
  afterAll(async () => {
    await example.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("a client added on the command line is approved with the application's sign-in, listed, and revoked", async () => {
    const args = ['client', 'add', 'album', '--name', 'Album', '--redirect-uri', REDIRECT, '--scope', 'photos.read'];
    const added = await oauthQueryProgram([...args, '--json'], { env: { STORE_URL } });
    const { client_secret }: { client_secret: string } = JSON.parse(added.stdout);

    const browser = new Client(base);
    const toLogin = await browser.get(`/oauth/authorize?response_type=code&client_id=album&redirect_uri=${REDIRECT}`);
    const alice = { username: 'alice', password: 'wonderland' };
    const loggedIn = await browser.post(String(toLogin.headers.location), alice);
    const consent = formOf((await browser.get(String(loggedIn.headers.location))).text, 'decision');
    const decided = await browser.post(consent.action, { ...consent.fields, decision: 'approve' });
    const code = new URL(String(decided.headers.location)).searchParams.get('code') ?? '';
    const { json } = await new Client(base).post(
      '/oauth/token',
      { grant_type: 'authorization_code', code, redirect_uri: REDIRECT },
      basic('album', client_secret),
    );
    const photos = () => new Client(base).get('/api/photos', bearer(String(json['access_token'])));
    expect((await photos()).json).toEqual({ photos: ['rabbit.jpg', 'tea-party.jpg'] });

    const stranger = await new Client(base).get('/oauth/grants');
    expect([stranger.status, stranger.headers.location]).toEqual([302, expect.stringMatching(/^\/login\?/)]);
    const page = await browser.get('/oauth/grants');
    expect(page.text).toContain('<bdi>Album</bdi></h2>');
    expect(page.text).toContain('See your photos');
    const connected = formOf(page.text, 'disconnect');
    const asked = await browser.post(connected.action, { ...connected.fields, disconnect: 'album' });
    const question = formOf(asked.text, 'confirmed');
    const ended = await browser.post(question.action, question.fields);
    expect([ended.status, (await photos()).status]).toEqual([303, 401]);
    expect((await browser.get('/oauth/grants')).text).not.toContain('Album');
  });
});
