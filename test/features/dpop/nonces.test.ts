import { describe, expect, test } from 'vitest';
import { ownKeys } from '../../../src/core/base/seal.js';
import { dpop } from '../../../src/features/dpop/index.js';
import { Nonces } from '../../../src/features/dpop/nonces.js';
import { Client, hostFor } from '../../hosts.js';
import { START } from '../../oauth/support/fixture.js';
import { refusal } from '../../oauth/support/tokens.js';
import { ProofMaker } from './keys.js';
import { SECRET, startSite } from './site.js';

const HOST = hostFor(import.meta.url)[0];
const key = new ProofMaker();
const start = (...given: Parameters<typeof startSite> extends [unknown, ...infer Rest] ? Rest : never) =>
  startSite(HOST, ...given);

const nonceOf = ({ headers }: { headers: Record<string, unknown> }): string => String(headers['dpop-nonce']);

test('DP25 a nonce is derived from the secret and the time: every process with a secret of the list knows it, for 90 seconds', () => {
  const clock = { first: START, second: START + 30_000 };
  const first = new Nonces(ownKeys(['one'], 'https://a.example', 'dpop nonce'), () => clock.first);
  const second = new Nonces(ownKeys(['two', 'one'], 'https://a.example', 'dpop nonce'), () => clock.second);
  const other = new Nonces(ownKeys(['one'], 'https://b.example', 'dpop nonce'), () => clock.first);
  const { current } = first;
  expect(current).toMatch(/^[\w-]{1,64}$/);
  expect(second.endOf(current)).toBe(START + 90_000);
  expect(other.endOf(current)).toBeUndefined();
  // The clock of the second process is ahead, so its nonces come from the future.
  const ahead = new Nonces(ownKeys(['one'], 'https://a.example', 'dpop nonce'), () => clock.second).current;
  expect(first.endOf(ahead)).toBeDefined();
  clock.first = START + 89_999;
  expect(first.endOf(current)).toBe(START + 90_000);
  clock.first = START + 90_000;
  expect(first.endOf(current)).toBeUndefined();
  for (const odd of ['', 'x', undefined, null, 7, {}, 'constructor']) expect(first.endOf(odd)).toBeUndefined();
});

describe('DP26, DP27, DP28 nonces', () => {
  test('offered: not required, sent with each response until the client uses the current one', async () => {
    const site = await start();
    const answer = await site.token('service', { grant_type: 'client_credentials' }, { dpop: site.tokenProof(key) });
    expect(answer.status).toBe(200);
    expect(answer.headers['cache-control']).toBe('no-store');
    const nonce = nonceOf(answer);
    const again = await site.token(
      'service',
      { grant_type: 'client_credentials' },
      { dpop: site.tokenProof(key, { nonce }) },
    );
    expect(again.headers['dpop-nonce']).toBeUndefined();
    const { access_token } = await site.tokens('native', key);
    const passed = await site.ask(access_token, key);
    expect([passed.status, passed.headers['cache-control'], nonceOf(passed)]).toEqual([200, 'no-store', nonce]);
    expect((await site.ask(access_token, key, { nonce })).headers['dpop-nonce']).toBeUndefined();
    site.fixture.advance(30);
    const renewed = await site.ask(access_token, key, { nonce });
    expect(renewed.status).toBe(200);
    expect(nonceOf(renewed)).not.toBe(nonce);
  });

  test('offered: a proof ends with its nonce, also if the clock of the client is ahead', async () => {
    const site = await start();
    const { access_token: token } = await site.tokens('native', key);
    const nonce = nonceOf(await site.ask(token, key));
    const proof = key.proof({ method: 'GET', url: site.guardedUrl(), iat: site.now + 250, token, nonce });
    const send = () => site.client.get('/guarded/profile', { authorization: `DPoP ${token}`, dpop: proof });
    expect([(await send()).status, (await send()).json['error']]).toEqual([200, 'invalid_dpop_proof']);
    site.fixture.advance(250); // Now the iat is right.
    expect(refusal(await send())).toEqual([401, 'use_dpop_nonce']);
  });

  test('offered: a proof with a nonce works once, also if the clock of the client is an hour behind', async () => {
    const site = await start();
    const { access_token: token } = await site.tokens('native', key);
    const nonce = nonceOf(await site.ask(token, key));
    const proof = key.proof({ method: 'GET', url: site.guardedUrl(), iat: site.now - 3600, token, nonce });
    const send = () => site.client.get('/guarded/profile', { authorization: `DPoP ${token}`, dpop: proof });
    expect((await send()).status).toBe(200);
    site.fixture.advance(35);
    expect(refusal(await send())).toEqual([401, 'invalid_dpop_proof']);
  });

  test('required: one retry succeeds at both places, and nothing is used up', async () => {
    const site = await start({ nonce: 'required' });
    const code = await site.flows.code('native');
    const form = site.flows.redemption('native', code);
    const refused = await site.token('native', form, { dpop: site.tokenProof(key) });
    expect(refusal(refused)).toEqual([400, 'use_dpop_nonce']);
    const nonce = nonceOf(refused);
    for (const wrong of ['x', 'constructor', `${nonce}x`])
      expect((await site.token('native', form, { dpop: site.tokenProof(key, { nonce: wrong }) })).json['error']).toBe(
        'use_dpop_nonce',
      );
    const issued = await site.token('native', form, { dpop: site.tokenProof(key, { nonce }) });
    expect(issued.status).toBe(200);
    const token = String(issued.json['access_token']);
    const asked = await site.ask(token, key);
    expect([asked.status, asked.json['error'], nonceOf(asked)]).toEqual([401, 'use_dpop_nonce', nonce]);
    expect(asked.headers['www-authenticate']).toMatch(/^DPoP error="use_dpop_nonce"/);
    expect((await site.ask(token, key, { nonce })).status).toBe(200);
    site.fixture.advance(91);
    expect((await site.ask(token, key, { nonce })).json['error']).toBe('use_dpop_nonce');
  });

  test('off: none is sent', async () => {
    const site = await start({ nonce: 'off' });
    const answer = await site.token('service', { grant_type: 'client_credentials' }, { dpop: site.tokenProof(key) });
    expect(answer.headers['dpop-nonce']).toBeUndefined();
    const late = await site.token(
      'service',
      { grant_type: 'client_credentials' },
      { dpop: site.tokenProof(key, { iat: site.now - 3600 }) },
    );
    expect([late.json['error'], late.headers['dpop-nonce']]).toEqual(['invalid_dpop_proof', undefined]);
  });
});

test('DP29 one nonce for the whole origin: no further round trip after the first, in any order and any process', async () => {
  const site = await start({ nonce: 'required' });
  const rotated = await HOST?.start({
    options: {
      ...site.fixture.options,
      issuer: site.running.base,
      secret: ['a newer secret of the tests, 32 characters', SECRET],
      features: [dpop({ nonce: 'required', origins: [] })],
      runtime: { clock: () => site.fixture.clock() + 30_000 },
    },
  });
  const first = await site.token('service', { grant_type: 'client_credentials' }, { dpop: site.tokenProof(key) });
  let nonce = nonceOf(first);
  const code = await site.flows.code('native');
  const tokens = await site.token('native', site.flows.redemption('native', code), {
    dpop: site.tokenProof(key, { nonce }),
  });
  const token = String(tokens.json['access_token']);
  const here = new Client(site.running.origin);
  const there = new Client(rotated.origin);
  for (let count = 0; count < 8; count += 1) {
    const answer = await (count % 2 === 0 ? here : there).get('/guarded/profile', {
      authorization: `DPoP ${token}`,
      dpop: key.proof({ method: 'GET', url: site.guardedUrl(), iat: site.now, token, nonce }),
    });
    expect([count, answer.status]).toEqual([count, 200]);
    // The newest wins, whoever sent it. The older process does not know the newer secret.
    const given = answer.headers['dpop-nonce'];
    if (typeof given === 'string' && count % 2 === 0) nonce = given;
    const own = await site.token(
      'service',
      { grant_type: 'client_credentials' },
      { dpop: site.tokenProof(key, { nonce }) },
    );
    expect([count, own.status]).toEqual([count, 200]);
  }
});

test('DP30 scripts of other origins may send proofs, and read nonces and challenges', async () => {
  const site = await start({}, { cors: ['https://app.example'] });
  const preflight = await site.flows.client.request('/oauth/token', {
    method: 'OPTIONS',
    headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
  });
  expect(preflight.headers['access-control-allow-headers']).toMatch(/\bdpop\b/);
  const answer = await site.token(
    'service',
    { grant_type: 'client_credentials' },
    { dpop: site.tokenProof(key), origin: 'https://app.example' },
  );
  expect(answer.headers['access-control-expose-headers']).toBe('dpop-nonce, www-authenticate');
});

test('DP31 a client whose clock is an hour off recovers with the nonce of the error', async () => {
  const site = await start();
  const iat = site.now - 3600;
  const refused = await site.token(
    'service',
    { grant_type: 'client_credentials' },
    { dpop: site.tokenProof(key, { iat }) },
  );
  expect(refusal(refused)).toEqual([400, 'use_dpop_nonce']);
  const nonce = nonceOf(refused);
  const issued = await site.token(
    'service',
    { grant_type: 'client_credentials' },
    { dpop: site.tokenProof(key, { iat, nonce }) },
  );
  expect(issued.status).toBe(200);
});

test('DP28 an error after a valid proof carries the new nonce too', async () => {
  const site = await start();
  const refused = await site.token(
    'native',
    { grant_type: 'refresh_token', refresh_token: 'x' },
    { dpop: site.tokenProof(key) },
  );
  expect([refused.json['error'], typeof refused.headers['dpop-nonce']]).toEqual(['invalid_grant', 'string']);
});
