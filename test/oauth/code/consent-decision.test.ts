import { describe, expect, test } from 'vitest';
import { deriveKey, keyedHash } from '../../../src/core/base/secrets.js';
import { type Answer, basic, Client, hostFor, type HostOptions, type RunningHost } from '../../hosts.js';
import { Browser, formOf, responseOf } from '../support/browser.js';
import { fixture } from '../support/fixture.js';

const WEB = { response_type: 'code', client_id: 'web', scope: 'profile' } as const;
const ALLOW = { decision: 'approve' } as const;

describe.each(hostFor(import.meta.url))('an owner who decides on $name', (host) => {
  const start = (options: HostOptions): Promise<RunningHost> => host.start({ options });

  const redeem = ({ base }: RunningHost, code: string): Promise<Answer> =>
    new Client(base).post('/oauth/token', { grant_type: 'authorization_code', code }, basic('web', 'web-secret'));

  test('a decision by another owner in the same browser never gets the code of the first', async () => {
    const { options, errors } = fixture();
    const { users: _, ...rest } = options;
    let current = { sub: 'alice' };
    const browser = new Browser(await start({ ...rest, owner: () => current, loginUrl: '/login' }));
    const page = await browser.authorize(WEB);
    const resume = `${formOf(page).action}?resume=${formOf(page).fields['resume'] ?? ''}`;
    current = { sub: 'bob' };
    const bobs = await browser.open(resume);
    current = { sub: 'alice' };
    const { code: first } = responseOf(await browser.submit(page, ALLOW));
    current = { sub: 'bob' };
    const second = await browser.submit(bobs, ALLOW);
    expect([second.status, second.headers.location]).toEqual([400, undefined]);
    current = { sub: 'alice' };
    expect(responseOf(await browser.submit(page, ALLOW))['code']).toBe(first);
    expect(errors).toEqual([]);
  });

  test('a copy of the store and the secret do not yield a valid code', async () => {
    const { options, store } = fixture();
    const site = await start(options);
    const { code = '' } = responseOf(await new Browser(site).authorizeFor(WEB));
    const key = deriveKey(String(options.secret), 'consent');
    const texts = [...store.entries()].flatMap(([name, value]) => [
      ...name.split(':'),
      ...Object.values(value).map(String),
    ]);
    const grant = code.slice(0, 22);
    expect(texts.some((text) => text.includes(grant))).toBe(true);
    for (const text of texts) expect(grant + keyedHash(key, JSON.stringify([text, grant]))).not.toBe(code);
    expect((await redeem(site, code)).status).toBe(200);
  });

  test('of concurrent decisions, only the effective one is remembered', async () => {
    const { options } = fixture({ lifetimes: { rememberedConsent: 3600 } });
    const browser = new Browser(await start(options));
    const page = await browser.signIn(await browser.authorize(WEB));
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => browser.submit(page, { decision: n % 2 === 0 ? 'approve' : 'deny' })),
    );
    const isAllowed = answers.some(({ headers }) => headers.location?.includes('code='));
    const next = await browser.authorize(WEB);
    // Of what was allowed, and not remembered by chance, the owner is asked again.
    expect(isAllowed ? [200, 302] : [200]).toContain(next.status);
  });
});
