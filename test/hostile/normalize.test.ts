import { describe, expect, test } from 'vitest';
import { MAX_LENGTH, normalizeText } from '../../src/core/base/text.js';
import { everyRow } from '../rows.js';

describe('UAX #15: texts from outside are normalised within bounds', () => {
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

  test('a text beyond its cap is refused, whatever it is made of', () => {
    expect(normalizeText('a'.repeat(512), 'NFKC', MAX_LENGTH.name)).toBe('a'.repeat(512));
    expect(normalizeText('a'.repeat(513), 'NFKC', MAX_LENGTH.name)).toBeUndefined();
  });

  test('§13: 31 combining marks in a row are refused', () => {
    expect(normalizeText(`a${'\u0300'.repeat(31)}`, 'NFC', MAX_LENGTH.text)).toBeUndefined();
    expect(normalizeText(`a${'\u0300\u0323'.repeat(16)}`, 'NFC', MAX_LENGTH.text)).toBeUndefined();
  });
});
