import { type AssertionIssuer, assertions } from 'oauth-query/assertions';
import { oauthQuery } from 'oauth-query/fetch';
import { describe, expect, test } from 'vitest';
import { basic } from '../../hosts.js';
import { fixture } from '../../oauth/support/fixture.js';
import { everyRow } from '../../rows.js';
import { ID_JAG, JWT_BEARER, Signer } from './support.js';

const ISSUER = 'https://auth.example';
const KINDS = ['id-jag', 'bearer', 'workload'] as const;

/** A server whose clock stands still, and what it answers an assertion with these claims. */
const site = async (kind: (typeof KINDS)[number], clockTolerance: number) => {
  const signer = await Signer.make('https://other.example');
  const owner: AssertionIssuer['owner'] = () => ({ sub: 'alice' });
  const trusted = kind === 'workload' ? { clients: () => 'app' } : { owner };
  const entry = signer.entry({ kind, use: 'untilExpiry', requireResource: false, ...trusted });
  const all = fixture({
    clients: [{ client_id: 'app', client_secret: 'app-secret', grant_types: [JWT_BEARER], scope: 'profile' }],
    features: [assertions({ clockTolerance, issuers: [entry] })],
  });
  const oauth = oauthQuery({ ...all.options, issuer: ISSUER });
  const now = (): number => Math.floor(all.clock() / 1000);
  const made = (claims: Record<string, unknown>) =>
    signer.sign(
      { ...signer.claims(ISSUER, now()), client_id: 'app', ...claims },
      kind === 'id-jag' ? { typ: ID_JAG } : {},
    );
  const send = async (assertion: string): Promise<number> => {
    const body = new URLSearchParams({ grant_type: JWT_BEARER, assertion });
    const headers = kind === 'workload' ? {} : basic('app', 'app-secret');
    return (await oauth.handler(new Request(`${ISSUER}/oauth/token`, { method: 'POST', headers, body }))).status;
  };
  return { now, made, send, advance: all.advance, errors: all.errors };
};

describe.each(KINDS)('the clock and an assertion of the kind %s', (kind) => {
  test.each([0, 30, 60])(
    'with a tolerance of %d seconds: each edge, a second before and after it',
    async (tolerance) => {
      const { now, made, send, errors } = await site(kind, tolerance);
      const rows = [-1, -0.5, 0, 0.5, 1].flatMap((past) => {
        const [ended, ahead] = [now() - tolerance + past, now() + tolerance + past];
        return [
          [`exp ${past}`, { iat: now() - 200, exp: ended }, past > 0],
          [`nbf ${past}`, { nbf: ahead }, past <= 0],
          [`iat ${past}`, { iat: ahead, exp: ahead + 60 }, past <= 0],
          ...(kind === 'id-jag' ? [[`auth_time ${past}`, { auth_time: ahead }, past <= 0] as const] : []),
        ] as const;
      });
      await everyRow(rows, async ([, claims, isIn]) => {
        expect(await send(await made(claims))).toBe(isIn ? 200 : 400);
      });
      expect(errors).toEqual([]);
    },
  );

  test('works in each second between nbf and exp with the tolerance, and in no other', async () => {
    const { now, made, send, advance } = await site(kind, 2);
    const [nbf, exp] = [now() + 5, now() + 10];
    const assertion = await made({ nbf, exp });
    for (let at = now(); at <= exp + 5; at += 1) {
      expect([at - nbf, await send(assertion)]).toEqual([at - nbf, nbf - 2 <= at && at < exp + 2 ? 200 : 400]);
      advance(1);
    }
  });

  test('lives as long as its kind may, and not a second longer', async () => {
    const { now, made, send } = await site(kind, 0);
    const longest = kind === 'id-jag' ? 600 : 3600;
    for (const [lifetime, status] of [
      [longest, 200],
      [longest + 1, 400],
    ] as const)
      expect(await send(await made({ iat: now(), exp: now() + lifetime }))).toBe(status);
  });
});
