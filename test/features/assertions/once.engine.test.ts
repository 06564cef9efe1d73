import { expect, test } from 'vitest';
import { describeEngine } from '../../stores/engines/availability.js';
import { isActive } from '../../stores/engines/oauth-flows.js';
import { basic } from '../../stores/engines/oauth-processes.js';
import { PLACES } from '../../stores/engines/places.js';
import { useSeveral } from '../../stores/engines/several.js';
import { JWT_BEARER, Signer } from './support.js';

/** How many assertions, and how often each is presented: `ASSERTIONS=100 REDEMPTIONS=128` takes minutes. */
const ASSERTIONS = Number(process.env['ASSERTIONS'] ?? 10);
const REDEMPTIONS = Number(process.env['REDEMPTIONS'] ?? 32);
const PROCESSES = 4;

const partner = await Signer.make('https://partner.example');

for (const [title, missing, open] of PLACES)
  describeEngine(`assertions at four processes on ${title}`, missing, () => {
    const { on } = useSeveral(PROCESSES, open, { partnerKey: { ...partner.jwk } });

    test('each is one token, whoever presents it at the same moment', async () => {
      const tokens: string[] = [];
      const refusals = new Map<string, number>();
      for (let count = 0; count < ASSERTIONS; count += 1) {
        const assertion = await partner.sign(partner.claims('http://127.0.0.1:9'));
        const form = { grant_type: JWT_BEARER, assertion };
        const answers = await Promise.all(
          Array.from({ length: REDEMPTIONS }, (_, index) =>
            on(index).send('/oauth/token', { form, headers: basic('partner'), patience: 60_000 }),
          ),
        );
        const won = answers.filter(({ status }) => status === 200);
        expect(won).toHaveLength(1);
        for (const { json } of won) tokens.push(String(json['access_token']));
        for (const { status, json } of answers.filter((one) => one.status !== 200)) {
          const refusal = `${status} ${String(json['error'])}`;
          refusals.set(refusal, (refusals.get(refusal) ?? 0) + 1);
        }
      }
      console.log(
        `${title}: ${ASSERTIONS * REDEMPTIONS} redemptions, ${tokens.length} tokens`,
        Object.fromEntries(refusals),
      );
      expect([...refusals]).toEqual([['400 invalid_grant', ASSERTIONS * (REDEMPTIONS - 1)]]);
      expect(new Set(tokens).size).toBe(ASSERTIONS);
      for (const [index, token] of tokens.slice(0, 8).entries()) expect(await isActive(on(index), token)).toBe(true);
    }, 600_000);
  });
