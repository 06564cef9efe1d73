import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { describeEngine } from '../../stores/engines/availability.js';
import { isActive } from '../../stores/engines/oauth-flows.js';
import { basic } from '../../stores/engines/oauth-processes.js';
import { PLACES } from '../../stores/engines/places.js';
import { useSeveral } from '../../stores/engines/several.js';
import { ACCESS_TOKEN, at, EXCHANGE } from './support.js';
import { liveAfter, numbers, SERVICES, SIZE, treeOf } from './trees.js';

const signingKey = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();

for (const [title, missing, open] of PLACES)
  describeEngine(`token exchange at two processes on ${title}`, missing, () => {
    describe.each([
      ['opaque', {}],
      ['signed', { signingKey }],
    ] as const)('%s tokens', (_format, settings) => {
      const { on } = useSeveral(2, open, { services: SERVICES, lists: true, ...settings });

      const exchange = (by: string, subject_token: string, target: string) =>
        on(0).send('/oauth/token', {
          form: { grant_type: EXCHANGE, subject_token, subject_token_type: ACCESS_TOKEN, resource: at(target) },
          headers: basic(by),
        });

      test('at each of twenty places of a tree: all that came out of it, and nothing else, ends at the other process', async () => {
        const random = numbers(7);
        for (let end = 0; end < SIZE; end += 1) {
          const { json } = await on(0).send(`/issue?sub=owner-${end}&resource=${encodeURIComponent(at('notes'))}`);
          const nodes = await treeOf(String(json['access_token']), random, async (...asked) => {
            const answer = await exchange(...asked);
            expect(answer).toMatchObject({ status: 200 });
            return String(answer.json['access_token']);
          });
          const live = () => Promise.all(nodes.map(({ token }) => isActive(on(1), token)));
          expect(await live()).toEqual(nodes.map(() => true));
          const { token, by } = nodes[end] ?? expect.fail();
          const revoked = await on(0).send('/oauth/revoke', { form: { token }, headers: basic(by) });
          expect(revoked.status).toBe(200);
          expect(await live()).toEqual(liveAfter(nodes, end));
        }
      }, 120_000);

      test('all ends with the grant', async () => {
        const { json } = await on(0).send(`/issue?sub=alice&resource=${encodeURIComponent(at('notes'))}`);
        const first = String(json['access_token']);
        const { json: next } = await exchange('notes', first, 'search');
        const token = String(next['access_token']);
        expect(await isActive(on(1), token)).toBe(true);
        expect((await on(0).send('/revoke-all?sub=alice')).json).toEqual({ ended: 1 });
        expect(await isActive(on(1), token)).toBe(false);
      });
    });
  });
