import { describe, expect, test } from 'vitest';
import { basic, hostFor, useHost } from '../../hosts.js';
import { fixture } from '../support/fixture.js';
import { Flows, refusal } from '../support/tokens.js';

const SECOND = {
  client_id: 'second',
  client_secret: 'second-secret',
  redirect_uris: ['https://second.example/cb'],
} as const;

describe.each(hostFor(import.meta.url))('revocation on $name', (host) => {
  const { options, events, errors, advance } = fixture({ clients: [SECOND] });

  const running = useHost(host, { options }, errors);
  const flows = new Flows(running, [SECOND]);

  test('#96 unknown, expired and already revoked tokens are 200 with the JSON body {} (RFC 7009 §2.2)', async () => {
    const expired = await flows.tokens('web');
    const revoked = await flows.tokens('web');
    const used = await flows.code('web');
    await flows.redeem('web', used);
    const { device_code } = await flows.device('tv');
    expect((await flows.revoke('web', revoked.refresh_token)).status).toBe(200);
    advance(14 * 86_400);
    const live = await flows.code('web');
    const tokens = ['unknown', 'x'.repeat(43), 'x'.repeat(65), expired.access_token, expired.refresh_token];
    for (const token of [...tokens, revoked.refresh_token, revoked.access_token, used, live, device_code]) {
      const answer = await flows.revoke('web', token);
      expect([answer.status, answer.text]).toEqual([200, '{}']);
      expect(answer.headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-store',
      });
    }
    expect((await flows.redeem('web', live)).status, 'a code is no token').toBe(200);
  });

  test('#96 a request without a token is invalid_request', async () => {
    expect(refusal(await flows.post('/oauth/revoke', 'web', {}))).toEqual([400, 'invalid_request']);
  });

  test.each(['web', 'native'])(
    "#97 revoking %s's refresh token makes the grant's access tokens inactive immediately (RFC 7009 §2.1)",
    async (client_id) => {
      const first = await flows.tokens(client_id);
      const second = await flows.refreshed(client_id, first.refresh_token);
      const other = await flows.tokens(client_id);
      expect((await flows.revoke(client_id, second.refresh_token)).status).toBe(200);
      expect(await flows.areActive(first.access_token, second.access_token, second.refresh_token)).toEqual([
        false,
        false,
        false,
      ]);
      expect((await flows.guarded('profile', second.access_token)).status).toBe(401);
      expect(refusal(await flows.refresh(client_id, second.refresh_token))).toEqual([400, 'invalid_grant']);
      expect(await flows.areActive(other.access_token, other.refresh_token), 'another grant').toEqual([true, true]);
      expect(events).toContainEqual(
        expect.objectContaining({ type: 'grant.revoked', reason: 'revocation', client_id }),
      );
    },
  );

  test('#97 a revoked access token is an event of its own', async () => {
    const { access_token } = await flows.tokens('web');
    await flows.revoke('web', access_token);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'token.revoked', client_id: 'web', grant_id: expect.any(String) }),
    );
  });

  test('#97 a rotated refresh token still revokes its grant', async () => {
    const first = await flows.tokens('native');
    const second = await flows.refreshed('native', first.refresh_token);
    expect((await flows.revoke('native', first.refresh_token)).status).toBe(200);
    expect(await flows.areActive(second.access_token, second.refresh_token)).toEqual([false, false]);
  });

  test('#97 revoking an access token does not affect the rest of the grant', async () => {
    const first = await flows.tokens('web');
    expect((await flows.revoke('web', first.access_token)).status).toBe(200);
    expect(await flows.areActive(first.access_token, first.refresh_token)).toEqual([false, true]);
    const { access_token } = await flows.ownTokens();
    expect((await flows.revoke('service', access_token)).status).toBe(200);
    expect(await flows.isActive(access_token)).toBe(false);
  });

  test('#97 a wrong or unknown token_type_hint changes nothing (RFC 7009 §2.1)', async () => {
    for (const token_type_hint of ['access_token', 'nonsense']) {
      const { refresh_token, access_token } = await flows.tokens('web');
      expect((await flows.revoke('web', refresh_token, { token_type_hint })).status).toBe(200);
      expect(await flows.areActive(refresh_token, access_token)).toEqual([false, false]);
    }
  });

  test('#98 a live token of another client is rejected with 400 and remains active (RFC 7009 §2.1)', async () => {
    const first = await flows.tokens('web');
    const { access_token, refresh_token } = await flows.refreshed('web', first.refresh_token);
    for (const client_id of ['second', 'native', 'service']) {
      for (const token of [access_token, refresh_token]) {
        expect(refusal(await flows.revoke(client_id, token))).toEqual([400, 'invalid_grant']);
      }
      expect((await flows.revoke(client_id, first.refresh_token)).status, 'one that is not live').toBe(200);
    }
    expect(await flows.areActive(access_token, refresh_token)).toEqual([true, true]);
  });

  test('#99 a public client revokes its own token with client_id alone (RFC 7009 §2.1)', async () => {
    const { access_token } = await flows.tokens('spa');
    const answer = await flows.client.post('/oauth/revoke', { token: access_token, client_id: 'spa' });
    expect([answer.status, answer.text]).toEqual([200, '{}']);
    expect(await flows.isActive(access_token)).toBe(false);
  });

  test('#99 a confidential client must authenticate, else 401 invalid_client', async () => {
    const { access_token, refresh_token } = await flows.tokens('web');
    for (const token of [access_token, refresh_token]) {
      const failing = [
        await flows.client.post('/oauth/revoke', { token }),
        await flows.client.post('/oauth/revoke', { token, client_id: 'web' }),
        await flows.client.post('/oauth/revoke', { token }, basic('web', 'wrong')),
        await flows.client.post('/oauth/revoke', { token, client_id: 'native', client_secret: 'web-secret' }),
      ];
      expect(failing.map(refusal)).toEqual(failing.map(() => [401, 'invalid_client']));
    }
    expect(await flows.areActive(access_token, refresh_token)).toEqual([true, true]);
  });
});
