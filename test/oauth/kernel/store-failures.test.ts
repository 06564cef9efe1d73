import { UnavailableError } from 'oauth-query';
import { StoreError } from 'oauth-query/store';
import { memoryStore } from 'oauth-query/stores/memory';
import { describe, expect, test } from 'vitest';
import { type Answer, basic, bearer, hostFor, oneHostEach, useHost } from '../../hosts.js';
import { Browser, formOf, PKCE } from '../support/browser.js';
import { fixture, KEEPER } from '../support/fixture.js';
import { grantPart, liveIn } from '../support/nodes.js';
import type { StoreCall } from '../support/stores.js';
import { FAULTS, FaultyStore } from '../support/stores.js';
import { Flows, refusal, type TokenSet } from '../support/tokens.js';

const LEGACY = {
  client_id: 'legacy',
  client_secret: 'legacy-secret',
  grant_types: ['password', 'refresh_token'],
  scope: 'profile',
} as const;

/** The recipient of the error: a program, a person, or the client through the browser. */
type Audience = 'program' | 'person' | 'client';

interface Step {
  readonly audience: Audience;
  /** Does everything before, and gives the one request during which the store fails. */
  prepare(flows: Flows): Promise<Attempt>;
}

interface Attempt {
  act(): Promise<Answer>;
  /** What must hold once the store is back. */
  afterwards?(): Promise<void>;
}

const program = (prepare: Step['prepare']): Step => ({ audience: 'program', prepare });
const person = (prepare: Step['prepare']): Step => ({ audience: 'person', prepare });
const client = (prepare: Step['prepare']): Step => ({ audience: 'client', prepare });

/** A page of the authorization endpoint, with alice signed in. */
const consentPage = async (flows: Flows): Promise<Answer> => {
  const page = await flows
    .browser()
    .authorize({ response_type: 'code', client_id: 'web', state: 'xyz', ...PKCE.request });
  return page.status === 200 && 'password' in formOf(page).fields ? flows.browser().signIn(page) : page;
};

describe.each(hostFor(import.meta.url))('a failing store on $name', (host) => {
  const { options, errors, advance, store } = fixture({
    clients: [KEEPER, LEGACY],
    grants: ['authorization_code', 'client_credentials', 'refresh_token', 'device_code', 'password'],
    lifetimes: { rememberedConsent: 3600 },
  });
  const faulty = new FaultyStore(store);

  const running = useHost(host, { options: { ...options, store: faulty } });
  const flows = new Flows(running, [KEEPER, LEGACY]);

  const passwordGrant = (): Promise<Answer> =>
    flows.token('legacy', { grant_type: 'password', username: 'alice', password: 'wonderland' });

  const hasGrant = (token: string): boolean =>
    liveIn(store).some(([key]) => key.endsWith(`:grant:${grantPart(token)}`));

  const expectUsable = async ({ status, json }: Answer): Promise<void> => {
    const { access_token, refresh_token } = json as unknown as Partial<TokenSet>; // A success of the token endpoint.
    expect(status).toBe(200);
    for (const token of [access_token, refresh_token])
      if (token !== undefined) expect(await flows.isActive(token)).toBe(true);
  };

  const steps: Readonly<Record<string, Step>> = {
    'client credentials': program(async () => ({
      act: () => flows.token('service', { grant_type: 'client_credentials' }),
    })),
    'a wrong client secret': program(async () => ({
      act: () => flows.client.post('/oauth/token', { grant_type: 'client_credentials' }, basic('service', 'wrong')),
    })),
    'the first password grant of an owner': program(async () => {
      for (const [key] of store.entries()) if (key.includes(':connection:')) await store.delete(key);
      return { act: passwordGrant };
    }),
    'a further password grant of an owner': program(async () => {
      await passwordGrant();
      return { act: passwordGrant };
    }),
    'a wrong password': program(async () => ({
      act: () => flows.token('legacy', { grant_type: 'password', username: 'alice', password: 'wrong' }),
    })),
    'redeeming a code': program(async () => {
      const code = await flows.code('web');
      return {
        act: () => flows.redeem('web', code),
        afterwards: async () => {
          const again = await flows.redeem('web', code);
          if (again.status === 200) return expectUsable(again);
          // The code was taken and is dead; the second try has ended what the first may have saved.
          expect(refusal(again)).toEqual([400, 'invalid_grant']);
          expect(hasGrant(code)).toBe(false);
        },
      };
    }),
    'a wrong code_verifier': program(async () => {
      const code = await flows.code('web');
      return {
        act: () => flows.redeem('web', code, { code_verifier: 'x'.repeat(43) }),
        afterwards: async () => expectUsable(await flows.redeem('web', code)),
      };
    }),
    'replaying a code': program(async () => {
      const code = await flows.code('web');
      const { access_token } = (await flows.redeem('web', code)).json;
      return {
        act: () => flows.redeem('web', code),
        afterwards: async () => {
          expect(refusal(await flows.redeem('web', code))).toEqual([400, 'invalid_grant']);
          expect(await flows.isActive(String(access_token))).toBe(false);
        },
      };
    }),
    'replaying a code after its own end': program(async () => {
      const code = await flows.code('web');
      await flows.redeem('web', code);
      advance(60);
      return { act: () => flows.redeem('web', code) };
    }),
    'rotating a refresh token': program(async () => {
      const { refresh_token } = await flows.tokens('native');
      return {
        act: () => flows.refresh('native', refresh_token),
        afterwards: async () => expectUsable(await flows.refresh('native', refresh_token)),
      };
    }),
    'repeating a refresh': program(async () => {
      const { refresh_token } = await flows.tokens('native');
      const first = await flows.refresh('native', refresh_token);
      return {
        act: () => flows.refresh('native', refresh_token),
        afterwards: async () => {
          await expectUsable(first);
          await expectUsable(await flows.refresh('native', refresh_token));
        },
      };
    }),
    'replaying a refresh token': program(async () => {
      const { refresh_token } = await flows.tokens('native');
      const next = await flows.refreshed('native', refresh_token);
      advance(10);
      return {
        act: () => flows.refresh('native', refresh_token),
        afterwards: async () => {
          expect(refusal(await flows.refresh('native', refresh_token))).toEqual([400, 'invalid_grant']);
          expect(await flows.areActive(next.access_token, next.refresh_token)).toEqual([false, false]);
        },
      };
    }),
    'a refresh token that is kept': program(async () => {
      const { refresh_token } = await flows.tokens('keeper');
      return {
        act: () => flows.refresh('keeper', refresh_token),
        afterwards: async () => expectUsable(await flows.refresh('keeper', refresh_token)),
      };
    }),
    'introspection by a client': program(async () => {
      const { access_token } = await flows.tokens('web');
      return { act: () => flows.introspect(access_token) };
    }),
    'introspection of a refresh token': program(async () => {
      const { refresh_token } = await flows.tokens('web');
      return { act: () => flows.introspect(refresh_token) };
    }),
    'introspection by bearer token': program(async () => {
      const { access_token } = await flows.tokens('web');
      const own = await flows.ownTokens('api');
      return { act: () => flows.client.post('/oauth/introspect', { token: access_token }, bearer(own.access_token)) };
    }),
    'the guard': program(async () => {
      const { access_token } = await flows.tokens('web');
      return { act: () => flows.guarded('profile', access_token) };
    }),
    'revoking an access token': program(async () => {
      const { access_token } = await flows.tokens('web');
      return {
        act: () => flows.revoke('web', access_token),
        afterwards: async () => {
          expect((await flows.revoke('web', access_token)).status).toBe(200);
          expect(await flows.isActive(access_token)).toBe(false);
        },
      };
    }),
    'revoking a refresh token': program(async () => {
      const { access_token, refresh_token } = await flows.tokens('web');
      return {
        act: () => flows.revoke('web', refresh_token),
        afterwards: async () => {
          expect((await flows.revoke('web', refresh_token)).status).toBe(200);
          expect(await flows.areActive(access_token, refresh_token)).toEqual([false, false]);
        },
      };
    }),
    'revoking a rotated refresh token': program(async () => {
      const first = await flows.tokens('web');
      await flows.refreshed('web', first.refresh_token);
      return { act: () => flows.revoke('web', first.refresh_token) };
    }),
    'asking for a device code': program(async () => ({ act: () => flows.post('/oauth/device', 'tv', {}) })),
    'polling before the decision': program(async () => {
      const { device_code } = await flows.device('tv');
      return { act: () => flows.poll('tv', device_code) };
    }),
    'polling too early': program(async () => {
      const { device_code } = await flows.device('tv');
      await flows.poll('tv', device_code);
      return { act: () => flows.poll('tv', device_code) };
    }),
    'polling after the decision': program(async () => {
      const codes = await flows.device('tv');
      await flows.decide(codes, 'approve');
      return {
        act: () => flows.poll('tv', codes.device_code),
        afterwards: async () => {
          const again = await flows.poll('tv', codes.device_code);
          if (again.status === 200) await expectUsable(again);
          else expect(refusal(again)).toEqual([400, 'invalid_grant']);
        },
      };
    }),
    'entering a user code': person(async () => {
      await consentPage(flows);
      const { user_code, device_code } = await flows.device('tv');
      const page = await flows.browser().open(`${running.base}/oauth/device?user_code=${user_code}`);
      return {
        act: () => flows.browser().submit(page),
        afterwards: async () =>
          expect((await flows.poll('tv', device_code)).json['error']).toBe('authorization_pending'),
      };
    }),
    'approving a device': person(async () => {
      await consentPage(flows);
      const { user_code, device_code } = await flows.device('tv');
      const link = await flows.browser().open(`${running.base}/oauth/device?user_code=${user_code}`);
      const page = await flows.browser().submit(link);
      return {
        act: () => flows.browser().submit(page, { decision: 'approve' }),
        afterwards: async () => {
          const answer = await flows.poll('tv', device_code);
          expect(refusal(answer)).toEqual([400, 'authorization_pending']);
          await flows.browser().submit(page, { decision: 'approve' });
          await expectUsable(await flows.poll('tv', device_code));
        },
      };
    }),
    'signing in with a wrong password': client(async () => {
      const browser = new Browser(running);
      const page = await browser.authorize({ response_type: 'code', client_id: 'web', state: 'xyz', ...PKCE.request });
      return { act: () => browser.submit(page, { username: 'bob', password: 'wrong' }) };
    }),
    'coming back from signing in': client(async () => {
      const browser = new Browser(running);
      const page = await browser.authorize({ response_type: 'code', client_id: 'web', state: 'xyz', ...PKCE.request });
      const back = await browser.submit(page, { username: 'bob', password: 'builder' });
      return { act: () => browser.open(back.headers.location ?? '') };
    }),
    'allowing a request': client(async () => {
      advance(3600); // So long that no consent is remembered.
      const page = await consentPage(flows);
      return { act: () => flows.browser().submit(page, { decision: 'approve' }) };
    }),
    'denying a request': client(async () => {
      advance(3600);
      const page = await consentPage(flows);
      return { act: () => flows.browser().submit(page, { decision: 'deny' }) };
    }),
    'switching users': client(async () => {
      const browser = new Browser(running);
      const page = await browser.authorize({ response_type: 'code', client_id: 'web', state: 'xyz', ...PKCE.request });
      const consent = await browser.signIn(page, { username: 'bob', password: 'builder' });
      return { act: () => browser.submit(consent, { decision: 'switch' }) };
    }),
    'a request that was allowed before': client(async () => {
      await flows.code('web');
      return { act: () => flows.authorize('web') };
    }),
  };

  const expectFailure = (audience: Audience, answer: Answer): void => {
    expect(answer.text).not.toContain('secret reason');
    if (audience === 'client') {
      const location = new URL(answer.headers.location ?? '');
      expect([302, 303]).toContain(answer.status);
      expect(location.origin + location.pathname).toBe('https://app.example/cb');
      expect(Object.fromEntries(location.searchParams)).toEqual({
        error: 'temporarily_unavailable',
        error_description: 'The server cannot answer this right now. Try again later.',
        state: 'xyz',
        iss: running.base,
      });
      return;
    }
    expect([answer.status, answer.headers['retry-after'], answer.headers['cache-control']]).toEqual([
      503,
      '5',
      'no-store',
    ]);
    if (audience === 'program') expect(answer.json['error']).toBe('temporarily_unavailable');
    else expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
  };

  /** Runs a step with this call of the store failing. */
  const attempt = async (
    { prepare }: Step,
    call: number | undefined,
    fault?: () => Promise<unknown>,
  ): Promise<readonly [Answer, Attempt, readonly StoreCall[]]> => {
    advance(660); // Past every limiter's window.
    faulty.watch();
    const prepared = await prepare(flows);
    faulty.watch(call, fault);
    const answer = await prepared.act();
    const { calls } = faulty;
    faulty.watch();
    return [answer, prepared, calls];
  };

  test.each(Object.entries(steps))(
    '#13 #65 %s: an error at any store call, never a success or anything usable',
    async (_name, step) => {
      const [, , calls] = await attempt(step, undefined);
      expect(calls.length).toBeGreaterThan(0);
      expect(errors).toEqual([]);
      for (const [index, { verb }] of calls.entries()) {
        for (const [name, fault] of Object.entries(FAULTS)) {
          if (verb === 'delete' && name === 'answers nonsense') continue; // Its answer means nothing.
          const [answer, { afterwards }] = await attempt(step, index + 1, fault);
          expectFailure(step.audience, answer);
          expect(errors.splice(0)).toEqual([expect.objectContaining({ name: 'UnavailableError' })]);
          await afterwards?.();
          expect(errors).toEqual([]);
        }
      }
    },
  );

  test.each(Object.entries(steps).filter(([, { audience }]) => audience === 'program'))(
    '#65 %s: if the store rejects a record, the response never has invalid tokens',
    async (_name, step) => {
      const [, , calls] = await attempt(step, undefined);
      for (const [index, { verb }] of calls.entries()) {
        if (verb !== 'add') continue;
        const [answer] = await attempt(step, index + 1, () => Promise.resolve(false));
        if (answer.status === 200 && 'access_token' in answer.json) await expectUsable(answer);
        errors.length = 0;
      }
    },
  );
});

test('errors of a full store have a class of their own in onError', async () => {
  const { options, errors, clock } = fixture();
  const [host] = oneHostEach;
  const flows = new Flows(await host!.start({ options: { ...options, store: memoryStore({ clock, max: 1 }) } }));
  expect((await flows.token('service', { grant_type: 'client_credentials' })).status).toBe(200);
  expect((await flows.token('service', { grant_type: 'client_credentials' })).status).toBe(503);
  const [error] = errors;
  expect(error).toBeInstanceOf(UnavailableError);
  const { cause } = error as UnavailableError; // As the line before says.
  expect(cause).toBeInstanceOf(StoreError);
  expect(cause).toHaveProperty('code', 'STORE_FULL');
});
