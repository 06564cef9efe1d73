import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeEngine } from './engines/availability.js';
import { approve, isActive, newCode, redeemCode, refresh, silentCode } from './engines/oauth-flows.js';
import { type OAuthProcess, startOAuthProcesses } from './engines/oauth-processes.js';
import { type Place, PLACES } from './engines/places.js';

const CLIENTS = 20;
/** How often everything of the owner is ended; `ENDINGS=50` takes minutes. */
const ENDINGS = Number(process.env['ENDINGS'] ?? 2);

function suite(title: string, missing: string | undefined, open: () => Promise<Place>): void {
  describeEngine(`two processes on ${title}`, missing, () => {
    let place: Place;
    let processes: OAuthProcess[] = [];
    const on = (index: number): OAuthProcess => {
      const chosen = processes[index % 2];
      if (!chosen) throw new Error('no process');
      return chosen;
    };

    beforeAll(async () => {
      place = await open();
      processes = await startOAuthProcesses(2, place.address, { refreshGrace: 10, lists: true });
    }, 120_000);
    afterAll(async () => {
      await Promise.all(processes.map((server) => server.kill()));
      await place?.remove();
    });

    /** Everything that an owner's clients hold, while it grows. */
    class Loot {
      readonly access: string[] = [];
      readonly refresh: string[] = [];
      readonly codes: string[] = [];

      /** @returns the refresh token that came. */
      keep(json: Readonly<Record<string, unknown>>): string {
        this.access.push(String(json['access_token']));
        const token = String(json['refresh_token']);
        this.refresh.push(token);
        return token;
      }
    }

    const refreshUntilRefused = async (index: number, first: string, loot: Loot): Promise<void> => {
      let token = first;
      for (let n = index; ; n += 1) {
        const { status, json } = await refresh(on(n), token);
        if (status !== 200) {
          expect({ status, ...json }).toMatchObject({ status: 400, error: 'invalid_grant' });
          return;
        }
        token = loot.keep(json);
      }
    };

    const approveUntilAsked = async (index: number, loot: Loot): Promise<void> => {
      for (let n = index; ; n += 1) {
        const code = await silentCode(on(n));
        if (code === undefined) return;
        loot.codes.push(code);
      }
    };

    test(`nothing survives, ${ENDINGS} times, during refreshes of ${CLIENTS} clients and silent approvals`, async () => {
      for (let round = 0; round < ENDINGS; round += 1) {
        await approve(on(0), on(1));
        const loot = new Loot();
        const starting = Array.from({ length: CLIENTS }, async (_, n) =>
          loot.keep((await redeemCode(on(n), await newCode(on(n + 1)))).json),
        );
        const tokens = await Promise.all(starting);
        const busy = [
          ...tokens.map((token, index) => refreshUntilRefused(index, token, loot)),
          ...[0, 1].map((index) => approveUntilAsked(index, loot)),
        ];
        await expect
          .poll(() => loot.refresh.length >= 2 * CLIENTS && loot.codes.length > 2, { timeout: 60_000 })
          .toBe(true);
        const { status, json } = await on(round).send('/revoke-all?sub=alice');
        expect({ status, json }).toMatchObject({ status: 200, json: { ended: expect.any(Number) } });
        await Promise.all(busy); // No client gets a token any more, so all of them stop.
        console.log(
          `${title}: ${String(json['ended'])} grants ended; ${loot.refresh.length} refresh tokens and ${loot.codes.length} codes were held`,
        );
        expect(Number(json['ended'])).toBeGreaterThan(CLIENTS);
        for (const server of processes) {
          const alive = [
            ...(await Promise.all(loot.access.slice(-60).map((token) => isActive(server, token)))),
            ...(await Promise.all(loot.refresh.slice(-60).map((token) => isActive(server, token, 'web')))),
          ];
          expect(alive.filter((active) => active !== false)).toEqual([]);
          const redeemed = await Promise.all(loot.codes.slice(-60).map((code) => redeemCode(server, code)));
          expect(redeemed.filter((answer) => answer.status !== 400)).toEqual([]);
          expect(await silentCode(server), 'the owner is asked').toBeUndefined();
        }
      }
    }, 300_000);
  });
}

for (const [title, missing, open] of PLACES) suite(title, missing, open);
