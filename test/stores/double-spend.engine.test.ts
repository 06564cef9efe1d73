import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeEngine } from './engines/availability.js';
import { temporaryDirectory } from './engines/daemon.js';
import { noGalera, startGalera } from './engines/galera.js';
import { noMariadb, startMariadb } from './engines/mariadb.js';
import {
  approve,
  isActive,
  newCode,
  newDeviceCode,
  redeemCode,
  redeemDeviceCode,
  refresh,
} from './engines/oauth-flows.js';
import {
  type Answer,
  type OAuthProcess,
  type ProcessSettings,
  startOAuthProcesses,
} from './engines/oauth-processes.js';
import { noPostgres, startPostgres } from './engines/postgres.js';
import { noRedis, startRedis, startRedisCluster } from './engines/redis.js';
import { noSqlite } from './engines/sqlite.js';

/** How many codes, refresh tokens and device codes: enough to see a leak; `DOUBLE_SPEND=1000` takes minutes. */
const SECRETS = Number(process.env['DOUBLE_SPEND'] ?? 50);
const REDEMPTIONS = 20;
const PROCESSES = 4;
/** Secrets that are raced for at the same moment. */
const TOGETHER = 5;

function suite(
  title: string,
  missing: string | undefined,
  open: () => Promise<{ where: string | readonly string[]; remove(): Promise<void> | void }>,
  secrets = SECRETS,
  drivers: readonly ProcessSettings['driver'][] = [undefined],
): void {
  describeEngine(`four processes on ${title}`, missing, () => {
    let place: Awaited<ReturnType<typeof open>>;
    let processes: OAuthProcess[] = [];
    const on = (index: number): OAuthProcess => {
      const chosen = processes[index % PROCESSES];
      if (!chosen) throw new Error('no process');
      return chosen;
    };

    beforeAll(async () => {
      place = await open();
      processes = await startOAuthProcesses(PROCESSES, place.where, (index) => {
        const driver = drivers[index % drivers.length];
        return driver === undefined ? {} : { driver };
      });
      await approve(on(0), on(1));
    });
    afterAll(async () => {
      await Promise.all(processes.map((server) => server.kill()));
      await place?.remove();
    });

    /** Makes as many secrets as are wanted, some at a time, by turns on each process. */
    async function make<T>(one: (index: number) => Promise<T>): Promise<T[]> {
      const made: T[] = [];
      for (let start = 0; start < secrets; start += 20) {
        const batch = Array.from({ length: Math.min(20, secrets - start) }, (_, offset) => one(start + offset));
        made.push(...(await Promise.all(batch)));
      }
      return made;
    }

    /**
     * Everybody tries every secret at once, spread over the processes. The answers that were a success, by secret.
     *
     * @param refusals - What the others get.
     */
    async function race(
      raced: readonly string[],
      redeem: (server: OAuthProcess, secret: string) => Promise<Answer>,
      refusals: readonly string[] = ['400 invalid_grant'],
    ): Promise<Answer[][]> {
      const wins: Answer[][] = [];
      for (let start = 0; start < raced.length; start += TOGETHER) {
        const batch = raced.slice(start, start + TOGETHER).map(async (secret) => {
          const answers = await Promise.all(
            Array.from({ length: REDEMPTIONS }, (_, index) => redeem(on(index), secret)),
          );
          const losers = answers.filter(({ status }) => status !== 200);
          for (const { status, json } of losers) expect(refusals).toContain(`${status} ${String(json['error'])}`);
          return answers.filter(({ status }) => status === 200);
        });
        wins.push(...(await Promise.all(batch)));
      }
      return wins;
    }

    function expectOneEach(what: string, wins: readonly Answer[][]): string[] {
      const tokens = wins.flat().map(({ json }) => String(json['access_token']));
      console.log(`${title}: ${wins.length} ${what}, ${wins.length * REDEMPTIONS} redemptions, ${tokens.length} wins`);
      expect(wins.filter((winners) => winners.length !== 1)).toEqual([]);
      expect(new Set(tokens).size).toBe(secrets);
      return tokens;
    }

    test('every code yields one token, which is valid in every process', async () => {
      const tokens = expectOneEach('codes', await race(await make((index) => newCode(on(index))), redeemCode));
      for (const [index, token] of tokens.slice(0, 40).entries()) {
        expect(await isActive(on(index), token)).toBe(true);
      }
    }, 180_000);

    test('every refresh token yields one successor', async () => {
      const refreshTokens = await make(async (index) => {
        const { json } = await redeemCode(on(index + 1), await newCode(on(index)));
        return String(json['refresh_token']);
      });
      // Whoever read the token before it was used is no replay.
      const refusals = ['400 invalid_grant', '503 temporarily_unavailable'];
      expectOneEach('refresh tokens', await race(refreshTokens, refresh, refusals));
    }, 180_000);

    test('every device code yields one token', async () => {
      const deviceCodes = await make((index) => newDeviceCode(on, index));
      expectOneEach('device codes', await race(deviceCodes, redeemDeviceCode));
    }, 180_000);
  });
}

describe('double spending', () => {
  suite('SQLite', noSqlite, async () => {
    const directory = temporaryDirectory();
    return { where: `sqlite:${join(directory, 'records.db')}`, remove: () => rmSync(directory, { recursive: true }) };
  });
  suite('Redis', noRedis, async () => {
    const { url, remove } = await startRedis();
    return { where: url, remove };
  });
  suite('Redis Cluster', noRedis, async () => {
    const { address, remove } = await startRedisCluster();
    return { where: address, remove };
  });
  suite('PostgreSQL', noPostgres, async () => {
    const { url, remove } = await startPostgres();
    return { where: url, remove };
  });
  // Each process writes to another node.
  suite(
    'Galera',
    noGalera,
    async () => {
      const { addresses, remove } = await startGalera();
      return { where: addresses, remove };
    },
    // Each write waits for all nodes.
    Math.ceil(SECRETS / 4),
  );
  suite(
    'MariaDB with both drivers',
    noMariadb,
    async () => {
      const { url, remove } = await startMariadb();
      return { where: url, remove };
    },
    SECRETS,
    ['mariadb', 'mysql2'],
  );
});
