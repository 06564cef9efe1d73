import { expect, test } from 'vitest';
import type { Parts } from '../../../src/core/feature/parts.js';
import { joinHooks } from '../../../src/core/oauth/kernel/hooks.js';

const checked: string[] = [];

/** What a feature adds, each part marked with its name. */
const featureOf = (name: string): Parts => ({
  authorization: {
    parameters: { [name]: 'vschar' },
    isInFragment: () => name === 'two',
    askedScope: ({ scopes }) => [...scopes, name],
    readRequest: async () => ({ kept: { [name]: 'kept' }, signIn: { began: 1, [name]: true } as never }),
    checkOwner: () => void checked.push(name),
    keepOfSession: () => ({ [`${name} session`]: 'kept' }),
  },
  clients: { ownMetadata: () => ({ [name]: 'own' }) as never },
  metadata: () => ({ [name]: 'metadata' }),
  began: async () => void checked.push(`${name} keeps it`),
  ended: { beforeSignOut: async () => () => void checked.push(`${name} is told`) },
  keys: async () => [{ kid: name }] as never,
});

test('two features both add what they add alone', async () => {
  const { readRequest, checkOwner, ...joined } = joinHooks([featureOf('one'), featureOf('two')]);
  const asked = { scopes: ['read'] } as never;
  expect(joined.parameters).toEqual({ one: 'vschar', two: 'vschar' });
  expect(joined.ownMetadata?.(asked, [])).toEqual({ one: 'own', two: 'own' });
  expect(joined.isInFragment?.(asked, asked)).toBe(true);
  expect(joined.askedScope?.(asked)).toEqual(['read', 'one', 'two']);
  expect(await readRequest?.(asked)).toEqual({
    kept: { one: 'kept', two: 'kept' },
    signIn: { began: 1, one: true, two: true },
  });
  expect(joined.metadata?.('')).toEqual({ one: 'metadata', two: 'metadata' });
  expect(await joined.publicKeys?.()).toEqual([{ kid: 'one' }, { kid: 'two' }]);
  expect(joined.keepOfSession?.(asked, [])).toEqual({ 'one session': 'kept', 'two session': 'kept' });
  checkOwner?.(asked, []);
  (await joined.beforeSignOut?.(asked, undefined))?.();
  await joined.began?.(asked, asked);
  expect(checked).toEqual(['one', 'two', 'one is told', 'two is told', 'one keeps it', 'two keeps it']);
});
