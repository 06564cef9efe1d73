import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { formOf } from '../hosts/form.js';
import { describeEngine } from './engines/availability.js';
import { temporaryDirectory } from './engines/daemon.js';
import { basic, type OAuthProcess, startOAuthProcess } from './engines/oauth-processes.js';
import { noSqlite, sqliteDrivers } from './engines/sqlite.js';

/** How often the server is killed; `CRASHES=50` takes a minute or two. */
const CRASHES = Number(process.env['CRASHES'] ?? 2);
const CLIENTS = 8;

const AUTHORIZE = '/oauth/authorize?response_type=code&client_id=web&redirect_uri=http%3A%2F%2F127.0.0.1%2Fcb';

/** What clients were answered before the server died. Anything else may have happened or not. */
class Memory {
  readonly active = new Set<string>();
  readonly revoked = new Set<string>();
  readonly usedCodes = new Set<string>();
  #answers = 0;
  readonly #waiting = new Map<number, () => void>();

  countAnswer(): void {
    this.#answers += 1;
    this.#waiting.get(this.#answers)?.();
  }

  /** Resolves with this many answers. */
  reached(answers: number): Promise<void> {
    return new Promise((resolve) => this.#waiting.set(answers, resolve));
  }
}

async function approveOnce(server: OAuthProcess): Promise<void> {
  const page = await server.send(AUTHORIZE);
  if (page.status === 302) return; // remembered from an earlier life
  const cookie = String(page.headers['set-cookie']).split(';')[0] ?? '';
  const form = { ...formOf(page.text).fields, decision: 'approve' };
  expect((await server.send('/oauth/authorize', { form, headers: { cookie } })).status).toBe(303);
}

const redeem = (server: OAuthProcess, code: string) =>
  server.send('/oauth/token', {
    form: { grant_type: 'authorization_code', code, redirect_uri: 'http://127.0.0.1/cb' },
    headers: basic('web'),
  });

/** One client's life: gets codes, redeems them, and revokes every third token. Ends when the connection breaks. */
async function live(server: OAuthProcess, memory: Memory): Promise<void> {
  for (let round = 0; ; round += 1) {
    const code = new URL(String((await server.send(AUTHORIZE)).headers['location'])).searchParams.get('code') ?? '';
    const { status, json } = await redeem(server, code);
    expect(status).toBe(200);
    memory.usedCodes.add(code);
    const token = String(json['access_token']);
    memory.active.add(token);
    memory.countAnswer();
    if (round % 3 === 0) {
      memory.active.delete(token); // until the answer is there, it may be either
      const revoked = await server.send('/oauth/revoke', { form: { token }, headers: basic('web') });
      if (revoked.status === 200) memory.revoked.add(token);
    }
  }
}

async function expectRemembered(server: OAuthProcess, memory: Memory): Promise<void> {
  const isActive = async (token: string): Promise<unknown> =>
    (await server.send('/oauth/introspect', { form: { token }, headers: basic('api') })).json['active'];
  for (const token of memory.active) expect(await isActive(token), 'an issued token').toBe(true);
  for (const token of memory.revoked) expect(await isActive(token), 'a revoked token').toBe(false);
  for (const code of memory.usedCodes) {
    expect((await redeem(server, code)).json, 'a redeemed code').toMatchObject({ error: 'invalid_grant' });
  }
}

describeEngine('a server on SQLite that is killed under load', noSqlite, () => {
  test(`${CRASHES} times keeps everything that it has confirmed, and its file needs no repair`, async () => {
    const directory = temporaryDirectory();
    const file = join(directory, 'records.db');
    let told = 0;
    let memory = new Memory();
    let server = await startOAuthProcess(`sqlite:${file}`);
    try {
      for (let crash = 1; crash <= CRASHES; crash += 1) {
        await approveOnce(server);
        // Not always at the same point.
        const enough = memory.reached(20 + ((crash * 37) % 60));
        const load = Promise.allSettled(Array.from({ length: CLIENTS }, () => live(server, memory)));
        await Promise.race([enough, load]);
        await server.kill();
        for (const client of await load) {
          // A client ends by its connection, never by a wrong answer.
          expect(client).toMatchObject({ reason: { code: expect.stringMatching(/ECONN|EPIPE/) } });
        }
        const database = sqliteDrivers[0]?.[1](file);
        expect(database?.prepare('PRAGMA integrity_check').get()).toMatchObject({ integrity_check: 'ok' });
        database?.close();
        server = await startOAuthProcess(`sqlite:${file}`);
        await expectRemembered(server, memory);
        told += memory.active.size + memory.revoked.size + memory.usedCodes.size;
        memory = new Memory();
      }
      console.log(`SQLite: killed ${CRASHES} times, ${told} answers checked afterwards, none forgotten`);
    } finally {
      await server.kill();
      rmSync(directory, { recursive: true });
    }
  }, 600_000);
});
