import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Store } from '../../../src/core/base/ports.js';
import { parseCode } from '../../../src/core/oauth/records/chain-record.js';
import { type Answer, basic, Client, hostFor, useHost } from '../../hosts.js';
import { everyRow } from '../../rows.js';
import { type AuthorizationParameters, Browser, locationOf, PKCE, responseOf } from '../support/browser.js';
import { fixture } from '../support/fixture.js';
import { distantStore, withoutGetMany } from '../support/stores.js';
import { refusal } from '../support/tokens.js';

const s256 = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

const SPA = { response_type: 'code', client_id: 'spa' } as const;
const PLAIN = { response_type: 'code', client_id: 'plain' } as const;
const WEB = { response_type: 'code', client_id: 'web' } as const;
const WEB_CREDENTIALS = basic('web', 'web-secret');

const CLIENTS = [
  { client_id: 'plain', redirect_uris: ['https://plain.example/cb'], code_challenge_methods: ['plain', 'S256'] },
  {
    client_id: 'strict',
    client_secret: 'strict-secret',
    redirect_uris: ['https://strict.example/cb'],
    require_pkce: true,
  },
] as const;

const errorOf = (answer: Answer): string | undefined => {
  expect([302, 303]).toContain(answer.status);
  return responseOf(answer)['error'];
};

describe.each(hostFor(import.meta.url))('$name', ({ start }) => {
  const { options, errors } = fixture({ clients: CLIENTS });

  const host = useHost({ start }, { options }, errors);
  const browser = new Browser(host);
  beforeAll(async () => {
    await browser.signIn(await browser.authorize(WEB));
  });

  const codeFor = async (parameters: AuthorizationParameters): Promise<string> => {
    const { code = '' } = responseOf(await browser.authorizeFor(parameters));
    expect(code).not.toBe('');
    return code;
  };
  const redeem = (form: Readonly<Record<string, string>>, headers = {}): Promise<Answer> =>
    new Client(host.base).post('/oauth/token', { grant_type: 'authorization_code', ...form }, headers);
  /** Refused, and nothing was issued. */
  const expectRefused = (answer: Answer, error: string): void => {
    expect(refusal(answer)).toEqual([400, error]);
    expect(answer.json).not.toHaveProperty('access_token');
  };

  test('#38 a public client without code_challenge → redirect invalid_request (RFC 9700 §2.1.1)', async () => {
    for (const client_id of ['spa', 'native', 'plain', 'strict']) {
      expect(errorOf(await browser.authorize({ ...SPA, client_id }))).toBe('invalid_request');
    }
    expect(errorOf(await browser.authorize({ ...SPA, code_challenge: '' }))).toBe('invalid_request');
  });

  test('#39 a challenge without a method means plain, which a client must have registered (RFC 7636 §4.3)', async () => {
    const { challenge: code_challenge } = PKCE;
    expect(errorOf(await browser.authorize({ ...SPA, code_challenge }))).toBe('invalid_request');
    expect(errorOf(await browser.authorize({ ...SPA, code_challenge, code_challenge_method: 'plain' }))).toBe(
      'invalid_request',
    );
    expect(errorOf(await browser.authorize({ ...WEB, code_challenge }))).toBe('invalid_request');
    for (const request of [
      { ...PLAIN, code_challenge },
      { ...PLAIN, code_challenge, code_challenge_method: 'plain' },
    ]) {
      const code = await codeFor(request);
      // What would satisfy S256 does not satisfy plain.
      expectRefused(await redeem({ client_id: 'plain', code, code_verifier: PKCE.verifier }), 'invalid_grant');
      expect((await redeem({ client_id: 'plain', code, code_verifier: code_challenge })).status).toBe(200);
    }
  });

  test('#39 an unknown code_challenge_method is invalid_request (RFC 7636 §4.4.1)', () =>
    everyRow(['s256', 'S512', 'PLAIN', 'none', 'constructor', 'S256 plain'], async (code_challenge_method) => {
      for (const client_id of ['spa', 'plain', 'web']) {
        const request = { response_type: 'code', client_id, code_challenge: PKCE.challenge, code_challenge_method };
        expect(errorOf(await browser.authorize(request))).toBe('invalid_request');
      }
    }));

  test('#40 a malformed challenge is invalid_request (RFC 7636 §4.2)', async () => {
    await everyRow(['a'.repeat(42), 'a'.repeat(129), `${'a'.repeat(43)} `], async (code_challenge) => {
      const request = { ...PLAIN, code_challenge, code_challenge_method: 'plain' };
      expect(errorOf(await browser.authorize(request))).toBe('invalid_request');
    });
    await everyRow(
      [
        ['shorter than a hash', PKCE.challenge.slice(1)],
        ['longer than a hash', `${PKCE.challenge}A`],
        ['with padding', `${PKCE.challenge}=`],
        ['in hexadecimal', createHash('sha256').update(PKCE.verifier).digest('hex')],
        ['in base64', `${PKCE.challenge.slice(1)}+`],
        ['with a tilde, which base64url has not', `${PKCE.challenge.slice(1)}~`],
        ['repeated', [PKCE.challenge, PKCE.challenge]],
      ],
      async ([, code_challenge]) => {
        expect(errorOf(await browser.authorize({ ...SPA, code_challenge, code_challenge_method: 'S256' }))).toBe(
          'invalid_request',
        );
      },
    );
  });

  test('#40 a method without a challenge → invalid_request, for confidential clients too (RFC 7636 §4.2)', async () => {
    for (const client_id of ['spa', 'web']) {
      const request = { response_type: 'code', client_id, code_challenge_method: 'S256' };
      expect(errorOf(await browser.authorize(request))).toBe('invalid_request');
    }
  });

  test('#41 verifier missing or wrong → 400 invalid_grant, no token; the correct one still works (RFC 7636 §4.6)', async () => {
    const code = await codeFor({ ...SPA, ...PKCE.request });
    expectRefused(await redeem({ client_id: 'spa', code }), 'invalid_grant');
    expectRefused(await redeem({ client_id: 'spa', code, code_verifier: '' }), 'invalid_grant');
    expectRefused(await redeem({ client_id: 'spa', code, code_verifier: `${PKCE.verifier}x` }), 'invalid_grant');
    expectRefused(await redeem({ client_id: 'spa', code, code_verifier: PKCE.challenge }), 'invalid_grant');
    expect((await redeem({ client_id: 'spa', code, code_verifier: PKCE.verifier })).status).toBe(200);
  });

  test('#41 a secret does not replace the verifier, nor the verifier the secret (RFC 7636 §4.6; RFC 6749 §3.2.1)', async () => {
    const code = await codeFor({ ...WEB, ...PKCE.request });
    expectRefused(await redeem({ code }, WEB_CREDENTIALS), 'invalid_grant');
    expect((await redeem({ client_id: 'web', code, code_verifier: PKCE.verifier })).json['error']).toBe(
      'invalid_client',
    );
    expect((await redeem({ code, code_verifier: PKCE.verifier }, WEB_CREDENTIALS)).status).toBe(200);
  });

  test.each([
    ['shorter than 43', 'a'.repeat(42)],
    ['longer than 128', 'a'.repeat(129)],
    ['with a character that is not ASCII', `${'a'.repeat(43)}\u00e9`],
    ['with a space', `${'a'.repeat(43)} `],
  ])('#42 a verifier %s → 400, even if its hash matches (RFC 7636 §4.1)', async (_what, verifier) => {
    const request = { code_challenge: s256(verifier), code_challenge_method: 'S256' };
    const code = await codeFor({ ...SPA, ...request });
    const answer = await redeem({ client_id: 'spa', code, code_verifier: verifier });
    expect([answer.status, answer.json['access_token']]).toEqual([400, undefined]);
    expect(answer.json['error_description']).toMatch(/43 to 128 visible ASCII|must not have/);
  });

  test('#42 a verifier of 43 to 128 characters works, also with the padding of base64: the hash is the proof (RFC 7636 §4.1)', async () => {
    for (const length of [43, 128]) {
      const verifier = '-._~'.padEnd(length, 'aZ9');
      const code = await codeFor({ ...SPA, code_challenge: s256(verifier), code_challenge_method: 'S256' });
      expect((await redeem({ client_id: 'spa', code, code_verifier: verifier })).status).toBe(200);
    }
    const verifier = 'ZXJNdWJ5aDRmdXc3c2dqZ2g3bGZ6cHVnYmV6ZGh4cXU=';
    for (const request of [
      { ...SPA, code_challenge: s256(verifier), code_challenge_method: 'S256' },
      { ...PLAIN, code_challenge: verifier, code_challenge_method: 'plain' },
    ]) {
      const code = await codeFor(request);
      const { client_id } = request;
      for (const other of [verifier.slice(0, -1), `${verifier}=`]) {
        const answer = await redeem({ client_id, code, code_verifier: other });
        expectRefused(answer, 'invalid_grant');
        expect(answer.json['error_description']).toContain('does not match the code_challenge');
      }
      expect((await redeem({ client_id, code, code_verifier: verifier })).status).toBe(200);
    }
  });

  test('#43 a verifier for a code that was issued without a challenge → 400 invalid_request, no token (RFC 9700 §2.1.1, §4.8.2)', async () => {
    const code = await codeFor(WEB);
    expectRefused(await redeem({ code, code_verifier: PKCE.verifier }, WEB_CREDENTIALS), 'invalid_request');
    expect((await redeem({ code }, WEB_CREDENTIALS)).status).toBe(200);
  });

  test('#44 code_challenge and its method at the token endpoint have no effect', async () => {
    const other = 'b'.repeat(43);
    const code = await codeFor({ ...SPA, ...PKCE.request });
    const form = { client_id: 'spa', code, code_challenge: s256(other), code_challenge_method: 'S256' };
    expectRefused(await redeem({ ...form, code_verifier: other }), 'invalid_grant');
    expectRefused(
      await redeem({ ...form, code_challenge: other, code_challenge_method: 'plain', code_verifier: other }),
      'invalid_grant',
    );
    expect((await redeem({ ...form, code_verifier: PKCE.verifier })).status).toBe(200);
  });

  test('#45 after three wrong verifiers the code is invalid: then the correct one → invalid_grant', async () => {
    const code = await codeFor({ ...SPA, ...PKCE.request });
    const wrong = { client_id: 'spa', code, code_verifier: 'x'.repeat(43) };
    for (let n = 0; n < 3; n += 1) expectRefused(await redeem(wrong), 'invalid_grant');
    expectRefused(await redeem({ ...wrong, code_verifier: PKCE.verifier }), 'invalid_grant');
  });

  test('#45 two wrong ones do not invalidate it, nor do any number from another client', async () => {
    const code = await codeFor({ ...SPA, ...PKCE.request });
    const wrong = { code, code_verifier: 'x'.repeat(43) };
    for (let n = 0; n < 5; n += 1) expectRefused(await redeem({ ...wrong, client_id: 'plain' }), 'invalid_grant');
    for (let n = 0; n < 2; n += 1) expectRefused(await redeem({ ...wrong, client_id: 'spa' }), 'invalid_grant');
    expect((await redeem({ client_id: 'spa', code, code_verifier: PKCE.verifier })).status).toBe(200);
  });

  test('#46 the metadata lists the methods exactly as enforced (RFC 9700 §2.1.1)', async () => {
    const { json } = await new Client(host.base).get('/.well-known/oauth-authorization-server');
    expect(json['code_challenge_methods_supported']).toEqual(['S256', 'plain']);
  });
});

/** A store that damages the codes it is asked for. */
const forgetful = (store: Store, damage: (code: string) => string): Store => ({
  ...withoutGetMany(store),
  get: async (key) => {
    const record = await store.get(key);
    return record !== undefined && key.includes(':chain:')
      ? { ...record, code: damage(String(Reflect.get(record, 'code'))) }
      : record;
  },
});

describe.each(hostFor(import.meta.url))('$name', ({ start }) => {
  test.each([
    ['challenge', (code: string) => code.replace(PKCE.challenge, '-')],
    ['text of the challenge', (code: string) => code.replace(PKCE.challenge, '')],
    ['method', (code: string) => code.replace(' S256 ', ' - ')],
    ['text of the method', (code: string) => code.replace(' S256 ', '  ')],
    ['challenge and the method', (code: string) => code.replace(` S256 ${PKCE.challenge}`, '')],
  ])('#44 a store that loses the %s fails closed', async (_what, damage) => {
    const { options, errors, store } = fixture();
    const host = await start({ options: { ...options, store: forgetful(store, damage) } });
    const { code = '' } = responseOf(await new Browser(host).authorizeFor({ ...SPA, ...PKCE.request }));
    for (const proof of [{}, { code_verifier: PKCE.verifier }]) {
      const answer = await new Client(host.base).post('/oauth/token', {
        grant_type: 'authorization_code',
        client_id: 'spa',
        code,
        ...proof,
      });
      expect(refusal(answer)).toEqual([503, 'temporarily_unavailable']);
    }
    const invalidRecord = expect.stringMatching(/^UnavailableError: .*damaged chain/);
    expect(errors.map(String)).toEqual([invalidRecord, invalidRecord]);
  });

  test('#45 three wrong ones at once are three', async () => {
    const { options, store, clock } = fixture();
    const host = await start({ options: { ...options, store: distantStore(store, 5), runtime: { clock } } });
    for (let round = 0; round < 5; round += 1) {
      const { code = '' } = responseOf(await new Browser(host).authorizeFor({ ...SPA, ...PKCE.request }));
      const form = { grant_type: 'authorization_code', client_id: 'spa', code };
      const guess = (code_verifier: string) => new Client(host.base).post('/oauth/token', { ...form, code_verifier });
      await Promise.all(Array.from({ length: 3 }, () => guess('x'.repeat(43))));
      expect((await guess(PKCE.verifier)).json['error']).toBe('invalid_grant');
    }
  });

  test('#45 sixty guesses at once: only those already running at the last miss are checked', async () => {
    const { options, store, clock } = fixture();
    let swaps = 0;
    const watched: Store = {
      ...withoutGetMany(store),
      swap: (...record) => {
        swaps += 1;
        return store.swap(...record);
      },
    };
    const host = await start({ options: { ...options, store: distantStore(watched, 7), runtime: { clock } } });
    const { code = '' } = responseOf(await new Browser(host).authorizeFor({ ...SPA, ...PKCE.request }));
    const form = { grant_type: 'authorization_code', client_id: 'spa', code };
    const guess = (code_verifier: string) => new Client(host.base).post('/oauth/token', { ...form, code_verifier });
    const wrong = await Promise.all(Array.from({ length: 60 }, () => guess('x'.repeat(43))));
    expect(wrong.map(({ json }) => json['error'])).toEqual(wrong.map(() => 'invalid_grant'));
    const chains = [...store.entries()].filter(([key]) => key.includes(':chain:'));
    expect(chains.map(([, chain]) => parseCode(String(Reflect.get(chain, 'code'))).failures)).toEqual([3]);
    expect(swaps).toBeGreaterThanOrEqual(3);
    swaps = 0;
    const answers = await Promise.all(Array.from({ length: 60 }, () => guess(PKCE.verifier)));
    expect(answers.map(({ json }) => json['error'])).toEqual(answers.map(() => 'invalid_grant'));
    expect(swaps, 'none of the second sixty').toBe(0);
  });

  test('#38 an option requires PKCE of every client (RFC 9700 §2.1.1)', async () => {
    const browser = new Browser(await start(fixture({ requirePkce: true })));
    expect(errorOf(await browser.authorize(WEB))).toBe('invalid_request');
    expect(locationOf(await browser.authorizeFor({ ...WEB, ...PKCE.request }))).toContain('code=');
  });
});
