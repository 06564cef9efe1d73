import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FrozenCopies } from '../../src/stores/frozen-copies.js';

const RECORD = { kind: 'access', scope: 'read', aud: ['https://a.example'], grant: null, exp: 1_000 };

describe('frozen copies', () => {
  test('any JSON is returned equal, frozen at every depth, whatever was copied before', () => {
    const copies = new FrozenCopies();
    const isFrozen = (value: unknown): boolean =>
      typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(isFrozen));
    const json = fc.oneof(fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.jsonValue()), fc.array(fc.jsonValue()));
    fc.assert(
      fc.property(json, (value) => {
        // A text of JSON knows no -0.
        const plain: object = JSON.parse(JSON.stringify(value));
        const copy = copies.of(plain);
        expect(JSON.stringify(copy)).toBe(JSON.stringify(plain));
        expect(isFrozen(copy)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  test('changes to a value after it was copied do not affect the copy', () => {
    const copies = new FrozenCopies();
    const value = structuredClone(RECORD);
    const copy = copies.of(value);
    value.scope = 'write';
    value.aud.push('https://b.example');
    expect(copy).toEqual(RECORD);
  });

  test('equal values have one copy, and their lists too', () => {
    const copies = new FrozenCopies();
    expect(copies.of(structuredClone(RECORD))).toBe(copies.of(structuredClone(RECORD)));
    const [one, other] = [1, 2].map((exp) => copies.of({ ...structuredClone(RECORD), exp }) as typeof RECORD);
    expect(one).not.toBe(other);
    expect(one?.aud).toBe(other?.aud);
  });

  test('values that only look alike have separate copies', () => {
    const copies = new FrozenCopies();
    // All of them have the same digest: nothing in them counts.
    const alike = [
      {},
      [],
      { a: null },
      { b: null },
      { a: undefined },
      { a: {} },
      { a: [] },
      [null],
      { 0: null },
      { b: '' },
    ];
    for (const before of alike) {
      for (const value of alike) {
        copies.of(before);
        const copy = copies.of(value);
        expect(copy).toStrictEqual(value);
        expect(Array.isArray(copy)).toBe(Array.isArray(value));
      }
    }
  });
});
