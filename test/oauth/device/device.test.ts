import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { RandomSource } from '../../../src/core/base/secrets.js';
import { type Answer, basic, Client, hostFor, useHost } from '../../hosts.js';
import { Browser } from '../support/browser.js';
import { DEVICE_CODE, fixture } from '../support/fixture.js';
import { limitsOfTest } from '../support/limits.js';
import { proxiedHosts } from '../support/proxied.js';
import { Flows, refusal } from '../support/tokens.js';

const BOX = basic('box', 'box-secret');
const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';
const USER_CODE = /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/;

interface Codes {
  readonly device_code: string;
  readonly user_code: string;
}

const codesOf = ({ json, status }: Answer): Codes => {
  expect(status).toBe(200);
  return { device_code: String(json['device_code']), user_code: String(json['user_code']) };
};

describe.each(hostFor(import.meta.url))('$name', ({ start }) => {
  const { options, errors, events, advance } = fixture();
  const host = useHost({ start }, { options }, errors);
  const otherNode = useHost({ start }, { options: () => ({ ...options, issuer: host.base }) });

  const request = (
    form: Readonly<Record<string, string | readonly string[]>> = { client_id: 'tv' },
    headers = {},
  ): Promise<Answer> => new Client(host.base).post('/oauth/device', form, headers);
  const codes = async (): Promise<Codes> => codesOf(await request());
  const poll = (device_code: string, { client_id = 'tv', node = host, headers = {} } = {}): Promise<Answer> =>
    new Client(node.base).post('/oauth/token', { grant_type: DEVICE_CODE, client_id, device_code }, headers);

  describe('the device authorization request', () => {
    test('#79 an unknown client → invalid_client, a client without the grant → unauthorized_client (RFC 8628 §3.1)', async () => {
      expect(refusal(await request({ client_id: 'nobody' }))).toEqual([401, 'invalid_client']);
      expect(refusal(await request({}))).toEqual([401, 'invalid_client']);
      expect(refusal(await request({ client_id: 'spa' }))).toEqual([400, 'unauthorized_client']);
      expect(refusal(await request({}, basic('service', 'service-secret')))).toEqual([400, 'unauthorized_client']);
    });

    test('#79 a confidential client must authenticate, here and when it polls (RFC 8628 §3.1)', async () => {
      expect(refusal(await request({ client_id: 'box' }))).toEqual([401, 'invalid_client']);
      expect(refusal(await request({ client_id: 'box', client_secret: 'wrong' }))).toEqual([401, 'invalid_client']);
      expect((await request({ client_id: 'box', client_secret: 'box-secret' })).status).toBe(200);
      const { device_code } = codesOf(await request({}, BOX));
      expect(refusal(await poll(device_code, { client_id: 'box' }))).toEqual([401, 'invalid_client']);
      expect(refusal(await poll(device_code, { client_id: 'box', headers: BOX }))).toEqual([
        400,
        'authorization_pending',
      ]);
    });

    test('#79 a scope that the client may not request → invalid_scope', async () => {
      for (const scope of ['nonsense', 'introspect', 'profile  profile']) {
        expect(refusal(await request({ client_id: 'tv', scope }))).toEqual([400, 'invalid_scope']);
      }
    });

    test('#80 200 JSON with both codes, the URI, the lifetime and always the interval (RFC 8628 §3.2)', async () => {
      const { status, headers, json } = await request();
      expect([status, headers['content-type'], headers['cache-control']]).toEqual([
        200,
        'application/json; charset=utf-8',
        'no-store',
      ]);
      expect(json).toEqual({
        device_code: expect.stringMatching(/^[\w-]+$/),
        user_code: expect.stringMatching(USER_CODE),
        verification_uri: `${host.base}/oauth/device`,
        verification_uri_complete: `${host.base}/oauth/device?user_code=${String(json['user_code'])}`,
        expires_in: 600,
        interval: 5,
      });
      const scope = 'profile content.read';
      expect(events.at(-1)).toMatchObject({ type: 'device.requested', client_id: 'tv', scope });
    });

    test('#81 the device code has 256 random bits, the user code eight consonants, and both are unique (RFC 8628 §5.1, §5.2)', async () => {
      const made = await Promise.all(Array.from({ length: 20 }, codes));
      for (const { device_code } of made) expect(device_code).toMatch(/^[A-Za-z0-9_-]{43}$/);
      expect(new Set(made.map(({ device_code }) => device_code)).size).toBe(20);
      expect(new Set(made.map(({ user_code }) => user_code)).size).toBe(20);
    });
  });

  describe('polling', () => {
    test('#82 undecided → 400 authorization_pending, also for an immediate first poll (RFC 8628 §3.5)', async () => {
      const { device_code } = await codes();
      expect(refusal(await poll(device_code))).toEqual([400, 'authorization_pending']);
      advance(5);
      expect(refusal(await poll(device_code))).toEqual([400, 'authorization_pending']);
    });

    test('#83 sooner than the interval → 400 slow_down, and the interval grows by 5 s, on every node (RFC 8628 §3.5)', async () => {
      const { device_code } = await codes();
      const expected = [
        [0, host, 'authorization_pending'],
        [4, host, 'slow_down'], // From now on ten seconds.
        [10, otherNode, 'authorization_pending'],
        [9, otherNode, 'slow_down'], // Fifteen.
        [15, host, 'authorization_pending'],
        [14, host, 'slow_down'], // Twenty.
        [20, otherNode, 'authorization_pending'],
        [20, otherNode, 'authorization_pending'],
      ] as const;
      const answers: unknown[] = [];
      for (const [seconds, node] of expected) {
        advance(seconds);
        answers.push([seconds, node, (await poll(device_code, { node })).json['error']]);
      }
      expect(answers).toEqual(expected);
    });

    test('#83 the interval grows to at most a minute', async () => {
      const { device_code } = await codes();
      await poll(device_code);
      for (let n = 0; n < 20; n += 1) expect((await poll(device_code)).json['error']).toBe('slow_down');
      advance(59);
      expect((await poll(device_code)).json['error']).toBe('slow_down');
      advance(60);
      expect((await poll(device_code)).json['error']).toBe('authorization_pending');
    });

    test('#83 each device has its own interval', async () => {
      const [one, two] = [await codes(), await codes()];
      await poll(one.device_code);
      expect((await poll(one.device_code)).json['error']).toBe('slow_down');
      expect((await poll(two.device_code)).json['error']).toBe('authorization_pending');
    });

    test.each([
      ['approve', [200, undefined]],
      ['deny', [400, 'access_denied']],
    ] as const)(
      '#84 after the decision to %s, the next poll gets the final response at any time',
      async (decision, final) => {
        const { device_code, user_code } = await codes();
        await poll(device_code);
        expect((await poll(device_code)).json['error']).toBe('slow_down');
        await new Browser(host).decideDevice(user_code, { decision });
        expect(refusal(await poll(device_code, { node: otherNode }))).toEqual(final);
      },
    );

    test('#85 approved → tokens once, later polls → invalid_grant (RFC 8628 §3.5)', async () => {
      events.length = 0;
      const { device_code, user_code } = codesOf(await request({ client_id: 'tv', scope: 'profile content.write' }));
      await new Browser(host).decideDevice(user_code);
      const answer = await poll(device_code);
      expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
      expect(answer.json).toEqual({
        access_token: expect.any(String),
        refresh_token: expect.any(String),
        token_type: 'Bearer',
        expires_in: 3600,
        scope: 'profile content.write',
      });
      const guarded = await new Client(host.origin).get('/guarded/profile', {
        authorization: `Bearer ${String(answer.json['access_token'])}`,
      });
      expect(guarded.json).toMatchObject({ auth: { sub: 'alice', client_id: 'tv' } });
      for (let n = 0; n < 2; n += 1) expect(refusal(await poll(device_code))).toEqual([400, 'invalid_grant']);
      expect(events.filter(({ type }) => type === 'token.issued')).toHaveLength(1);
    });

    test('#86 denied → access_denied, every time, also after its expiry (RFC 8628 §3.5)', async () => {
      const { device_code, user_code } = await codes();
      await new Browser(host).decideDevice(user_code, { decision: 'deny' });
      for (const seconds of [0, 0, 601]) {
        advance(seconds);
        expect(refusal(await poll(device_code))).toEqual([400, 'access_denied']);
      }
    });

    test('#86 after its expiry → expired_token, decided or not (RFC 8628 §3.5)', async () => {
      const [waiting, approved] = [await codes(), await codes()];
      await new Browser(host).decideDevice(approved.user_code);
      advance(599);
      expect(refusal(await poll(waiting.device_code))).toEqual([400, 'authorization_pending']);
      advance(1);
      expect(refusal(await poll(waiting.device_code))).toEqual([400, 'expired_token']);
      expect(refusal(await poll(approved.device_code))).toEqual([400, 'expired_token']);
    });

    test('#86 unknown → invalid_grant; so is the code of another client, whose state does not change (RFC 8628 §3.5)', async () => {
      expect(refusal(await poll(''))).toEqual([400, 'invalid_request']);
      expect(refusal(await poll('x'.repeat(43)))).toEqual([400, 'invalid_grant']);
      const { device_code, user_code } = await codes();
      expect(refusal(await poll(user_code))).toEqual([400, 'invalid_grant']);
      const thief = { client_id: 'native' };
      for (let n = 0; n < 3; n += 1) expect(refusal(await poll(device_code, thief))).toEqual([400, 'invalid_grant']);
      // Had the thief's polls counted, this one would be too early.
      expect(refusal(await poll(device_code))).toEqual([400, 'authorization_pending']);
      await new Browser(host).decideDevice(user_code);
      expect(refusal(await poll(device_code, thief))).toEqual([400, 'invalid_grant']);
      expect(refusal(await poll(device_code))).toEqual([200, undefined]);
    });
  });
});

describe.each(hostFor(import.meta.url))('$name', ({ start }) => {
  test('#86 a device that polls late has its whole hour, also without a refresh token', async () => {
    const clients = [{ client_id: 'sign', grant_types: ['device_code'] }] as const;
    const { options, advance } = fixture({ clients, lifetimes: { deviceCode: 700 } });
    const flows = new Flows(await start({ options }), [{ client_id: 'sign' }]);
    const device = await flows.device('sign', { scope: 'profile' });
    expect(device).toMatchObject({ expires_in: 700 });
    await flows.decide(device, 'approve');
    advance(699);
    const { json } = await flows.poll('sign', device.device_code);
    expect(json).toMatchObject({ expires_in: 3600 });
    advance(3599);
    expect(await flows.isActive(String(json['access_token']))).toBe(true);
  });

  test('#81 a user code of another live device is not issued again (RFC 8628 §6.1)', async () => {
    // The process reads nine bytes for its name; two devices read 32 for the device code, 12 for the record and eight for the user code: let both find the same eight.
    const random = (size: number): Uint8Array => {
      const bytes = randomBytes(size);
      if (size < 4096) return bytes;
      for (const at of [53, 105]) bytes.set([0, 1, 2, 3, 4, 5, 6, 7], at);
      bytes.set([8, 9, 10, 11, 12, 13, 14, 15], 113);
      return bytes;
    };
    const host = await start(fixture({ runtime: { random } }));
    const codes: unknown[] = [];
    for (let n = 0; n < 2; n += 1)
      codes.push((await new Client(host.base).post('/oauth/device', { client_id: 'tv' })).json['user_code']);
    expect(codes).toEqual(['BCDF-GHJK', 'LMNP-QRST']);
  });
});

describe('user codes', () => {
  test('#81 every letter is equally likely (RFC 8628 §6.1)', () => {
    // Every byte comes equally often, so each of the twenty letters must too.
    let next = 0;
    const everyByte = (size: number): Uint8Array => Uint8Array.from({ length: size }, () => next++ % 256);
    const text = new RandomSource(everyByte).letters(240 * 16, ALPHABET);
    const counts = ALPHABET.split('').map((letter) => text.split(letter).length - 1);
    expect(counts).toEqual(Array.from({ length: 20 }, () => 12 * 16));
  });
});

describe.each(proxiedHosts.slice(0, 1))('$name behind a proxy', ({ start }) => {
  const BODY = {
    error: 'temporarily_unavailable',
    error_description: 'Too many device codes were requested from this address.',
  };
  const ask = (
    base: string,
    ip: string,
    form: Readonly<Record<string, string>> = { client_id: 'tv' },
  ): Promise<Answer> => new Client(base).post('/oauth/device', form, { 'x-forwarded-for': ip });

  test('public clients get a limited number of codes per address and minute, then 429 until the minute is over (RFC 8628 §3.2)', async () => {
    limitsOfTest({ deviceRequests: 3 });
    const { options, events, advance } = fixture();
    const host = await start(options);
    for (let n = 0; n < 3; n += 1) expect((await ask(host.base, '192.0.2.1')).status).toBe(200);
    advance(17.5);
    const refused = await ask(host.base, '192.0.2.1', { client_id: 'native' });
    expect([refused.status, refused.json, refused.headers['retry-after']]).toEqual([429, BODY, '43']);
    expect((await ask(host.base, '192.0.2.1')).status).toBe(429);
    const told = events.filter(({ type }) => type === 'limit.reached');
    expect(told).toMatchObject([{ type: 'limit.reached', limit: 'device', ip: '192.0.2.1' }]);
    expect((await ask(host.base, '192.0.2.2')).status).toBe(200);
    const confidential = await ask(host.base, '192.0.2.1', { client_id: 'box', client_secret: 'box-secret' });
    expect(confidential.status).toBe(200);
    advance(42.5);
    expect((await ask(host.base, '192.0.2.1')).status).toBe(200);
  });

  test('rejected requests do not count, and all callers of an IPv6 network count together', async () => {
    limitsOfTest({ deviceRequests: 1 });
    const host = await start(fixture().options);
    for (let n = 0; n < 3; n += 1)
      expect((await ask(host.base, '2001:db8::1', { client_id: 'tv', scope: 'nonsense' })).status).toBe(400);
    expect((await ask(host.base, '2001:db8::1')).status).toBe(200);
    expect((await ask(host.base, '2001:db8::2')).status).toBe(429);
    expect((await ask(host.base, '2001:db8:0:1::2')).status).toBe(200);
  });
});
