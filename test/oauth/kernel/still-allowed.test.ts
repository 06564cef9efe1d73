import { describe, expect, test } from 'vitest';
import { hostFor, useHost } from '../../hosts.js';
import { Browser, responseOf } from '../support/browser.js';
import { CLIENTS, fixture, USERS } from '../support/fixture.js';
import { Flows, refusal } from '../support/tokens.js';

describe.each(hostFor(import.meta.url))('a grant withdrawn before it was redeemed, on $name', (host) => {
  const state = { isActive: true, isValid: true, change: {} };
  const { options, store } = fixture();
  const find = (client_id: string) => {
    const client = CLIENTS.find((one) => one.client_id === client_id);
    return client && { ...client, ...state.change };
  };
  const users = {
    authenticate: (username: string, password: string) =>
      USERS.some((user) => user.username === username && user.password === password) && { sub: username },
    isActive: () => state.isActive,
  };
  const running = useHost(host, {
    options: { ...options, clients: { find }, users, validateGrant: () => state.isValid },
  });
  const flows = new Flows(running);

  test.each(['isActive', 'isValid'] as const)(
    '#74 neither a code nor a device code yields tokens while %s is false, and neither is used up (RFC 6749 §10.4)',
    async (which) => {
      const code = await flows.code('web');
      const codes = await flows.device('tv');
      await flows.decide(codes, 'approve');
      const { size } = store;
      state[which] = false;
      expect(refusal(await flows.redeem('web', code))).toEqual([400, 'invalid_grant']);
      expect(refusal(await flows.poll('tv', codes.device_code))).toEqual([400, 'invalid_grant']);
      expect(store.size).toBe(size);
      state[which] = true;
      expect((await flows.redeem('web', code)).status).toBe(200);
      expect((await flows.poll('tv', codes.device_code)).status).toBe(200);
    },
  );

  test('#74 neither a code nor a device code yields a scope that the client no longer has; losing all is invalid_grant', async () => {
    const scope = 'content.read content.write';
    const code = await flows.code('web', { scope });
    const codes = await flows.device('tv', { scope });
    await flows.decide(codes, 'approve');
    state.change = { scope: 'profile', default_scope: 'profile' };
    expect(refusal(await flows.redeem('web', code))).toEqual([400, 'invalid_grant']);
    expect(refusal(await flows.poll('tv', codes.device_code))).toEqual([400, 'invalid_grant']);
    state.change = { scope: 'content.read', default_scope: 'content.read' };
    expect((await flows.redeem('web', code)).json['scope']).toBe('content.read');
    expect((await flows.poll('tv', codes.device_code)).json['scope']).toBe('content.read');
    state.change = {};
  });

  test.each([
    [{ scope: 'profile', default_scope: 'profile' }, 'invalid_scope'],
    [{ grant_types: ['client_credentials'] }, 'unauthorized_client'],
  ])('#74 a client that may no longer request it gets no code: %j is %s', async (change, error) => {
    const browser = new Browser(running);
    const asked = { client_id: 'web', redirect_uri: 'https://app.example/cb', scope: 'content.write' };
    const page = await browser.signIn(await browser.authorize({ ...asked, response_type: 'code' }));
    state.change = change;
    const answer = responseOf(await browser.submit(page, { decision: 'approve' }));
    expect([answer['error'], answer['code']]).toEqual([error, undefined]);
    state.change = {};
  });
});
