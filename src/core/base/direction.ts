/** The direction of a text. */
export type Direction = 'ltr' | 'rtl';

/** Right-to-left scripts. `Intl.Locale` has the directions too, but on Node 20 they are wrong for many languages. */
const RIGHT_TO_LEFT: ReadonlySet<string> = new Set('Adlm Arab Armi Hebr Mand Nkoo Rohg Samr Syrc Thaa'.split(' '));

/** The direction of a language, by the script it is written in; `ltr` for a code that is not a language tag. */
export const directionOf = (language: string): Direction => {
  try {
    return RIGHT_TO_LEFT.has(new Intl.Locale(language).maximize().script ?? '') ? 'rtl' : 'ltr';
  } catch {
    return 'ltr';
  }
};
