import { describe, expect, test } from 'vitest';
import { type Answer, Client, hostFor, useHost } from '../../hosts.js';
import { Browser, formOf, isSignIn, locationOf } from '../support/browser.js';
import { fixture } from '../support/fixture.js';

const WEB = { response_type: 'code', client_id: 'web', scope: 'profile' } as const;
const query = new URLSearchParams(WEB).toString();

describe.each(hostFor(import.meta.url))('an ended sign-in on $name', (host) => {
  const { options, store, errors, advance } = fixture({ lifetimes: { rememberedConsent: 3600 } });
  const first = useHost(host, { options }, errors);
  const nodes = [first, useHost(host, { options: () => ({ ...options, issuer: first.base }) })];

  /** A browser that has just signed out, a consent page from before, and the cookie that it had. */
  const signedOut = async (): Promise<readonly [page: Answer, cookie: string]> => {
    const browser = new Browser(first);
    const signIn = await browser.authorize({ ...WEB, scope: 'content.read' });
    const page = await browser.signIn(signIn);
    const cookie = browser.cookie;
    const answer = await browser.submit(page, { decision: 'switch' });
    expect(isSignIn(await browser.follow(answer))).toBe(true);
    return [page, cookie];
  };

  test('remains ended on every node: no page of its owner, no decision, no remembered approval', async () => {
    // What would be allowed without a question.
    await new Browser(first).authorizeFor(WEB);
    const [page, cookie] = await signedOut();
    const { fields } = formOf(page);
    for (const node of nodes) {
      const thief = new Client(node.base);
      expect(isSignIn(await thief.get(`/oauth/authorize?${query}`, { cookie }))).toBe(true);
      expect(isSignIn(await thief.get('/oauth/device', { cookie }))).toBe(true);
      for (const decision of ['approve', 'deny', 'switch']) {
        const answer = await thief.post('/oauth/authorize', { ...fields, decision }, { cookie });
        expect([decision, answer.status, answer.headers.location]).toEqual([decision, 403, undefined]);
      }
      const device = await thief.post('/oauth/device/verify', { user_code: 'BCDF-GHJK' }, { cookie });
      expect([device.status, locationOf(device)]).toEqual([303, expect.stringContaining('/oauth/device')]);
    }
  });

  test('leaves one record until the cookie would have expired, and no other caller can cause one', async () => {
    const [page] = await signedOut();
    const size = store.size;
    const { fields } = formOf(page);
    for (const cookie of ['', 'oauth_query_x=y', new Browser(first).cookie]) {
      const answer = await new Client(nodes[0]?.base ?? '').post(
        '/oauth/authorize',
        { ...fields, decision: 'switch' },
        cookie === '' ? {} : { cookie },
      );
      expect(answer.status).toBe(403);
    }
    expect(store.size).toBe(size);
    const ended = () => [...store.entries()].filter(([key]) => key.includes(':ended-session:')).length;
    expect(ended()).toBeGreaterThan(0);
    advance(3600);
    expect(ended()).toBe(0);
  });
});
