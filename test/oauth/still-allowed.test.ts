import { describe, expect, test } from 'vitest';
import { hostFor, useHost } from '../hosts.js';
import { fixture, USERS } from './support/fixture.js';
import { Flows, refusal } from './support/tokens.js';

describe.each(hostFor(import.meta.url))('a grant withdrawn before it was redeemed, on $name', (host) => {
  const state = { isActive: true, isValid: true };
  const { options, store } = fixture();
  const users = {
    authenticate: (username: string, password: string) =>
      USERS.some((user) => user.username === username && user.password === password) && { sub: username },
    isActive: () => state.isActive,
  };
  const running = useHost(host, { options: { ...options, users, validateGrant: () => state.isValid } });
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
});
