import { describe, expect, test } from 'vitest';
import { MAX_LENGTH, normalizeText } from '../../src/core/base/text.js';
import { everyRow } from '../rows.js';

describe('UAX #15: untrusted text is normalised within limits', () => {
  test('text is normalized', () =>
    everyRow(
      [
        ['plain', 'plain'],
        ['e\u0301', 'é'],
        [`a${'\u0300'.repeat(30)}`, `à${'\u0300'.repeat(29)}`],
        [`a${'\u0300'.repeat(30)}\u034f${'\u0300'.repeat(30)}`, `à${'\u0300'.repeat(29)}\u034f${'\u0300'.repeat(30)}`],
        ['a\u0323\u0300'.repeat(300), 'ạ\u0300'.repeat(300)],
        ['हिन्दी', 'हिन्दी'],
      ],
      ([text, normal]) => {
        expect(normalizeText(text, 'NFC', MAX_LENGTH.title)).toBe(normal);
      },
    ));

  test('text beyond its maximum length is rejected, whatever it contains', () => {
    expect(normalizeText('a'.repeat(512), 'NFKC', MAX_LENGTH.name)).toBe('a'.repeat(512));
    expect(normalizeText('a'.repeat(513), 'NFKC', MAX_LENGTH.name)).toBeUndefined();
  });

  test('§13: 31 combining marks in a row are rejected', () => {
    expect(normalizeText(`a${'\u0300'.repeat(31)}`, 'NFC', MAX_LENGTH.text)).toBeUndefined();
    expect(normalizeText(`a${'\u0300\u0323'.repeat(16)}`, 'NFC', MAX_LENGTH.text)).toBeUndefined();
  });
});
