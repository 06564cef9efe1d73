import { expect, test } from 'vitest';
import { DEVICE_CODE } from '../oauth/support/fixture.js';
import { describeEngine } from './engines/availability.js';
import { decideDevice, enterUserCode, isActive, newDevice, redeemDeviceCode } from './engines/oauth-flows.js';
import type { Answer, OAuthProcess } from './engines/oauth-processes.js';
import { type Place, PLACES } from './engines/places.js';
import { useSeveral } from './engines/several.js';

const PROCESSES = 3;
const ROUNDS = Number(process.env['RACES'] ?? 3);
/** Five of six owners fail, and an address may fail 50 times in ten minutes. */
const CODES = Math.min(ROUNDS, 8);
/** Devices that share a code, each polling without a pause. */
const POLLERS = 24;

const errorOf = ({ json }: Answer): unknown => json['error'];

function suite(title: string, missing: string | undefined, open: () => Promise<Place>): void {
  describeEngine(`devices at three processes on ${title}`, missing, () => {
    const { on } = useSeveral(PROCESSES, open);
    const everywhere = <T>(count: number, call: (server: OAuthProcess, index: number) => Promise<T>): Promise<T[]> =>
      Promise.all(Array.from({ length: count }, (_, index) => call(on(index), index)));

    test('a device that never waits does not delay its owner, and gets tokens exactly once', async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const { device_code, user_code } = await newDevice(on(round));
        let polls = 0;
        const won: Answer[] = [];
        const answers = new Set<unknown>();
        const polling = everywhere(POLLERS, async (_, index) => {
          for (let turn = index; ; turn += 1) {
            const answer = await redeemDeviceCode(on(turn), device_code);
            polls += 1;
            if (answer.status === 200) won.push(answer);
            else if (errorOf(answer) === 'invalid_grant') return;
            else answers.add(errorOf(answer));
          }
        });
        await expect.poll(() => polls, { timeout: 30_000 }).toBeGreaterThan(2 * POLLERS);
        const question = await enterUserCode(on(round + 1), user_code, { 'x-owner': `owner-${round}` });
        const done = await decideDevice(on(round + 2), question, 'approve');
        expect([done.status, done.text.includes('is connected')]).toEqual([200, true]);
        await polling;
        expect(won).toHaveLength(1);
        expect(answers).toEqual(new Set(['authorization_pending', 'slow_down']));
        const token = String(won[0]?.json['access_token']);
        expect(await everywhere(PROCESSES, (server) => isActive(server, token))).toEqual([true, true, true]);
      }
    }, 180_000);

    test('of several owners who enter one code at once, one gets it, and decides once', async () => {
      for (let round = 0; round < CODES; round += 1) {
        const { device_code, user_code } = await newDevice(on(round));
        const pages = await everywhere(6, (server, index) =>
          enterUserCode(server, user_code, { 'x-owner': `owner-${round}-${index}` }),
        );
        const [question, ...others] = pages.filter(({ status }) => status === 200);
        expect(others).toEqual([]);
        if (question === undefined) throw new Error('no owner');
        const decisions = await everywhere(6, (server, index) =>
          decideDevice(server, question, index % 2 === 0 ? 'approve' : 'deny'),
        );
        const shown = new Set(decisions.map(({ text }) => text.includes('is connected')));
        expect([shown.size, decisions.every(({ status }) => status === 200)]).toEqual([1, true]);
        const polls = await everywhere(12, (server) => redeemDeviceCode(server, device_code));
        const wins = polls.filter(({ status }) => status === 200);
        if (shown.has(true)) expect(wins).toHaveLength(1);
        else expect(new Set(polls.map(errorOf))).toEqual(new Set(['access_denied']));
      }
    }, 120_000);

    test('of simultaneous polls, at most one is in time', async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const { device_code } = await newDevice(on(round));
        const polls = await everywhere(12, () =>
          on(round).send('/oauth/token', { form: { grant_type: DEVICE_CODE, client_id: 'tv', device_code } }),
        );
        const answers = polls.map(errorOf);
        expect(answers.filter((error) => error === 'authorization_pending')).toHaveLength(1);
        expect(answers.filter((error) => error === 'slow_down')).toHaveLength(11);
      }
    }, 60_000);
  });
}

for (const [title, missing, open] of PLACES) suite(title, missing, open);
