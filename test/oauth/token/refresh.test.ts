import { describe, expect, test } from 'vitest';
import type { ClientRegistration } from '../../../src/core/oauth/clients/client.js';
import { basic, hostFor, oneHostEach, useHost } from '../../hosts.js';
import { fixture, KEEPER, USERS } from '../support/fixture.js';
import { Flows, refusal } from '../support/tokens.js';

const INVALID_GRANT = [400, 'invalid_grant'] as const;
const DAY = 86_400;

const OTHER = {
  client_id: 'other',
  client_secret: 'other-secret',
  redirect_uris: ['https://other.example/cb'],
} as const;

/** A client whose registration changes while its tokens live. */
const CHANGING = {
  client_id: 'changing',
  client_secret: 'changing-secret',
  redirect_uris: ['https://changing.example/cb'],
} as const;

describe.each(hostFor(import.meta.url))('refreshing on $name', (host) => {
  const withdrawn = new Set<string>();
  const disabledUsers = new Set<string>();
  let changing: ClientRegistration = CHANGING;
  const { options, events, errors, advance, store } = fixture();
  const fixed = [...(options.clients as readonly ClientRegistration[]), OTHER, KEEPER]; // The fixture gives an array.

  const running = useHost(
    host,
    {
      options: {
        ...options,
        clients: { find: (id) => (id === 'changing' ? changing : fixed.find((client) => client.client_id === id)) },
        users: {
          authenticate: (username, password) => {
            const user = USERS.find((known) => known.username === username && known.password === password);
            return user && { sub: user.username, username };
          },
          isActive: (sub) => !disabledUsers.has(sub),
        },
        validateGrant: ({ grant_id }) => !withdrawn.has(grant_id),
      },
    },
    errors,
  );
  const flows = new Flows(running, [OTHER, KEEPER, CHANGING]);

  test('#66 unknown, expired, revoked and foreign refresh tokens are invalid_grant with identical bodies (RFC 6749 §5.2, §6)', async () => {
    const foreign = await flows.tokens('other');
    const revoked = await flows.tokens('web');
    await flows.revoke('web', revoked.refresh_token);
    const expired = await flows.tokens('web');
    advance(14 * DAY);
    const code = await flows.code('web');
    const used = await flows.code('web');
    const { access_token } = (await flows.redeem('web', used)).json;
    const { device_code } = await flows.device('tv');
    const values = [
      ...[
        'unknown',
        'x'.repeat(65),
        'x'.repeat(43),
        revoked.refresh_token,
        expired.refresh_token,
        expired.access_token,
      ],
      ...[foreign.refresh_token, code, used, String(access_token), device_code],
    ];
    const answers = [];
    for (const value of values) answers.push(await flows.refresh('web', value));
    expect(answers.map(refusal)).toEqual(values.map(() => INVALID_GRANT));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await flows.isActive(String(access_token))).toBe(true);
  });

  test("#66 another client's attempt leaves the token usable", async () => {
    const { refresh_token } = await flows.tokens('web');
    expect(refusal(await flows.refresh('other', refresh_token))).toEqual(INVALID_GRANT);
    const next = await flows.refreshed('web', refresh_token);
    expect(refusal(await flows.refresh('other', refresh_token)), 'the same once it has been rotated away').toEqual(
      INVALID_GRANT,
    );
    expect(await flows.areActive(next.access_token, next.refresh_token)).toEqual([true, true]);
  });

  test('#66 a guessed secret after the grant and expiry of a refresh token is invalid, and ends nothing', async () => {
    const first = await flows.tokens('web');
    const next = await flows.refreshed('web', first.refresh_token);
    advance(10);
    const grant = first.refresh_token.slice(0, 22);
    const expiry = first.refresh_token.slice(22, 29);
    // It must not be a replay either: who knows a grant's id could end it.
    for (const rest of ['x'.repeat(65), first.access_token, first.access_token.slice(22) + 'x'.repeat(22)]) {
      const forged = grant + expiry + rest;
      expect(refusal(await flows.refresh('web', forged))).toEqual(INVALID_GRANT);
      expect((await flows.revoke('web', forged)).status).toBe(200);
      expect(await flows.isActive(forged)).toBe(false);
    }
    expect(await flows.areActive(next.access_token, next.refresh_token)).toEqual([true, true]);
  });

  test('#67 a wider scope is invalid_scope and the token remains usable (RFC 6749 §6)', async () => {
    const { refresh_token } = await flows.tokens('web', { scope: 'profile' });
    for (const scope of ['profile content.read', 'content.read', 'introspect', 'profile  profile', 'nonsense']) {
      expect(refusal(await flows.refresh('web', refresh_token, { scope }))).toEqual([400, 'invalid_scope']);
    }
    expect((await flows.refreshed('web', refresh_token)).scope).toBe('profile');
  });

  test('#67 a narrower scope narrows the access token and not the refresh token; without a scope the original one applies', async () => {
    const first = await flows.tokens('web', { scope: 'profile content.read content.write' });
    const narrowed = await flows.refreshed('web', first.refresh_token, { scope: 'content.read' });
    expect(narrowed.scope).toBe('content.read');
    expect((await flows.introspect(narrowed.access_token)).json['scope']).toBe('content.read');
    expect((await flows.introspect(narrowed.refresh_token, 'web')).json['scope']).toBe(
      'profile content.read content.write',
    );
    const wide = await flows.refreshed('web', narrowed.refresh_token);
    expect(wide.scope).toBe('profile content.read content.write');
    expect((await flows.introspect(wide.access_token)).json['scope']).toBe('profile content.read content.write');
  });

  test.each(['native', 'web'])(
    '#68 %s gets a new refresh token and the old one is invalid (RFC 9700 §4.14.2)',
    async (client_id) => {
      const first = await flows.tokens(client_id);
      const second = await flows.refreshed(client_id, first.refresh_token);
      expect(second).toEqual({
        access_token: expect.any(String),
        token_type: 'Bearer',
        expires_in: 3600,
        scope: 'profile content.read',
        refresh_token: expect.any(String),
      });
      const all = [first.access_token, first.refresh_token, second.access_token, second.refresh_token];
      expect(new Set(all.map((token) => token.slice(-43))).size).toBe(4);
      expect(await flows.areActive(first.refresh_token, second.refresh_token, second.access_token)).toEqual([
        false,
        true,
        true,
      ]);
    },
  );

  test('#68 a public client without rotation has no refresh token and may not use the grant', async () => {
    const { refresh_token } = await flows.tokens('native');
    expect(refusal(await flows.refresh('spa', refresh_token))).toEqual([400, 'unauthorized_client']);
    expect(await flows.isActive(refresh_token)).toBe(true);
  });

  test('#68 a confidential client registered as reusable keeps its refresh token', async () => {
    const first = await flows.tokens('keeper');
    const second = await flows.refreshed('keeper', first.refresh_token, { scope: 'profile' });
    expect(second).not.toHaveProperty('refresh_token');
    expect(second.scope).toBe('profile');
    advance(89 * DAY);
    const third = await flows.refreshed('keeper', first.refresh_token);
    expect(await flows.areActive(first.refresh_token, third.access_token)).toEqual([true, true]);
  });

  test('#69 a rotated token outside the grace window ends the whole family (RFC 9700 §4.14.2)', async () => {
    const first = await flows.tokens('web');
    const second = await flows.refreshed('web', first.refresh_token);
    const third = await flows.refreshed('web', second.refresh_token);
    advance(10);
    const family = [first.access_token, second.access_token, third.access_token, third.refresh_token];
    expect(await flows.areActive(...family)).toEqual([true, true, true, true]);

    expect(refusal(await flows.refresh('web', second.refresh_token))).toEqual(INVALID_GRANT);

    expect(await flows.areActive(...family)).toEqual([false, false, false, false]);
    expect((await flows.guarded('profile', third.access_token)).status).toBe(401);
    expect(refusal(await flows.refresh('web', third.refresh_token))).toEqual(INVALID_GRANT);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'replay.detected', kind: 'refresh_token', client_id: 'web' }),
    );
  });

  test('#70 within the grace window the same request gets the same successor again (FAPI 2 retry rule)', async () => {
    const first = await flows.tokens('native');
    const answer = await flows.refresh('native', first.refresh_token);
    for (const wait of [0, 5, 4]) {
      advance(wait);
      const again = await flows.refresh('native', first.refresh_token);
      expect([again.status, again.json]).toEqual([200, answer.json]);
    }
    const successor = await flows.refreshed('native', String(answer.json['refresh_token']));
    expect(await flows.areActive(String(answer.json['access_token']), successor.refresh_token)).toEqual([true, true]);
  });

  test('#70 the window ends at its exact millisecond', async () => {
    const first = await flows.tokens('native');
    const second = await flows.refreshed('native', first.refresh_token);
    advance(9.999);
    expect((await flows.refresh('native', first.refresh_token)).status).toBe(200);
    advance(0.001);
    expect(refusal(await flows.refresh('native', first.refresh_token))).toEqual(INVALID_GRANT);
    expect(await flows.areActive(second.access_token, second.refresh_token)).toEqual([false, false]);
  });

  test('#70 a different request within the window is refused and ends nothing; after it, it is a replay', async () => {
    const first = await flows.tokens('web');
    const second = await flows.refreshed('web', first.refresh_token);
    const before = events.length;
    const narrower = () => flows.refresh('web', first.refresh_token, { scope: 'profile' });
    expect(refusal(await narrower())).toEqual(INVALID_GRANT);
    expect(await flows.areActive(second.access_token, second.refresh_token)).toEqual([true, true]);
    expect(events.slice(before)).toEqual([
      expect.objectContaining({ type: 'token.refused', error: 'invalid_grant', client_id: 'web' }),
    ]);
    expect((await flows.refreshed('web', first.refresh_token)).refresh_token).toBe(second.refresh_token);
    advance(10);
    expect(refusal(await narrower())).toEqual(INVALID_GRANT);
    expect(await flows.areActive(second.access_token, second.refresh_token)).toEqual([false, false]);
  });

  test('#70 an older ancestor within the window is treated as reuse', async () => {
    const first = await flows.tokens('web');
    const second = await flows.refreshed('web', first.refresh_token);
    const third = await flows.refreshed('web', second.refresh_token);
    expect(refusal(await flows.refresh('web', first.refresh_token))).toEqual(INVALID_GRANT);
    expect(await flows.areActive(third.access_token, third.refresh_token)).toEqual([false, false]);
  });

  test('#70 a revoked successor is not revived by a retry', async () => {
    const first = await flows.tokens('web');
    const second = await flows.refreshed('web', first.refresh_token);
    await flows.revoke('web', second.access_token);
    expect((await flows.refresh('web', first.refresh_token)).status).toBe(200);
    expect(await flows.isActive(second.access_token)).toBe(false);
    await flows.revoke('web', second.refresh_token);
    expect(refusal(await flows.refresh('web', first.refresh_token))).toEqual(INVALID_GRANT);
    expect(await flows.areActive(second.access_token, second.refresh_token)).toEqual([false, false]);
  });

  test("#72 the end of a family does not affect other grants: the user's other devices keep working", async () => {
    const phone = await flows.tokens('native');
    const tablet = await flows.tokens('native');
    await flows.refreshed('native', phone.refresh_token);
    advance(60);
    expect(refusal(await flows.refresh('native', phone.refresh_token))).toEqual(INVALID_GRANT);
    expect(await flows.areActive(phone.access_token, tablet.access_token, tablet.refresh_token)).toEqual([
      false,
      true,
      true,
    ]);
    expect((await flows.refresh('native', tablet.refresh_token)).status).toBe(200);
  });

  test('#73 an unused refresh token expires at its idle limit, to the second', async () => {
    const early = await flows.tokens('web');
    const late = await flows.tokens('web');
    advance(14 * DAY - 1);
    expect((await flows.refresh('web', early.refresh_token)).status).toBe(200);
    advance(1);
    expect(refusal(await flows.refresh('web', late.refresh_token))).toEqual(INVALID_GRANT);
    expect(await flows.isActive(late.refresh_token)).toBe(false);
  });

  test('#73 rotation never extends the absolute lifetime (RFC 9700 §4.14.2)', async () => {
    const code = await flows.code('web');
    advance(59);
    const first = (await flows.redeem('web', code)).json;
    let refresh_token = String(first['refresh_token']);
    // Ten minutes short of ninety days after the owner's decision.
    for (const days of [13, 13, 13, 13, 13, 13, 12]) {
      advance(days * DAY - (days === 12 ? 600 + 59 : 0));
      ({ refresh_token } = await flows.refreshed('web', refresh_token));
    }
    advance(599);
    const last = await flows.refreshed('web', refresh_token);
    expect(last.expires_in).toBe(1);
    const { exp } = (await flows.introspect(last.refresh_token, 'web')).json;
    advance(1);
    expect(await flows.areActive(last.access_token, last.refresh_token)).toEqual([false, false]);
    expect(Number(exp) * 1000).toBe(options.runtime?.clock?.());
    expect(refusal(await flows.refresh('web', last.refresh_token))).toEqual(INVALID_GRANT);
  });

  test('#74 a disabled user gets invalid_grant, and can refresh again once enabled (RFC 6749 §10.4)', async () => {
    const { refresh_token } = await flows.tokens('web', {}, 'bob');
    disabledUsers.add('bob');
    expect(refusal(await flows.refresh('web', refresh_token))).toEqual(INVALID_GRANT);
    disabledUsers.delete('bob');
    const next = await flows.refreshed('web', refresh_token);
    disabledUsers.add('bob');
    expect(refusal(await flows.refresh('web', refresh_token)), 'a retry in the grace window').toEqual(INVALID_GRANT);
    disabledUsers.delete('bob');
    expect(next.refresh_token).toEqual(expect.any(String));
  });

  test('#74 withdrawn consent is invalid_grant; grants.revoke ends its access tokens too', async () => {
    const { refresh_token, access_token } = await flows.tokens('web');
    const created = events.findLast((event) => event.type === 'grant.created');
    const grant_id = created?.grant_id ?? '';
    withdrawn.add(grant_id);
    expect(refusal(await flows.refresh('web', refresh_token))).toEqual(INVALID_GRANT);
    expect(await flows.isActive(access_token)).toBe(true);
    await running.grants.revoke(grant_id);
    expect(await flows.areActive(access_token, refresh_token)).toEqual([false, false]);
    withdrawn.clear();
    expect(refusal(await flows.refresh('web', refresh_token))).toEqual(INVALID_GRANT);
  });

  test('grants.revoke without a name is an error', async () => {
    const { revoke, forgetConsent } = running.grants as unknown as Record<string, (given: unknown) => Promise<void>>; // As JavaScript sees it.
    await expect(revoke?.('')).rejects.toMatchObject({
      code: 'OQ100',
      message: 'grants.revoke: grant_id must be a non-empty string.',
    });
    await expect(revoke?.({ sub: 'alice', client_id: undefined })).rejects.toThrow(
      'client_id must be a non-empty string',
    );
    for (const given of [undefined, null, 1, {}, { owner: 'alice' }, { sub: 'alice', grant_id: 'x' }])
      await expect(revoke?.(given)).rejects.toMatchObject({
        code: 'OQ100',
        message: 'grants.revoke takes { grant_id } or { sub } or { client_id } or { sub, client_id } or { issuer }.',
      });
    await expect(forgetConsent?.('alice')).rejects.toThrow('grants.forgetConsent: sub must be a non-empty string.');
    await expect(forgetConsent?.({ sub: 'alice' })).rejects.toThrow(
      'grants.forgetConsent: client_id must be a non-empty string',
    );
  });

  test('#74 a disabled client cannot refresh and its tokens are inactive', async () => {
    changing = CHANGING;
    const { refresh_token, access_token } = await flows.tokens('changing');
    changing = { ...CHANGING, disabled: true };
    expect(refusal(await flows.refresh('changing', refresh_token))).toEqual([401, 'invalid_client']);
    expect(await flows.areActive(access_token, refresh_token)).toEqual([false, false]);
    expect((await flows.guarded('profile', access_token)).status).toBe(401);
    changing = CHANGING;
    expect((await flows.refresh('changing', refresh_token)).status).toBe(200);
  });

  test('#74 a scope that the client no longer has is removed from the next token; losing all is invalid_grant', async () => {
    changing = CHANGING;
    const first = await flows.tokens('changing', { scope: 'profile content.read' });
    changing = { ...CHANGING, scope: 'content.read' };
    const second = await flows.refreshed('changing', first.refresh_token);
    expect(second.scope).toBe('content.read');
    changing = { ...CHANGING, scope: 'content.write' };
    expect(refusal(await flows.refresh('changing', second.refresh_token))).toEqual(INVALID_GRANT);
    changing = CHANGING;
  });

  test('#75 the correct token with failed client authentication is invalid_client, and remains valid (RFC 6749 §6)', async () => {
    const { refresh_token } = await flows.tokens('web');
    const form = { grant_type: 'refresh_token', refresh_token };
    const size = store.size;
    const failing = [
      await flows.client.post('/oauth/token', form),
      await flows.client.post('/oauth/token', { ...form, client_id: 'web' }),
      await flows.client.post('/oauth/token', { ...form, client_id: 'web', client_secret: 'wrong' }),
      await flows.client.post('/oauth/token', form, basic('web', 'wrong')),
      await flows.client.post('/oauth/token', form, basic('web', '')),
      await flows.client.post('/oauth/token', form, basic('nobody', 'web-secret')),
    ];
    expect(failing.map(refusal)).toEqual(failing.map(() => [401, 'invalid_client']));
    // The limiter counts one record per client that failed and nothing else was written.
    expect(store.size).toBeLessThanOrEqual(size + failing.length);
    expect((await flows.refresh('web', refresh_token)).status).toBe(200);
  });
});

describe('refreshing with other limits', () => {
  test('#70 a grace window of 0 disables it: any second use ends the family', async () => {
    const [host] = oneHostEach;
    const flows = new Flows(await host.start(fixture({ lifetimes: { refreshGrace: 0 } })));
    const first = await flows.tokens('web');
    const second = await flows.refreshed('web', first.refresh_token);
    expect(refusal(await flows.refresh('web', first.refresh_token))).toEqual(INVALID_GRANT);
    expect(await flows.areActive(second.access_token, second.refresh_token)).toEqual([false, false]);
  });

  test('#73 a retry within the grace window returns nothing that has expired', async () => {
    const [host] = oneHostEach;
    const { options, advance, errors } = fixture({ lifetimes: { refreshTokenIdle: 5, accessToken: 5 } });
    const flows = new Flows(await host.start({ options }));
    const { refresh_token } = await flows.tokens('web');
    expect((await flows.refresh('web', refresh_token)).status).toBe(200);
    advance(5);
    expect(refusal(await flows.refresh('web', refresh_token))).toEqual(INVALID_GRANT);
    expect(errors).toEqual([]);
  });

  test('#68 without the refresh grant, no client gets a refresh token', async () => {
    const [host] = oneHostEach;
    const flows = new Flows(await host.start(fixture({ grants: ['authorization_code', 'device_code'] })));
    const code = await flows.code('web');
    expect((await flows.redeem('web', code)).json).not.toHaveProperty('refresh_token');
    expect(refusal(await flows.refresh('web', 'x'.repeat(65)))).toEqual([400, 'unsupported_grant_type']);
  });
});
