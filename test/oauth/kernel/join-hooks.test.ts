import { expect, test } from 'vitest';
import { joinHooks, type OAuthHooks } from '../../../src/core/oauth/kernel/hooks.js';

const checked: string[] = [];

/** What a feature adds, each part marked with its name. */
const featureOf = (name: string): OAuthHooks => ({
  parameters: { [name]: 'vschar' },
  ownMetadata: () => ({ [name]: 'own' }) as never,
  isInFragment: () => name === 'two',
  askedScope: ({ scopes }) => [...scopes, name],
  readRequest: async () => ({ kept: { [name]: 'kept' }, signIn: { began: 1, [name]: true } as never }),
  checkOwner: () => void checked.push(name),
  tokenFields: async () => ({ [name]: 'field' }) as never,
  metadata: () => ({ [name]: 'metadata' }),
  keepOfSession: () => ({ [`${name} session`]: 'kept' }),
  beforeSignOut: async () => () => void checked.push(`${name} is told`),
  publicKeys: async () => [{ kid: name }] as never,
});

test('two features both add what they add alone', async () => {
  const { readRequest, tokenFields, checkOwner, ...joined } = joinHooks([featureOf('one'), featureOf('two')]);
  const asked = { scopes: ['read'] } as never;
  expect(joined.parameters).toEqual({ one: 'vschar', two: 'vschar' });
  expect(joined.ownMetadata?.(asked, [])).toEqual({ one: 'own', two: 'own' });
  expect(joined.isInFragment?.(asked, asked)).toBe(true);
  expect(joined.askedScope?.(asked)).toEqual(['read', 'one', 'two']);
  expect(await readRequest?.(asked)).toEqual({
    kept: { one: 'kept', two: 'kept' },
    signIn: { began: 1, one: true, two: true },
  });
  expect(await tokenFields?.(asked, asked)).toEqual({ one: 'field', two: 'field' });
  expect(joined.metadata?.('')).toEqual({ one: 'metadata', two: 'metadata' });
  expect(await joined.publicKeys?.()).toEqual([{ kid: 'one' }, { kid: 'two' }]);
  expect(joined.keepOfSession?.(asked, [])).toEqual({ 'one session': 'kept', 'two session': 'kept' });
  checkOwner?.(asked, []);
  (await joined.beforeSignOut?.(asked, undefined))?.();
  expect(checked).toEqual(['one', 'two', 'one is told', 'two is told']);
});
