import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeEngine } from './engines/availability.js';
import { temporaryDirectory } from './engines/daemon.js';
import { approve, isActive, newCode, redeemCode, refresh } from './engines/oauth-flows.js';
import { type Answer, type OAuthProcess, type ProcessSettings, startOAuthProcess } from './engines/oauth-processes.js';
import type { Proxy } from './engines/proxy.js';
import { until } from './engines/redis.js';
import { chosen, proxied, REDIS, type ServerKind, SERVERS } from './engines/servers.js';
import { noSqlite } from './engines/sqlite.js';

/** The other process is ahead by so many milliseconds: what is repeated there is repeated later than any grace window. */
const MINUTE = 60_000;
/** Calls of the store, the mark after the answer of a refresh included. A test says so when there are more. */
const CALLS = { refresh: 4, redemption: 3 } as const;

type Act = (server: OAuthProcess) => Promise<Answer>;

interface Place {
  readonly address: string;
  /** The way to it of the process that is struck, if connections can be cut there. */
  readonly cuttable?: { readonly address: string; readonly proxy: Proxy };
  remove(): Promise<unknown> | void;
}

/** What happens at a call, and the client's response, if it gets one. */
type Strike = (victim: OAuthProcess, call: number, act: Act, place: Place) => Promise<Answer | undefined>;

const killed =
  (moment: 'before' | 'after'): Strike =>
  async (victim, call, act) => {
    const halt = await victim.haltAt(call, moment);
    const answer = act(victim).catch(() => undefined);
    await halt.reached;
    await victim.kill();
    return answer;
  };

const cut =
  (fate: 'arrives' | 'is lost'): Strike =>
  async (victim, call, act, { cuttable }) => {
    if (!cuttable) throw new Error('nothing to cut');
    const halt = await victim.haltAt(call, 'before');
    const answer = act(victim);
    await halt.reached;
    const broken = cuttable.proxy.cutAtNext(fate);
    halt.end();
    await broken;
    return answer;
  };

const DEATHS: Readonly<Record<string, Strike>> = {
  'the process is killed before it': killed('before'),
  'the process is killed after it': killed('after'),
};
const CUTS: Readonly<Record<string, Strike>> = {
  'the connection is cut, and it is lost': cut('is lost'),
  'the connection is cut, and its answer is lost': cut('arrives'),
};

const calls = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

function suite(
  title: string,
  missing: string | undefined,
  open: () => Promise<Place>,
  strikes: Readonly<Record<string, Strike>>,
  settings: ProcessSettings = {},
): void {
  describeEngine(title, missing, () => {
    let place: Place;
    let other: OAuthProcess;
    let victim: Promise<OAuthProcess>;
    let known: string;
    const start = (address: string, ahead: number): Promise<OAuthProcess> =>
      startOAuthProcess(address, { refreshGrace: 1, quiet: true, ahead, ...settings });
    const startVictim = (): void => {
      victim = start(place.cuttable?.address ?? place.address, 0);
      victim.catch(() => undefined); // rejections are handled by whoever awaits it
    };
    beforeAll(async () => {
      place = await open();
      startVictim();
      other = await start(place.address, MINUTE);
      await approve(other);
      known = String((await redeemCode(other, await newCode(other))).json['access_token']);
    });
    afterAll(async () => {
      await Promise.all([victim?.then((server) => server.kill()), other?.kill()]);
      await place?.remove();
    });

    const struck = async (strike: Strike, call: number, act: Act): Promise<Answer | undefined> => {
      const server = await victim;
      await until(async () => (await isActive(server, known)) === true, 'the connection does not come back');
      const heard = await strike(server, call, act, place);
      // The next one starts while this one is looked at.
      if (!server.isAlive) startVictim();
      if (heard && heard.status !== 200) {
        expect([heard.status, Number(heard.headers['retry-after']) > 0]).toEqual([503, true]);
      }
      return heard;
    };
    const newToken = async (): Promise<string> =>
      String((await redeemCode(other, await newCode(other))).json['refresh_token']);

    test(`a refresh is ${CALLS.refresh} calls of the store, a redemption ${CALLS.redemption}`, async () => {
      const server = await victim;
      const token = await newToken();
      await server.haltAt(0, 'before');
      expect((await refresh(server, token)).status).toBe(200);
      await until(async () => (await server.calls()) === CALLS.refresh, 'there are not so many calls');
      const code = await newCode(other);
      await server.haltAt(0, 'before');
      expect((await redeemCode(server, code)).status).toBe(200);
      expect(await server.calls()).toBe(CALLS.redemption);
    });

    for (const [fate, strike] of Object.entries(strikes)) {
      test.each(calls(CALLS.refresh))(
        `call %i of a refresh: ${fate}; repeated a minute later, it yields one chain`,
        async (call) => {
          const token = await newToken();
          const heard = await struck(strike, call, (server) => refresh(server, token));
          const next = heard?.status === 200 ? heard : await refresh(other, token);
          expect(next.status).toBe(200);
          const { access_token, refresh_token } = next.json;
          expect(await isActive(other, String(access_token))).toBe(true);
          expect(await isActive(other, String(refresh_token), 'web')).toBe(true);
          const last = await refresh(other, String(refresh_token));
          expect(last.status).toBe(200);
          expect((await refresh(other, token)).json, 'its successor was used').toMatchObject({
            error: 'invalid_grant',
          });
          expect(await isActive(other, String(last.json['refresh_token']), 'web')).toBe(false);
        },
      );

      test.each(calls(CALLS.redemption))(
        `call %i of a redemption: ${fate}; the code yields working tokens, or is invalid`,
        async (call) => {
          const code = await newCode(other);
          const heard = await struck(strike, call, (server) => redeemCode(server, code));
          const again = heard?.status === 200 ? heard : await redeemCode(other, code);
          if (again.status !== 200) {
            expect({ status: again.status, ...again.json }).toMatchObject({ status: 400, error: 'invalid_grant' });
            return;
          }
          expect(await isActive(other, String(again.json['access_token']))).toBe(true);
          expect((await refresh(other, String(again.json['refresh_token']))).status).toBe(200);
          expect((await redeemCode(other, code)).json, 'it gives tokens once').toMatchObject({
            error: 'invalid_grant',
          });
        },
      );
    }
  });
}

/** The process that is struck goes through the proxy. */
const cuttable = async ({ start }: ServerKind): Promise<Place> => {
  const { server, proxy, address, remove } = await proxied(start());
  return { address: server.url, cuttable: { address, proxy }, remove };
};

describe('failures at each call of a refresh and of a redemption', () => {
  for (const kind of SERVERS) {
    for (const [index, driver] of kind.drivers.entries()) {
      // It dies between two calls, so it leaves the same in every server; SQLite is in the process that dies.
      const strikes = kind === REDIS && index === 0 ? { ...DEATHS, ...CUTS } : CUTS;
      suite(`${kind.title}, ${driver}`, kind.missing, () => cuttable(kind), strikes, chosen(driver));
    }
  }
  suite(
    'SQLite',
    noSqlite,
    async () => {
      const directory = temporaryDirectory();
      return {
        address: `sqlite:${join(directory, 'records.db')}`,
        remove: () => rmSync(directory, { recursive: true }),
      };
    },
    DEATHS,
  );
});
