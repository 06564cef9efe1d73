import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeEngine } from './engines/availability.js';
import { temporaryDirectory } from './engines/daemon.js';
import { approve, isActive, newCode, redeemCode, silentCode } from './engines/oauth-flows.js';
import { basic, type OAuthProcess, startOAuthProcess } from './engines/oauth-processes.js';
import { noSqlite, sqliteDrivers } from './engines/sqlite.js';

/** How often the server is killed; `CRASHES=50` takes a minute or two. */
const CRASHES = Number(process.env['CRASHES'] ?? 2);
const CLIENTS = 8;

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

/** One client's life: gets codes, redeems them, and revokes every third token. Ends when the connection breaks. */
async function live(server: OAuthProcess, memory: Memory): Promise<void> {
  for (let round = 0; ; round += 1) {
    const code = await newCode(server);
    const { status, json } = await redeemCode(server, code);
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
  for (const token of memory.active) expect(await isActive(server, token), 'an issued token').toBe(true);
  for (const token of memory.revoked) expect(await isActive(server, token), 'a revoked token').toBe(false);
  for (const code of memory.usedCodes) {
    expect((await redeemCode(server, code)).json, 'a redeemed code').toMatchObject({ error: 'invalid_grant' });
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
        if ((await silentCode(server)) === undefined) await approve(server);
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
