import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { HttpRequest } from '../../../src/core/base/http/messages.js';
import { markAnswered } from '../../../src/core/base/waiting.js';
import { everyRow } from '../../rows.js';
import { phc } from '../support/hashes.js';

/** The parameters of every hash that is compared. */
const work = vi.hoisted((): string[] => []);
/** Whether hashes are computed with a small N in place of their own: what they cost is in `work` all the same. */
const hashes = vi.hoisted(() => ({ areCheap: false }));
/** Begins each hash whose turn has come, if the test decides when that is. */
const held = vi.hoisted(() => ({ turns: undefined as (() => void)[] | undefined }));

type Cost = Readonly<Record<'N' | 'r' | 'p', number>>;
type Done = (error: Error | null, hash: Buffer) => void;

vi.mock(import('node:crypto'), async (original) => {
  const crypto = await original();
  const paid = (cost: Cost): Cost => (hashes.areCheap ? { ...cost, N: 2 } : cost);
  const replaced = {
    ...crypto,
    scryptSync: (secret: string, salt: Buffer, length: number, cost: Cost) =>
      crypto.scryptSync(secret, salt, length, paid(cost)),
    scrypt: ((secret: string, salt: Buffer, length: number, cost: Cost, done: Done) => {
      work.push(`${cost.N} ${cost.r} ${cost.p} ${length}`);
      const begin = () => crypto.scrypt(secret, salt, length, paid(cost), done);
      if (held.turns === undefined) begin();
      else held.turns.push(begin);
    }) as typeof crypto.scrypt, // Its overloads cannot be written as one function.
  } as typeof crypto; // As above.
  return replaced;
});

const { hashSecret } = await import('../../../src/core/index.js');
const { chosenSecretMatches, prepareSecret } = await import('../../../src/core/oauth/clients/client-secret.js');
const { directoryOf, USER_LIST } = await import('../../../src/core/oauth/sign-in/users.js');

// What hashing reads of a request.
const callerAt = (ip: string): HttpRequest => ({ ip, hungUp: false }) as unknown as HttpRequest;
const CALLER = callerAt('192.0.2.1');

const matches = (presented: string, scrypt: string, caller = CALLER): Promise<boolean> =>
  chosenSecretMatches(presented, [prepareSecret({ scrypt })], 0, caller, (_ip, max) => max);

beforeEach(() => {
  work.length = 0;
  hashes.areCheap = false;
  held.turns = undefined;
});

describe('a hash of a secret', () => {
  test('has its parameters as a PHC string, base64 without padding', () => {
    expect(hashSecret('x')).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  });

  test.each([
    ['as it is made today', hashSecret('right'), '32768 8 3 32'],
    ['with other parameters', phc('right', 12, 8, 2), '4096 8 2 32'],
  ])('%s is compared with its own parameters', async (_, hash, cost) => {
    expect(await matches('right', hash)).toBe(true);
    expect(await matches('wrong', hash)).toBe(false);
    expect(work).toEqual([cost, cost]);
  });

  const TAIL = `$${'A'.repeat(22)}$${'A'.repeat(43)}`;
  test('invalid hashes are rejected at construction, for clients and users', () =>
    everyRow(
      [
        [`$scrypt$ln=20,r=8,p=1${TAIL}`, 'cost too much'], // 1 GiB
        [`$scrypt$ln=17,r=16,p=1${TAIL}`, 'cost too much'],
        [`$scrypt$ln=15,r=8,p=64${TAIL}`, 'cost too much'], // twenty times as long
        [`$scrypt$ln=10,r=8,p=1${TAIL}`, 'too weak'],
        [`$scrypt$ln=99,r=9999,p=9999${TAIL}`, 'cost too much'],
        [`$scrypt$ln=0,r=8,p=1${TAIL}`, 'not created by hashSecret'],
        [`$argon2id$v=19$m=65536,t=3,p=4${TAIL}`, 'not created by hashSecret'],
        [`$scrypt$ln=15,r=8,p=3$AAAA$${'A'.repeat(43)}`, 'not created by hashSecret'],
        [`${'A'.repeat(22)}.${'A'.repeat(43)}`, 'not created by hashSecret'],
      ],
      ([scrypt, problem]) => {
        expect(() => prepareSecret({ scrypt })).toThrow(problem);
        const users = [{ username: 'alice', password: { scrypt } }];
        expect(() => USER_LIST.read(users, 'options.users')).toThrow(problem);
      },
    ));
});

test('with hashes of different costs, every name takes the same time (RFC 6819 §4.4.1)', async () => {
  hashes.areCheap = true;
  const users = [
    { username: 'new', password: { scrypt: hashSecret('a') } },
    { username: 'cheap', password: { scrypt: phc('b', 12, 8, 2) } },
    { username: 'text', password: 'd' },
  ];
  const { authenticate } = directoryOf(users, (_ip, max) => max);
  const passwords = { new: 'a', cheap: 'b', text: 'd', nobody: '', cheap2: 'b' };
  for (const [username, password] of Object.entries(passwords)) {
    work.length = 0;
    const owner = await authenticate(username, password, CALLER);
    expect([username, owner !== undefined]).toEqual([username, users.some((user) => user.username === username)]);
    expect(work).toEqual(['32768 8 3 32', '4096 8 2 32']);
    expect(await authenticate(username, `${password}x`, CALLER)).toBeUndefined();
  }
});

test('two are computed at a time, eight of an address wait, and another address waits for about two', async () => {
  hashes.areCheap = true;
  const { authenticate } = directoryOf(
    [{ username: 'alice', password: { scrypt: hashSecret('right') } }],
    (_ip, max) => max,
  );
  const turns = (held.turns = [] as (() => void)[]);
  const over: string[] = [];
  const attempt = async (username: string, password: string, ip: string): Promise<void> => {
    try {
      over.push((await authenticate(username, password, callerAt(ip))) ? 'signed in' : 'compared');
    } catch (error) {
      over.push((error as Error).name);
    }
  };
  const all = Array.from({ length: 64 }, (_, n) => attempt(`name${n}`, 'x', '192.0.2.1'));
  await expect.poll(() => over.length).toBe(54);
  expect(new Set(over)).toEqual(new Set(['BusyError']));
  all.push(attempt('alice', 'right', '198.51.100.7'));
  over.length = 0;
  for (let done = 1; done <= 11; done += 1) {
    expect(turns.length).toBe(done === 11 ? 1 : 2);
    turns.shift()?.();
    await expect.poll(() => over.length).toBe(done);
  }
  await Promise.all(all);
  expect(over.indexOf('signed in')).toBeLessThanOrEqual(3);
  expect(over.filter((what) => what === 'compared')).toHaveLength(10);
});

test('nothing is computed for a caller who has gone or was answered', async () => {
  const scrypt = hashSecret('right');
  const gone = { ...callerAt('192.0.2.1'), hungUp: true };
  const answered = callerAt('192.0.2.1');
  markAnswered(answered);
  for (const caller of [gone, answered])
    await expect(matches('right', scrypt, caller)).rejects.toThrow('The queue for this work is full.');
  expect(work).toEqual([]);
});
