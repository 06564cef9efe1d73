import { describe, expect, test } from 'vitest';
import { oauthQuery } from '../../../src/adapters/fetch/index.js';
import { hostFor, useHost } from '../../hosts.js';
import { fixture } from '../support/fixture.js';
import { limitsOfTest } from '../support/limits.js';
import { USER_NAMES } from '../support/spellings.js';
import { Flows, refusal } from '../support/tokens.js';

const LEGACY = {
  client_id: 'legacy',
  client_secret: 'legacy-secret',
  grant_types: ['password', 'refresh_token'],
  scope: 'profile content.read',
} as const;

describe.each(hostFor(import.meta.url))('the password grant on $name', (host) => {
  const { options, events, errors, advance } = fixture({
    clients: [LEGACY],
    grants: ['authorization_code', 'client_credentials', 'refresh_token', 'device_code', 'password'],
  });

  const ask = (username: string, password: string, more = {}) =>
    flows.token('legacy', { grant_type: 'password', username, password, ...more });

  const running = useHost(host, { options }, errors);
  const flows = new Flows(running, [LEGACY]);

  test('#78 the correct password returns tokens of its owner (RFC 6749 §4.3.3)', async () => {
    const answer = await ask('alice', 'wonderland', { scope: 'profile' });
    expect(answer.json).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'profile',
      refresh_token: expect.any(String),
    });
    const seen = (await flows.introspect(String(answer.json['access_token']))).json;
    expect(seen).toMatchObject({
      active: true,
      sub: 'alice',
      username: 'alice',
      client_id: 'legacy',
      scope: 'profile',
    });
    expect((await flows.refresh('legacy', String(answer.json['refresh_token']))).status).toBe(200);
  });

  test('#78 unknown user and wrong password are the same invalid_grant (RFC 6749 §4.3.2)', async () => {
    const answers = [await ask('nobody', 'wonderland'), await ask('alice', 'wrong'), await ask('bob', 'wonderland')];
    expect(answers.map(refusal)).toEqual(answers.map(() => [400, 'invalid_grant']));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(refusal(await ask('', 'wonderland'))).toEqual([400, 'invalid_request']);
    expect(refusal(await ask('alice', ''))).toEqual([400, 'invalid_request']);
  });

  test('#74, #78 validateGrant is asked first, and nothing is written if it says no', async () => {
    const asked: unknown[] = [];
    const { options: strict, store } = fixture({
      clients: [LEGACY],
      grants: ['password'],
      validateGrant: (grant) => (asked.push(grant), false),
    });
    const own = new Flows(await host.start({ options: strict }), [LEGACY]);
    const form = { grant_type: 'password', username: 'alice', password: 'wonderland', scope: 'profile' };
    expect(refusal(await own.token('legacy', form))).toEqual([400, 'invalid_grant']);
    expect(asked).toEqual([{ grant_id: expect.any(String), client_id: 'legacy', sub: 'alice', scope: 'profile' }]);
    expect([...store.entries()].filter(([key]) => /grant|token/.test(key))).toEqual([]);
  });

  test('#78 only a client registered for it may use it', async () => {
    const form = { grant_type: 'password', username: 'alice', password: 'wonderland' };
    expect(refusal(await flows.token('web', form))).toEqual([400, 'unauthorized_client']);
    expect(refusal(await flows.token('spa', form))).toEqual([400, 'unauthorized_client']);
  });

  test('#78 too many wrong passwords get 429, also with the correct one, until the window ends', async () => {
    advance(600);
    const failures = [];
    for (let n = 0; n < 10; n += 1) failures.push(await ask('dave', `wrong ${n}`));
    expect(failures.map(refusal)).toEqual(failures.map(() => [400, 'invalid_grant']));
    const throttled = await ask('dave', 'diver');
    expect(refusal(throttled)).toEqual([429, 'temporarily_unavailable']);
    expect(Number(throttled.headers['retry-after'])).toBeGreaterThan(0);
    expect((await ask('bob', 'builder')).status, 'somebody else').toBe(200);
    expect(events).toContainEqual(expect.objectContaining({ type: 'limit.reached', limit: 'login' }));
    advance(Number(throttled.headers['retry-after']));
    expect((await ask('dave', 'diver')).status).toBe(200);
  });
});

test('one user name in all its spellings is looked up and counted as one, in a list and in a directory of the application', async () => {
  limitsOfTest({ loginFailures: 3 });
  const asked: string[] = [];
  const directory = {
    authenticate: async (username: string, password: string) => {
      asked.push(username);
      return password === 'right' ? { sub: '1', username } : undefined;
    },
  };
  for (const users of [[{ username: 'zoe\u0308', password: 'right', sub: '1' }], directory]) {
    const { options } = fixture({ clients: [LEGACY], grants: ['password'], users });
    const { handler } = oauthQuery({ ...options, issuer: 'https://auth.example' });
    const ask = async (username: string, password: string): Promise<number> => {
      const form = { grant_type: 'password', username, password, client_id: 'legacy', client_secret: 'legacy-secret' };
      const body = new URLSearchParams(form);
      return (await handler(new Request('https://auth.example/oauth/token', { method: 'POST', body }))).status;
    };
    for (const name of USER_NAMES) {
      // A directory of the application decides about case and width itself.
      const isOwn = users === directory || (await ask(name, 'right')) === 200;
      expect([name, isOwn]).toEqual([name, true]);
    }
    const statuses = [];
    for (const name of USER_NAMES) statuses.push(await ask(name, 'wrong'));
    expect(statuses).toEqual([400, 400, 400, 429, 429, 429, 429, 429]);
  }
  expect(new Set(asked)).toEqual(new Set(['zo\u00eb', 'Zo\u00eb']));
});

test('a directory that ignores accents and invisible characters gives no more guesses for each spelling; a list does not ignore them', async () => {
  limitsOfTest({ loginFailures: 3 });
  const statusesOf = async (users: object, names: readonly string[]): Promise<readonly number[]> => {
    const { options } = fixture({ clients: [LEGACY], grants: ['password'], users: users as never });
    const { handler } = oauthQuery({ ...options, issuer: 'https://auth.example' });
    const statuses = [];
    for (const username of names) {
      const form = { grant_type: 'password', username, password: 'x' };
      const body = new URLSearchParams({ ...form, client_id: 'legacy', client_secret: 'legacy-secret' });
      statuses.push((await handler(new Request('https://auth.example/oauth/token', { method: 'POST', body }))).status);
    }
    return statuses;
  };
  const spellings = [
    ['jose', 'jos\u00e9', 'JOS\u00c8', 'j\u00f6se', 'jo\u200bse', 'jo\ufe0fse', 'jo\u2060se', '\uff4aose'],
    [
      'stra\u00dfe',
      'strasse',
      'STRASSE',
      'str\u00e1sse',
      'stra\u017fse',
      'stra\u1e9ee',
      'stras\u00adse',
      'stra\u034fsse',
    ],
    [
      '\u304b',
      '\u304c',
      '\u304b\u3099',
      '\u304b\u200d',
      '\u304b\u034f',
      '\u304b\ufe00',
      '\u304c\u200b',
      '\u304b\u2060',
    ],
  ];
  for (const names of spellings)
    expect(await statusesOf({ authenticate: () => undefined }, names)).toEqual([
      400,
      400,
      400,
      ...Array<number>(5).fill(429),
    ]);
  const list = [{ username: 'jos\u00e9', password: 'x' }];
  expect(await statusesOf(list, [...Array<string>(4).fill('jose'), 'jos\u00e9'])).toEqual([400, 400, 400, 429, 200]);
});
