import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { HttpRequest } from '../../../src/core/base/http/messages.js';
import { type Answer, basic, Client, hostFor, useHost } from '../../hosts.js';
import { fixture } from '../support/fixture.js';
import { cheapHash } from '../support/hashes.js';
import { limitsOfSuite } from '../support/limits.js';
import { Flows } from '../support/tokens.js';

/** What the server computes and compares. Time itself would depend on the machine; this is what it is made of. */
const work = vi.hoisted((): string[] => []);

vi.mock(import('node:crypto'), async (original) => {
  const crypto = await original();
  const counting: typeof crypto = {
    ...crypto,
    hash: ((...args: Parameters<typeof crypto.hash>) => {
      work.push('hash');
      return crypto.hash(...args);
    }) as typeof crypto.hash, // Its overloads cannot be written as one function.
    timingSafeEqual: (a, b) => {
      work.push('compare');
      return crypto.timingSafeEqual(a, b);
    },
    scrypt: ((...args: Parameters<typeof crypto.scrypt>) => {
      work.push('scrypt');
      crypto.scrypt(...args);
    }) as typeof crypto.scrypt, // As above.
  };
  return counting;
});

const { directoryOf } = await import('../../../src/core/oauth/sign-in/users.js');

const GRANT = 'grant_type=client_credentials';
const CLIENTS = [
  {
    client_id: 'hashed',
    client_secret: { scrypt: cheapHash('chosen by a person') },
    grant_types: ['client_credentials'],
    scope: 'content.read',
  },
  { client_id: 'rolling', client_secret: ['old', 'new'], grant_types: ['client_credentials'], scope: 'content.read' },
] as const;

describe.each(hostFor(import.meta.url))('$name', ({ start }) => {
  limitsOfSuite({ clientFailures: 1000 });
  const { options } = fixture({ clients: CLIENTS });

  const host = useHost({ start }, { options });
  const client = new Client(() => host.base);
  beforeEach(() => {
    work.length = 0;
  });

  const ask = (id: string, secret: string): Promise<Answer> => client.post('/oauth/token', GRANT, basic(id, secret));

  const workOf = async (id: string, secret: string): Promise<readonly string[]> => {
    work.length = 0;
    expect((await ask(id, secret)).status).toBe(401);
    return [...work];
  };

  test('#53 an unknown client takes as long as a wrong secret (RFC 6819 §4.4.1)', async () => {
    const wrong = await workOf('service', 'x');
    expect(wrong.filter((step) => step === 'compare')).toHaveLength(1);
    expect(await workOf('nobody', 'x')).toEqual(wrong);
  });

  test('#53 the time does not depend on how much of a secret is correct, or how long it is (RFC 6819 §5.1.4)', async () => {
    const wrong = await workOf('service', 'x');
    for (const guess of ['service-secre', 'service-secreT', 'service-secret ', 'x'.repeat(1000)]) {
      expect(await workOf('service', guess)).toEqual(wrong);
    }
  });

  test('#53 during a rotation both secrets are compared, whichever is correct (RFC 6819 §5.1.4)', async () => {
    const compared = async (secret: string) => {
      work.length = 0;
      const { status } = await ask('rolling', secret);
      return [status, work.filter((step) => step === 'compare').length];
    };
    expect([await compared('old'), await compared('new'), await compared('x')]).toEqual([
      [200, 2],
      [200, 2],
      [401, 2],
    ]);
  });

  test('#53 a secret chosen by a person is compared by its slow hash (RFC 6819 §5.1.4.1.3)', async () => {
    expect((await ask('hashed', 'chosen by a person')).status).toBe(200);
    const { status, text, headers } = await ask('hashed', 'x');
    const unknown = await ask('nobody', 'x');
    expect([status, text, headers['www-authenticate']]).toEqual([
      401,
      unknown.text,
      unknown.headers['www-authenticate'],
    ]);
    expect(work.filter((step) => step === 'scrypt')).toHaveLength(2);
  });
});

describe('the built-in users', () => {
  const caller = { ip: '192.0.2.1', hungUp: false } as HttpRequest; // Nothing else of a request is looked at.
  const users = directoryOf(
    [
      { username: 'alice', password: { scrypt: cheapHash('wonderland') } },
      { username: 'bob', password: { scrypt: cheapHash('builder') } },
      { username: 'carol', password: 'singer' },
    ],
    (_ip, max) => max,
  );
  const workOf = async (name: string, password: string) => {
    work.length = 0;
    return [(await users.authenticate(name, password, caller)) !== undefined, ...work];
  };

  test('#53 an unknown name takes as long as a wrong password, as text and as a hash (RFC 6819 §4.4.1)', async () => {
    const wrong = await workOf('alice', 'x');
    expect(wrong.filter((step) => step === 'scrypt')).toHaveLength(1);
    expect(await workOf('nobody', 'x')).toEqual(wrong);
    expect(await workOf('carol', 'x')).toEqual(wrong);
    expect(await workOf('carol', '')).toEqual(wrong);
  });

  test('#53 a correct password takes as long as a wrong one (RFC 6819 §5.1.4)', async () => {
    const [, ...wrong] = await workOf('alice', 'x');
    expect(await workOf('bob', 'builder')).toEqual([true, ...wrong]);
    expect(await workOf('carol', 'singer')).toEqual([true, ...wrong]);
    expect(await users.authenticate('bob', 'builder', caller)).toEqual({ sub: 'bob', username: 'bob' });
  });
});

describe('the number of hashes of an operation: more would hash something twice', () => {
  const { options } = fixture();
  const flows = new Flows(useHost(hostFor(import.meta.url)[0], { options }));

  const measure = async (act: () => Promise<unknown>): Promise<number> => {
    work.length = 0;
    await act();
    return work.filter((step) => step === 'hash').length;
  };

  test("a client's own token: its secret and the key of the token", async () => {
    const act = () => flows.token('service', { grant_type: 'client_credentials' });
    expect(await measure(act)).toBe(2);
  });

  test("the guard of an owner's token: the key of the token", async () => {
    const { access_token } = await flows.tokens('web');
    expect(await measure(() => flows.guarded('profile', access_token))).toBe(1);
  });

  test('a code: the secret, the code, the verifier, both tokens, and what proves their family', async () => {
    const code = await flows.code('web');
    expect(await measure(() => flows.redeem('web', code))).toBe(6);
  });

  test('a refresh: the secret, the token, and both new tokens, each derived', async () => {
    const { refresh_token } = await flows.tokens('web');
    expect(await measure(() => flows.refresh('web', refresh_token))).toBe(6);
  });
});
