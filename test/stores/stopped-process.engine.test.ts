import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { DEVICE_CODE } from '../oauth/support/fixture.js';
import { describeEngine } from './engines/availability.js';
import { isActive, newCode, newDeviceCode, redeemCode, redeemDeviceCode, refresh } from './engines/oauth-flows.js';
import { type Answer, basic, type OAuthProcess } from './engines/oauth-processes.js';
import { type Place, PLACES } from './engines/places.js';
import { useSeveral } from './engines/several.js';

const CLIENTS = 30;
const DEVICES = 5;
/** A client gives up after this time, in milliseconds. */
const PATIENCE = 500;
const WEB = basic('web');

/** What a client sends to the process that stands still, and then to the other one. */
type Form = Readonly<Record<string, string>>;

const many = <T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

const textsIn = ({ json }: Answer): readonly string[] =>
  [json['access_token'], json['refresh_token']].filter((token) => typeof token === 'string');

const stopped = async (server: OAuthProcess): Promise<() => void> => {
  server.stop();
  return () => server.goOn();
};

interface Standstill {
  readonly begin: (server: OAuthProcess) => Promise<() => void>;
  /** Milliseconds. */
  readonly atLeast: number;
  /** Whether the connections of the clients that give up stay open. */
  readonly stays: boolean;
}

/** How a process comes to stand still. */
const STANDSTILLS: Readonly<Record<string, Standstill>> = {
  'is stopped': { begin: stopped, atLeast: 0, stays: false },
  'is blocked by long work of the application': { begin: (server) => server.block(), atLeast: 0, stays: false },
  'is stopped for 50 s, with a proxy in front that does not close connections': {
    begin: stopped,
    atLeast: 50_000,
    stays: true,
  },
};

function suite(title: string, missing: string | undefined, open: () => Promise<Place>): void {
  describeEngine(`two processes on ${title}`, missing, () => {
    const settings = { refreshGrace: 1, codeReplayTolerance: 0, quiet: true };
    const { on } = useSeveral(2, open, settings, true);
    afterEach(() => {
      on(0).goOn();
    });

    test.each(Object.entries(STANDSTILLS))(
      `one %s, and ${CLIENTS} clients repeat their requests at the other one: when it goes on, no grant is lost`,
      async (_name, { begin, atLeast, stays }) => {
        const [still, other] = [on(0), on(1)];
        const tokens = await many(CLIENTS, async () => {
          const { json } = await redeemCode(still, await newCode(other));
          return String(json['refresh_token']);
        });
        const codes = await many(CLIENTS, () => newCode(other));
        const devices = await many(DEVICES, (index) => newDeviceCode(on, index));

        const abandoned = async (): Promise<number> => Number((await still.send('/abandoned')).json['count']);
        const before = await abandoned();
        const end = await begin(still);
        const over = wait(atLeast); // A standstill takes its time.
        const giveUp = async (form: Form, headers = {}): Promise<void> => {
          const sent = still.send('/oauth/token', { form, headers, patience: PATIENCE, stays });
          await expect(sent).rejects.toThrow('no answer');
        };
        await Promise.all([
          ...tokens.map((refresh_token) => giveUp({ grant_type: 'refresh_token', refresh_token }, WEB)),
          ...codes.map((code) =>
            giveUp({ grant_type: 'authorization_code', code, redirect_uri: 'http://127.0.0.1/cb' }, WEB),
          ),
          ...devices.map((device_code) => giveUp({ grant_type: DEVICE_CODE, client_id: 'tv', device_code })),
        ]);
        // Each result is used once, so that what the other process received has been used up long ago.
        const useOnce = async (answer: Answer): Promise<Answer> => {
          expect(answer.status).toBe(200);
          const next = await refresh(other, String(answer.json['refresh_token']));
          expect(next.status).toBe(200);
          return next;
        };
        const held = [
          ...(await many(CLIENTS, async (n) => useOnce(await refresh(other, tokens[n] ?? '')))),
          ...(await many(CLIENTS, async (n) => useOnce(await redeemCode(other, codes[n] ?? '')))),
          ...(await many(DEVICES, async (n) => redeemDeviceCode(other, devices[n] ?? ''))),
        ];
        await over;
        end();

        // It has read the old requests of all who had given up, and has judged none of them.
        // After 50 s a connection to Redis is replaced, and what fails with it is not counted.
        if (stays) await wait(10_000);
        else
          await expect.poll(abandoned, { timeout: 30_000, interval: 100 }).toBeGreaterThanOrEqual(before + 2 * CLIENTS);
        for (const server of [still, other]) {
          const alive = await Promise.all(
            held.flatMap((answer) => textsIn(answer).slice(0, 1)).map((token) => isActive(server, token)),
          );
          expect(
            alive.filter((active) => active !== true),
            'lost',
          ).toEqual([]);
        }
        const again = await many(2 * CLIENTS, (n) => refresh(still, String(held[n]?.json['refresh_token'])));
        expect(again.filter(({ status }) => status !== 200)).toEqual([]);
        console.log(`${title}: 0 of ${held.length} grants lost, ${(await abandoned()) - before} abandoned requests`);

        // A client that waits is judged, as ever, soon after the standstill.
        const repeated = async (): Promise<number> => (await refresh(still, tokens[0] ?? '')).status;
        await expect.poll(repeated, { timeout: 30_000, interval: 1_000 }).toBe(400);
        expect(await isActive(other, textsIn(again[0] as Answer)[0] ?? '')).toBe(false);
      },
      180_000,
    );
  });
}

for (const [title, missing, open] of PLACES) if (!title.includes('cluster')) suite(title, missing, open);
