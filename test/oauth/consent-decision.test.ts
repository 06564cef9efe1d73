import { describe, expect, test } from 'vitest';
import { deriveKey, keyedHash } from '../../src/core/base/secrets.js';
import { type Answer, basic, Client, hostFor, type HostOptions, type RunningHost } from '../hosts.js';
import { Browser, formOf, locationOf, responseOf } from './support/browser.js';
import { fixture } from './support/fixture.js';
import { RoundTrips } from './support/stores.js';

const WEB = { response_type: 'code', client_id: 'web', scope: 'profile' } as const;
const ALLOW = { decision: 'approve' } as const;

describe.each(hostFor(import.meta.url))('an owner who decides on $name', (host) => {
  const start = (options: HostOptions): Promise<RunningHost> => host.start({ options });

  const redeem = ({ base }: RunningHost, code: string): Promise<Answer> =>
    new Client(base).post('/oauth/token', { grant_type: 'authorization_code', code }, basic('web', 'web-secret'));

  const consentPage = async (browser: Browser, parameters: Readonly<Record<string, string>> = WEB): Promise<Answer> => {
    const page = await browser.authorize(parameters);
    return 'password' in formOf(page).fields ? browser.signIn(page) : page;
  };

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

  describe('sequential store calls', () => {
    const startCounting = async (rememberedConsent: number) => {
      const { options, store } = fixture({ lifetimes: { rememberedConsent } });
      const trips = new RoundTrips(store);
      const site = await start({ ...options, grants: ['authorization_code', 'implicit'], store: trips });
      return { trips, browser: new Browser(site), size: () => store.size };
    };

    test('at most four for a remembered approval that replaces an older one, and for the next', async () => {
      const { trips, browser } = await startCounting(3600);
      await browser.submit(await consentPage(browser), ALLOW);
      const wider = await consentPage(browser, { ...WEB, scope: 'profile content.read' });
      trips.count = 0;
      expect(locationOf(await browser.submit(wider, ALLOW))).toContain('code=');
      expect(trips.count).toBeLessThanOrEqual(4);
      trips.count = 0;
      expect(locationOf(await browser.authorize({ ...WEB, scope: 'profile content.read' }))).toContain('code=');
      expect(trips.count).toBeLessThanOrEqual(4);
    });

    test('of concurrent decisions, only the effective one is remembered', async () => {
      const { browser } = await startCounting(3600);
      const page = await consentPage(browser);
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, n) => browser.submit(page, { decision: n % 2 === 0 ? 'approve' : 'deny' })),
      );
      const isAllowed = answers.some(({ headers }) => headers.location?.includes('code='));
      const next = await browser.authorize(WEB);
      if (!isAllowed) expect(next.status).toBe(200);
      // Of what was allowed, and not remembered by chance, the owner is asked again.
      expect([200, 302]).toContain(next.status);
    });
  });
});
