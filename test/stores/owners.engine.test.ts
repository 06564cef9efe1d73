import { expect, test } from 'vitest';
import { describeEngine } from './engines/availability.js';
import {
  approve,
  isActive,
  isSignedIn,
  newCode,
  redeemCode,
  refresh,
  signIn,
  silentCode,
} from './engines/oauth-flows.js';
import type { Answer } from './engines/oauth-processes.js';
import { type Place, PLACES } from './engines/places.js';
import { useSeveral } from './engines/several.js';

const CLIENTS = 10;
/** How often an owner is erased, and how often signed out; `ENDINGS=50` takes minutes. */
const ENDINGS = Number(process.env['ENDINGS'] ?? 2);
const NAME = 'erika-mustermann';
const SUB = `sub-of-${NAME}`;

type Headers = Awaited<ReturnType<typeof signIn>>;

function suite(title: string, missing: string | undefined, open: () => Promise<Place>): void {
  describeEngine(`an owner of two processes on ${title}`, missing, () => {
    const several = useSeveral(2, open, { refreshGrace: 10, lists: true, users: true });
    const { on, each: both } = several;

    const refreshUntilRefused = async (index: number, first: string, held: string[]): Promise<void> => {
      let token = first;
      for (let n = index; ; n += 1) {
        const { status, json } = await refresh(on(n), token);
        if (status !== 200) return;
        token = String(json['refresh_token']);
        held.push(token, String(json['access_token']));
      }
    };
    const approveUntilAsked = async (index: number, session: Headers, codes: string[]): Promise<void> => {
      for (let n = index; ; n += 1) {
        const code = await silentCode(on(n), session);
        if (code === undefined) return;
        codes.push(code);
      }
    };
    /** Presses the button of the consent page, again and again. */
    const decideUntilSignedOut = async (index: number, session: Headers): Promise<void> => {
      for (let n = index; ; n += 1) {
        try {
          await approve(on(n), on(n + 1), session);
        } catch {
          if (!(await isSignedIn(on(n), session))) return;
        }
      }
    };

    /** Ends everything of the owner while their clients get more. Nothing that was held works afterwards. */
    async function endWhileBusy(
      round: number,
      session: Headers,
      end: () => Promise<number>,
      more: Promise<void>[] = [],
    ) {
      const held: string[] = [];
      const codes: string[] = [];
      const starting = Array.from({ length: CLIENTS }, async (_, n) => {
        const { json } = await redeemCode(on(n), await newCode(on(n + 1), session));
        held.push(String(json['access_token']));
        return String(json['refresh_token']);
      });
      const tokens = await Promise.all(starting);
      const busy = [
        ...tokens.map((token, index) => refreshUntilRefused(index, token, held)),
        ...[0, 1].map((index) => approveUntilAsked(index, session, codes)),
        ...more,
      ];
      await expect.poll(() => held.length >= 4 * CLIENTS && codes.length > 2, { timeout: 60_000 }).toBe(true);
      expect(await several.place.dump()).toContain(SUB);
      const ended = await end();
      await Promise.all(busy); // No client gets a token any more, so all of them stop.
      console.log(`${title}: round ${round}, ${ended} grants ended; ${held.length} tokens, ${codes.length} codes`);
      expect(ended).toBeGreaterThan(CLIENTS);
      for (const server of several.all) {
        const alive = await Promise.all(held.slice(-60).map((token) => isActive(server, token, 'web')));
        expect(alive.filter((active) => active !== false)).toEqual([]);
        const redeemed = await Promise.all(codes.slice(-60).map((code) => redeemCode(server, code)));
        expect(redeemed.filter(({ status }) => status !== 400)).toEqual([]);
      }
    }
    const countIn = ({ status, json }: Answer, name: string): number => (expect(status).toBe(200), Number(json[name]));

    test(`every grant is revoked, ${ENDINGS} times, during refreshes of ${CLIENTS} clients and silent approvals: the owner is asked again`, async () => {
      const session = await signIn(on(0), NAME, on(1));
      for (let round = 0; round < ENDINGS; round += 1) {
        await approve(on(0), on(1), session);
        await endWhileBusy(round, session, async () =>
          countIn(await on(round).send(`/revoke-all?sub=${SUB}`), 'ended'),
        );
        expect(await both((server) => silentCode(server, session))).toEqual([undefined, undefined]);
      }
    }, 300_000);

    test(`nothing is left and no record has the name, ${ENDINGS} times, during refreshes of ${CLIENTS} clients and approvals`, async () => {
      await signIn(on(0), 'bob').then((bob) => approve(on(0), on(1), bob));
      for (let round = 0; round < ENDINGS; round += 1) {
        const session = await signIn(on(round), NAME, on(round + 1));
        await approve(on(0), on(1), session);
        // What came with both, each has ended a part of.
        const erase = async (): Promise<number> =>
          (await both((server) => server.send(`/erase?sub=${SUB}`))).reduce(
            (sum, answer) => sum + countIn(answer, 'grants'),
            0,
          );
        await endWhileBusy(round, session, erase, [decideUntilSignedOut(round, session)]);
        const dump = await several.place.dump();
        for (const name of [SUB, NAME]) expect(dump).not.toContain(name);
        expect(dump, 'of another owner').toContain('sub-of-bob');
        expect(await both((server) => isSignedIn(server, session))).toEqual([false, false]);
        expect((await both((server) => server.send(`/export?sub=${SUB}`))).map(({ json }) => json)).toEqual([
          { records: [] },
          { records: [] },
        ]);
        const again = await both((server) => server.send(`/erase?sub=${SUB}`));
        expect(again.map(({ json }) => json)).toEqual([
          { grants: 0, consents: 0 },
          { grants: 0, consents: 0 },
        ]);
      }
    }, 300_000);

    test(`signed out, ${3 * ENDINGS} times by both at once: no earlier session is accepted again, and later ones live`, async () => {
      const before: Headers[] = [];
      for (let round = 0; round < 3 * ENDINGS; round += 1) {
        const begun = await Promise.all(Array.from({ length: 6 }, (_, n) => signIn(on(n), NAME, on(n >> 1))));
        const bob = await signIn(on(round), 'bob');
        expect(await Promise.all(begun.map((session, n) => isSignedIn(on(n), session)))).not.toContain(false);
        // Pages and sign-ins are under way all the time.
        let isOver = false;
        const seen: number[] = [];
        let calls = 0;
        const looking = [...begun, ...before.slice(-6)].map(async (session, n) => {
          for (let turn = n; turn < n + 6 || calls < 24; turn += 1) {
            const late = isOver;
            if ((await isSignedIn(on(turn), session)) && late) seen.push(n);
            if (late) calls += 1;
          }
        });
        const during = Array.from({ length: 4 }, (_, n) => signIn(on(n), NAME));
        const answers = await both((server) => server.send(`/sign-out?sub=${SUB}`));
        isOver = true;
        expect(answers.map(({ status }) => status)).toEqual([200, 200]);
        const later = await signIn(on(round), NAME, on(round + 1));
        await Promise.all(looking);
        expect(seen).toEqual([]);
        expect(await both((server) => isSignedIn(server, later))).toEqual([true, true]);
        expect(await both((server) => isSignedIn(server, bob))).toEqual([true, true]);
        before.push(...begun, later, ...(await Promise.all(during)));
      }
      await on(0).send(`/sign-out?sub=${SUB}`);
      for (const session of before) expect(await both((server) => isSignedIn(server, session))).toEqual([false, false]);
    }, 120_000);
  });
}

for (const [title, missing, open] of PLACES) suite(title, missing, open);
