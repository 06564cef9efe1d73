import { describe, expect, test } from 'vitest';
import { describeEngine } from './engines/availability.js';
import { noGalera, startGalera } from './engines/galera.js';
import { isActive, newCode, newDeviceCode, redeemCode, redeemDeviceCode, refresh } from './engines/oauth-flows.js';
import type { Answer, OAuthProcess, ProcessSettings } from './engines/oauth-processes.js';
import { PLACES } from './engines/places.js';
import { useSeveral } from './engines/several.js';

/** How many codes, refresh tokens and device codes: `test/orders` tries every order, and here an engine must decide each; `DOUBLE_SPEND=1000` takes minutes. */
const SECRETS = Number(process.env['DOUBLE_SPEND'] ?? 15);
const REDEMPTIONS = 20;
const PROCESSES = 4;
/** Secrets that are raced for at the same moment. */
const TOGETHER = 5;

function suite(
  title: string,
  missing: string | undefined,
  open: () => Promise<{ address: string | readonly string[]; remove(): Promise<unknown> | void }>,
  secrets = SECRETS,
  settings?: (index: number) => ProcessSettings,
): void {
  describeEngine(`four processes on ${title}`, missing, () => {
    const { on } = useSeveral(PROCESSES, open, settings, true);

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
  for (const [title, missing, open] of PLACES) {
    // Half of the processes use the one driver, half the other.
    if (title === 'MariaDB') suite(title, missing, open, SECRETS, (n) => ({ driver: n % 2 ? 'mysql2' : 'mariadb' }));
    else suite(title, missing, open);
  }
  suite(
    'Galera',
    noGalera,
    async () => {
      const { addresses, remove } = await startGalera();
      // Each process writes to another node.
      return { address: addresses, remove };
    },
    // Each write waits for all nodes.
    Math.ceil(SECRETS / 4),
  );
});
