import { describe, expect, test } from 'vitest';
import { basic, hostFor, useHost } from '../../hosts.js';
import { fixture } from '../support/fixture.js';
import { Flows, refusal } from '../support/tokens.js';

const OTHER_WEB = {
  client_id: 'other-web',
  client_secret: 'other-secret',
  redirect_uris: ['https://other.example/cb', 'https://other.example/second'],
} as const;

const INVALID_GRANT = [400, 'invalid_grant'] as const;

describe.each(hostFor(import.meta.url))('redeeming a code on $name', (host) => {
  const { options, events, errors, advance } = fixture({ clients: [OTHER_WEB] });

  const running = useHost(host, { options }, errors);
  const flows = new Flows(running, [OTHER_WEB]);

  test('#58 success is 200 JSON with access_token, token_type and an integer expires_in (RFC 6749 §5.1)', async () => {
    const answer = await flows.redeem('web', await flows.code('web'));
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      pragma: 'no-cache',
    });
    expect(answer.json).toEqual({
      access_token: expect.stringMatching(/^[\w-]{43,}$/),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'profile content.read',
      refresh_token: expect.stringMatching(/^[\w-]{43,}$/),
    });
    expect(answer.json['access_token']).not.toBe(answer.json['refresh_token']);
    expect(events.at(-1)).toMatchObject({
      type: 'token.issued',
      grant_type: 'authorization_code',
      client_id: 'web',
      sub: 'alice',
    });
  });

  test('#58 scope lists the granted scopes if they differ from the request (RFC 6749 §5.1)', async () => {
    const asked = await flows.tokens('web', { scope: 'content.write profile content.write' });
    expect(asked.scope).toBe('content.write profile');
    const defaulted = await flows.tokens('web');
    expect(defaulted.scope).toBe('profile content.read');
  });

  test('#58 a public client only gets a refresh token if it is registered with rotating', async () => {
    expect(await flows.tokens('spa')).not.toHaveProperty('refresh_token');
    expect(await flows.tokens('native')).toHaveProperty('refresh_token');
  });

  test('#59 a second, fully valid redemption is invalid_grant and ends every token from the code (RFC 6749 §4.1.2, §10.5)', async () => {
    const code = await flows.code('web');
    const first = (await flows.redeem('web', code)).json;
    const second = await flows.refreshed('web', String(first['refresh_token']));
    const all = [String(first['access_token']), second.access_token, second.refresh_token];
    expect(await flows.areActive(...all)).toEqual([true, true, true]);

    expect(refusal(await flows.redeem('web', code))).toEqual(INVALID_GRANT);

    expect(await flows.areActive(...all)).toEqual([false, false, false]);
    expect((await flows.guarded('profile', second.access_token)).status).toBe(401);
    expect(refusal(await flows.refresh('web', second.refresh_token))).toEqual(INVALID_GRANT);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'replay.detected', kind: 'authorization_code', client_id: 'web' }),
    );
  });

  test('#59 a used code is remembered after its expiry, as long as its tokens may be valid', async () => {
    const code = await flows.code('spa');
    const { access_token } = (await flows.redeem('spa', code)).json;
    advance(3599);
    expect(await flows.isActive(String(access_token))).toBe(true);
    expect(refusal(await flows.redeem('spa', code))).toEqual(INVALID_GRANT);
    expect(await flows.isActive(String(access_token))).toBe(false);
  });

  test('#60 a replay that fails client authentication, client match, redirect URI or PKCE leaves the tokens active', async () => {
    const code = await flows.code('web');
    const form = flows.redemption('web', code);
    const { access_token } = (await flows.redeem('web', code)).json;
    const wrong = 'x'.repeat(43);
    const failing = [
      await flows.client.post('/oauth/token', form, basic('web', 'wrong')),
      await flows.redeem('other-web', code, { redirect_uri: flows.redirectUri('web') }),
      await flows.redeem('web', code, { code_verifier: wrong }),
      await flows.redeem('web', code, { code_verifier: '' }),
      await flows.redeem('web', code, { redirect_uri: 'https://app.example/other' }),
    ];
    expect(failing.map(refusal)).toEqual([
      [401, 'invalid_client'],
      INVALID_GRANT,
      INVALID_GRANT,
      INVALID_GRANT,
      INVALID_GRANT,
    ]);
    expect(await flows.isActive(String(access_token))).toBe(true);
  });

  test('#60 after any number of failed replays, a fully valid one still ends the grant', async () => {
    for (const wait of [0, 61]) {
      const code = await flows.code('web');
      const { access_token } = (await flows.redeem('web', code)).json;
      advance(wait);
      for (let n = 0; n < 5; n += 1) {
        expect(refusal(await flows.redeem('web', code, { code_verifier: 'x'.repeat(43) }))).toEqual(INVALID_GRANT);
      }
      expect(await flows.isActive(String(access_token))).toBe(true);
      expect(refusal(await flows.redeem('web', code))).toEqual(INVALID_GRANT);
      expect(await flows.isActive(String(access_token))).toBe(false);
    }
  });

  test('#62 a code of another client is invalid_grant, and its owner can still redeem it (RFC 6749 §4.1.3)', async () => {
    const code = await flows.code('web');
    for (let n = 0; n < 4; n += 1) {
      // Even with a wrong verifier a stranger does not use up the attempts of the client.
      const form = { redirect_uri: flows.redirectUri('web'), code_verifier: 'x'.repeat(43) };
      expect(refusal(await flows.redeem('other-web', code, form))).toEqual(INVALID_GRANT);
    }
    expect((await flows.redeem('web', code)).status).toBe(200);
  });

  test('#63 redirect_uri missing or different at the token endpoint is invalid_grant, and the code survives (RFC 6749 §4.1.3)', async () => {
    const code = await flows.code('other-web');
    for (const redirect_uri of [
      '',
      'https://other.example/second',
      'https://other.example/cb/',
      'https://other.example/cb?',
    ]) {
      expect(refusal(await flows.redeem('other-web', code, { redirect_uri }))).toEqual(INVALID_GRANT);
    }
    expect((await flows.redeem('other-web', code)).status).toBe(200);
  });

  test('#63 a redirect_uri omitted at the authorization endpoint may be omitted again', async () => {
    const left = await flows.code('web', { redirect_uri: [] });
    expect((await flows.redeem('web', left, { redirect_uri: '' })).status).toBe(200);
    const repeated = await flows.code('web', { redirect_uri: [] });
    expect(refusal(await flows.redeem('web', repeated, { redirect_uri: 'https://other.example/cb' }))).toEqual(
      INVALID_GRANT,
    );
  });

  test('#64 unknown, expired and used codes get the same body', async () => {
    const used = await flows.code('web');
    await flows.redeem('web', used);
    const expired = await flows.code('web');
    advance(60);
    const codes = [
      used,
      expired,
      'unknown',
      `${expired.slice(0, -2)}AA`,
      expired.slice(0, 22),
      'x'.repeat(65),
      'x'.repeat(43),
    ];
    const answers = [];
    for (const code of codes) answers.push(await flows.redeem('web', code));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(refusal(await flows.redeem('web', 'unknown'))).toEqual(INVALID_GRANT);
  });

  test('#64 a token or a device code is not an authorization code', async () => {
    const tokens = await flows.tokens('web');
    const spent = tokens.refresh_token;
    const { access_token, refresh_token } = await flows.refreshed('web', spent);
    const { device_code } = await flows.device('tv');
    for (const value of [spent, access_token, refresh_token, device_code]) {
      expect(refusal(await flows.redeem('web', value))).toEqual(INVALID_GRANT);
    }
    expect(await flows.areActive(access_token, refresh_token)).toEqual([true, true]);
  });
});
