import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeEngine } from './engines/availability.js';
import { temporaryDirectory } from './engines/daemon.js';
import { type Answer, basic, type OAuthProcess, startOAuthProcesses } from './engines/oauth-processes.js';
import { noPostgres, startPostgres } from './engines/postgres.js';
import { noRedis, startRedis, startRedisCluster } from './engines/redis.js';
import { noSqlite } from './engines/sqlite.js';

/** How many codes, refresh tokens and device codes: enough to see a leak; `DOUBLE_SPEND=1000` takes minutes. */
const SECRETS = Number(process.env['DOUBLE_SPEND'] ?? 50);
const REDEMPTIONS = 20;
const PROCESSES = 4;
/** Secrets that are raced for at the same moment. */
const TOGETHER = 5;

const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code';
const AUTHORIZE = '/oauth/authorize?response_type=code&client_id=web&redirect_uri=http%3A%2F%2F127.0.0.1%2Fcb';

/** The values of the hidden fields of a page of ours, by name. */
function hiddenFields(page: string): Record<string, string> {
  const inputs = page.match(/<input[^>]*type="hidden"[^>]*>/g) ?? [];
  return Object.fromEntries(
    inputs.map((input) => [/name="([^"]*)"/.exec(input)?.[1], /value="([^"]*)"/.exec(input)?.[1]]),
  );
}

const cookieOf = (answer: Answer): string => String(answer.headers['set-cookie'] ?? '').split(';')[0] ?? '';

function codeOf(answer: Answer): string {
  const location = String(answer.headers['location']);
  const code = new URL(location).searchParams.get('code');
  if (code === null) throw new Error(`no code in ${location}`);
  return code;
}

function suite(
  title: string,
  missing: string | undefined,
  open: () => Promise<{ where: string; remove(): Promise<void> | void }>,
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
      processes = await startOAuthProcesses(PROCESSES, place.where);
      const page = await on(0).send(AUTHORIZE);
      const headers = { cookie: cookieOf(page) };
      const approved = await on(1).send('/oauth/authorize', {
        form: { ...hiddenFields(page.text), decision: 'approve' },
        headers,
      });
      codeOf(approved); // from now on the consent is remembered
    });
    afterAll(async () => {
      await Promise.all(processes.map((server) => server.kill()));
      await place?.remove();
    });

    /** Makes as many secrets as are wanted, some at a time, by turns on each process. */
    async function make<T>(one: (index: number) => Promise<T>): Promise<T[]> {
      const made: T[] = [];
      for (let start = 0; start < SECRETS; start += 20) {
        const batch = Array.from({ length: Math.min(20, SECRETS - start) }, (_, offset) => one(start + offset));
        made.push(...(await Promise.all(batch)));
      }
      return made;
    }

    /** Everybody tries every secret at once, spread over the processes. The answers that were a success, by secret. */
    async function race(
      secrets: readonly string[],
      redeem: (server: OAuthProcess, secret: string) => Promise<Answer>,
    ): Promise<Answer[][]> {
      const wins: Answer[][] = [];
      for (let start = 0; start < secrets.length; start += TOGETHER) {
        const batch = secrets.slice(start, start + TOGETHER).map(async (secret) => {
          const answers = await Promise.all(
            Array.from({ length: REDEMPTIONS }, (_, index) => redeem(on(index), secret)),
          );
          const losers = answers.filter(({ status }) => status !== 200);
          for (const { status, json } of losers)
            expect({ status, ...json }).toMatchObject({ status: 400, error: 'invalid_grant' });
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
      expect(new Set(tokens).size).toBe(SECRETS);
      return tokens;
    }

    const newCode = async (index: number): Promise<string> => codeOf(await on(index).send(AUTHORIZE));
    const redeemCode = (server: OAuthProcess, code: string): Promise<Answer> =>
      server.send('/oauth/token', {
        form: { grant_type: 'authorization_code', code, redirect_uri: 'http://127.0.0.1/cb' },
        headers: basic('web'),
      });

    test('every code gives one token, which is alive in every process', async () => {
      const tokens = expectOneEach('codes', await race(await make(newCode), redeemCode));
      for (const [index, token] of tokens.slice(0, 40).entries()) {
        const { json } = await on(index).send('/oauth/introspect', { form: { token }, headers: basic('api') });
        expect(json).toMatchObject({ active: true, client_id: 'web' });
      }
    }, 180_000);

    test('every refresh token gives one successor', async () => {
      const refreshTokens = await make(async (index) => {
        const { json } = await redeemCode(on(index + 1), await newCode(index));
        return String(json['refresh_token']);
      });
      const wins = await race(refreshTokens, (server, refresh_token) =>
        server.send('/oauth/token', { form: { grant_type: 'refresh_token', refresh_token }, headers: basic('web') }),
      );
      expectOneEach('refresh tokens', wins);
    }, 180_000);

    test('every device code gives one token', async () => {
      const deviceCodes = await make(async (index) => {
        const headers = { 'x-owner': `owner-${index}` };
        const { json } = await on(index).send('/oauth/device', { form: { client_id: 'tv' } });
        const page = await on(index + 1).send(`/oauth/device?user_code=${String(json['user_code'])}`, { headers });
        const done = await on(index + 2).send('/oauth/device/verify', {
          form: { ...hiddenFields(page.text), decision: 'approve' },
          headers: { ...headers, cookie: cookieOf(page) },
        });
        expect(done.status).toBe(200);
        return String(json['device_code']);
      });
      const wins = await race(deviceCodes, (server, device_code) =>
        server.send('/oauth/token', { form: { grant_type: DEVICE_CODE, client_id: 'tv', device_code } }),
      );
      expectOneEach('device codes', wins);
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
    const { urls, remove } = await startRedisCluster();
    return { where: `redis-cluster:${urls.join(',')}`, remove };
  });
  suite('PostgreSQL', noPostgres, async () => {
    const { url, remove } = await startPostgres();
    return { where: url, remove };
  });
});
