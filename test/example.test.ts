import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Client, hostFor, useHost } from './hosts.js';
import { fixture } from './oauth/support/fixture.js';
import { Flows } from './oauth/support/tokens.js';
import { everyRow } from './rows.js';

const { options, errors, advance } = fixture({ lifetimes: { accessToken: 60 } });
const host = useHost(hostFor(import.meta.url)[0], { options }, errors);

/** An Authorization header, and the status of the guarded route. */
const HEADERS = [
  ['', 401],
  ['Bearer', 401],
  ['Bearer not-a-token', 401],
  ['Basic d2ViOndlYi1zZWNyZXQ=', 401],
] as const;

test('a guard rejects headers without a valid token with 401', () =>
  everyRow(HEADERS, async ([authorization, status]) => {
    const answer = await new Client(host.origin).get('/guarded/profile', { authorization });
    expect(answer.status).toBe(status);
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer /);
  }));

test('a token is accepted until its lifetime has passed', async () => {
  const { access_token } = await new Flows(host).tokens('web');
  const guarded = () => new Client(host.origin).get('/guarded/profile', { authorization: `Bearer ${access_token}` });
  expect((await guarded()).status).toBe(200);
  advance(61);
  expect((await guarded()).status).toBe(401);
});

test('test/README.md shows this file', () => {
  const [shown = ''] = readFileSync(new URL(import.meta.url), 'utf8').split("\ntest('test/README.md");
  expect(readFileSync(new URL('README.md', import.meta.url), 'utf8')).toContain(
    shown.replace("import { readFileSync } from 'node:fs';\n", '').trim(),
  );
});
