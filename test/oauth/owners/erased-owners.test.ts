import { describe, expect, test } from 'vitest';
import type { OwnerRecord } from '../../../src/core/oauth/owners/owner-records.js';
import { hostFor, useHost } from '../../hosts.js';
import { dumpMemory } from '../../stores/engines/dump.js';
import { Browser, formOf, PKCE, wordsOf } from '../support/browser.js';
import { DEVICE_CODE, fixture } from '../support/fixture.js';
import { Flows, refusal } from '../support/tokens.js';

const DAY = 86_400;
const NAME = 'ursula.le.guin';
const SUB = 'person-4711-of-this-host';
const USERS = [
  { username: 'alice', password: 'wonderland' },
  { username: 'bob', password: 'builder' },
  { username: NAME, password: 'earthsea', sub: SUB },
] as const;
const URSULA = USERS[2];
const TV = { client_id: 'tv', grant_types: ['device_code'], refresh: 'rotating' } as const;
const WEB = { response_type: 'code', client_id: 'web', redirect_uri: 'https://app.example/cb', ...PKCE.request };

const all = async (records: AsyncIterable<OwnerRecord>): Promise<readonly OwnerRecord[]> => {
  const found: OwnerRecord[] = [];
  for await (const record of records) found.push(record);
  return found;
};

describe.each(hostFor(import.meta.url))('what the server holds about an owner on $name', (host) => {
  const { options, errors, events, store, clock, advance } = fixture({
    users: USERS,
    resources: ['https://photos.example'],
    lifetimes: { rememberedConsent: 30 * DAY, accessToken: 30 * DAY },
  });
  const now = () => Math.floor(clock() / 1000);
  const dump = () => dumpMemory(store);
  const signedIn = async (): Promise<Browser> => {
    const browser = new Browser(running);
    await browser.signIn(await browser.open(`${running.base}/oauth/grants`), URSULA);
    return browser;
  };
  const codeOf = async (browser: Browser, more: Readonly<Record<string, string>> = {}): Promise<string> => {
    const answer = await browser.authorizeFor({ ...WEB, ...more }, { user: URSULA });
    return new URL(String(answer.headers.location)).searchParams.get('code') ?? expect.fail('no code');
  };

  const running = useHost(host, { options }, errors);
  const flows = new Flows(running, [TV]);

  test('can be exported as plain data: connections, grants, including unredeemed ones, and remembered approvals', async () => {
    const browser = await signedIn();
    const redeemed = await codeOf(browser, { resource: 'https://photos.example', scope: 'profile' });
    const { json } = await flows.redeem('web', redeemed);
    const created = now();
    advance(60);
    await flows.refreshed('web', String(json['refresh_token']));
    const unredeemed = await codeOf(browser, { resource: 'https://photos.example', scope: 'profile' });
    const grant = {
      type: 'grant',
      client_id: 'web',
      sub: SUB,
      username: NAME,
      scope: 'profile',
      resource: ['https://photos.example'],
      expires: expect.any(Number),
      grant_type: 'authorization_code',
    };
    const exported = await all(running.owners.export(SUB));
    const first = { ...grant, grant_id: redeemed.slice(0, 22), created, last_refreshed: created + 60 };
    const second = { ...grant, grant_id: unredeemed.slice(0, 22), created: created + 60 };
    expect(exported).toHaveLength(4);
    expect(exported).toEqual(
      expect.arrayContaining([
        {
          type: 'connection',
          client_id: 'web',
          scope: 'profile',
          resource: ['https://photos.example'],
          created,
          expires: expect.any(Number),
        },
        { ...first, silent: false, redeemed: true },
        { ...second, silent: true, redeemed: false },
        {
          type: 'consent',
          client_id: 'web',
          scope: 'profile',
          resource: ['https://photos.example'],
          expires: created + 30 * DAY,
        },
      ]),
    );
    expect(JSON.parse(JSON.stringify(exported))).toEqual(exported);
    expect(exported.at(-1)?.type).toBe('consent');
    // Nothing is held that is not exported, but hashes.
    expect(dump().split(SUB)).toHaveLength(1 + exported.filter(({ type }) => type === 'grant').length);
    expect(await all(running.owners.export('nobody-at-all'))).toEqual([]);
  });

  test('is exported completely if the grants have several pages', async () => {
    const browser = await signedIn();
    const codes: string[] = [];
    for (let n = 0; n < 7; n += 1) {
      advance(60);
      codes.push(...(await Promise.all(Array.from({ length: 30 }, () => codeOf(browser, { scope: 'profile' })))));
    }
    const exported = new Set(
      (await all(running.owners.export(SUB))).flatMap((record) => (record.type === 'grant' ? [record.grant_id] : [])),
    );
    expect(codes.filter((code) => !exported.has(code.slice(0, 22)))).toEqual([]);
  });

  test('can be erased: nothing works any more, no record has the name, and other owners keep their data', async () => {
    const bob = await flows.tokens('web', {}, 'bob');
    const browser = await signedIn();
    const device = await flows.device('tv');
    const question = await browser.submit(await browser.open(`${running.base}/oauth/device`), {
      user_code: device.user_code,
    });
    const waiting = await flows.device('tv');
    await browser.submit(await browser.open(`${running.base}/oauth/device`), { user_code: waiting.user_code });
    await browser.submit(question, { decision: 'approve' });
    const { json: tv } = await flows.poll('tv', device.device_code);
    const { json: web } = await flows.redeem('web', await codeOf(browser, { scope: 'profile content.read' }));
    const unredeemed = await codeOf(browser, { scope: 'profile content.read' });
    const { json: refreshed } = await flows.refresh('web', String(web['refresh_token']));
    const stranger = new Browser(running);
    const failed = await stranger.submit(await stranger.open(`${running.base}/oauth/grants`), {
      username: NAME,
      password: 'wrong',
    });
    expect(failed.status).toBe(400);
    expect(dump()).toContain(SUB);
    events.length = 0;

    const held = (await all(running.owners.export(SUB))).filter(({ type }) => type !== 'connection').length;
    const erased = await running.owners.erase(SUB, { by: 'privacy@example.org' });
    expect(erased.grants + erased.consents).toBe(held);
    expect(erased).toEqual({ grants: held - 1, consents: 1 });

    for (const name of [SUB, NAME]) expect(dump()).not.toContain(name);
    expect(await all(running.owners.export(SUB))).toEqual([]);
    const tokens = [tv, web, refreshed].flatMap((json) => [
      String(json['access_token']),
      String(json['refresh_token']),
    ]);
    expect(new Set(await flows.areActive(...tokens))).toEqual(new Set([false]));
    expect(refusal(await flows.redeem('web', unredeemed))).toEqual([400, 'invalid_grant']);
    expect(formOf(await browser.open(`${running.base}/oauth/grants`)).fields).toHaveProperty('password');
    expect(await flows.areActive(bob.access_token, bob.refresh_token)).toEqual([true, true]);
    expect(dump()).toContain('"sub":"bob"');

    const by = { by: 'privacy@example.org', sub: SUB };
    expect(events.filter(({ type }) => type === 'owner.signed_out')).toEqual([expect.objectContaining(by)]);
    const revoked = events.filter(({ type }) => type === 'grant.revoked');
    expect(revoked).toHaveLength(erased.grants);
    for (const event of revoked) expect(event).toMatchObject({ ...by, reason: 'host' });

    expect(await running.owners.erase(SUB), 'again').toEqual({ grants: 0, consents: 0 });
    const again = await browser.signIn(await browser.authorize(WEB), URSULA);
    expect(wordsOf(again), 'the owner is asked as at first').toContain('would like to');
  });

  test('does not include earlier tokens and the device of another owner, which remain valid', async () => {
    const { access_token, refresh_token } = await flows.tokens('native');
    const own = await flows.ownTokens();
    await running.owners.erase(SUB);
    expect(await flows.areActive(access_token, refresh_token, own.access_token)).toEqual([true, true, true]);
    expect((await flows.introspect(access_token)).json).toMatchObject({ sub: 'alice', username: 'alice' });
    expect((await flows.introspect(own.access_token)).json).toMatchObject({ sub: 'client:service' });
    expect((await flows.introspect(own.access_token)).json).not.toHaveProperty('username');
  });

  test('rejects invalid arguments, and names what is missing', async () => {
    const { erase, export: exported } = running.owners as unknown as Record<string, (...given: unknown[]) => unknown>; // As JavaScript sees it.
    for (const sub of [undefined, '', { sub: SUB }]) {
      await expect(erase?.(sub)).rejects.toThrow('owners.erase: sub must be a non-empty string.');
      await expect(all(exported?.(sub) as AsyncIterable<OwnerRecord>)).rejects.toThrow(TypeError);
    }
    await expect(erase?.(SUB, { by: 5 })).rejects.toThrow('owners.erase: by must be a non-empty string.');
    const { list: _list, ...unlisted } = store;
    const plain = await host.start({ options: { ...options, issuer: running.base, store: unlisted } });
    const browser = await signedIn();
    await expect(plain.owners.erase(SUB)).rejects.toThrow('The store cannot list');
    await expect(all(plain.owners.export(SUB))).rejects.toThrow('The store cannot list');
    expect(wordsOf(await browser.open(`${running.base}/oauth/grants`)), 'nothing has begun').toContain('signed in as');
    await plain.owners.signOut(SUB);
    expect(formOf(await browser.open(`${running.base}/oauth/grants`)).fields).toHaveProperty('password');
  });

  test('does not include sessions if the application signs users in', async () => {
    const { users: _users, ...withoutUsers } = options;
    const own = await host.start({
      options: { ...withoutUsers, owner: () => ({ sub: SUB, username: NAME }), loginUrl: '/login' },
    });
    const browser = new Browser(own);
    const page = await browser.authorize(WEB);
    await browser.submit(page, { decision: 'approve' });
    events.length = 0;
    expect(await own.owners.erase(SUB)).toEqual({ grants: 1, consents: 1 });
    expect(events.map(({ type }) => type)).toEqual(['grant.revoked']);
    expect(dump()).not.toContain(SUB);
    const { json } = await flows.token('tv', { grant_type: DEVICE_CODE, device_code: 'x' });
    expect(json).toMatchObject({ error: 'invalid_grant' });
  });
});
