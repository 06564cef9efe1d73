import crypto, { createHash } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/** Work that is under way: of WebCrypto and scrypt, and requests to a server without a queue. A request does not stand still before it has returned. */
let count = 0;

export const isUnderWay = (): boolean => count > 0;

/** @returns what ends it. */
export const begin = (): (() => void) => {
  count += 1;
  let hasEnded = false;
  return () => {
    if (!hasEnded) count -= 1;
    hasEnded = true;
  };
};

export const counting = async <T>(work: Promise<T>): Promise<T> => {
  const end = begin();
  try {
    return await work;
  } finally {
    end();
  }
};

type Work = (...given: unknown[]) => Promise<unknown>;

for (const name of ['sign', 'verify', 'digest', 'importKey', 'deriveBits', 'encrypt', 'decrypt'] as const) {
  const original = globalThis.crypto.subtle[name].bind(globalThis.crypto.subtle) as Work;
  const value = (...given: unknown[]): Promise<unknown> => counting(original(...given));
  Object.defineProperty(globalThis.crypto.subtle, name, { value, configurable: true });
}

const { scrypt, hkdfSync } = crypto;
const derived = new Map<string, ArrayBuffer>();
type Scrypt = (...given: unknown[]) => void;
Object.assign(crypto, {
  scrypt: (...given: unknown[]): void => {
    const end = begin();
    const done = given.at(-1);
    const reply = (...results: unknown[]): void => {
      end();
      if (typeof done === 'function') done(...results);
    };
    (scrypt as unknown as Scrypt)(...given.slice(0, -1), reply); // Its callback is the last argument.
  },
  // Each of thousands of servers derives the same keys.
  hkdfSync: (...given: Parameters<typeof hkdfSync>): ArrayBuffer => {
    const name = JSON.stringify(given);
    const key = derived.get(name) ?? hkdfSync(...given);
    derived.set(name, key);
    return key.slice(0);
  },
});
syncBuiltinESMExports();

/** The same server, whose calls are counted until they have returned. */
export const countedCalls = <T extends object>(server: T): T => {
  const get = (_: object, name: string): unknown => {
    const member: unknown = Reflect.get(server, name);
    if (typeof member === 'function')
      return (...given: unknown[]): unknown => {
        const result: unknown = member(...given);
        return result instanceof Promise ? counting(result) : result;
      };
    return typeof member === 'object' && member !== null ? countedCalls(member) : member;
  };
  return new Proxy({}, { get }) as T; // It has the members of the server.
};

/** The same bytes for the same name, in each run. */
export const randomOf = (name: string): ((size: number) => Uint8Array) => {
  let calls = 0;
  return (size) =>
    createHash('shake256', { outputLength: size })
      .update(`${name} ${(calls += 1)}`)
      .digest();
};
