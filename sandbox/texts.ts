import type { ApiTextName } from '../src/core/query/describe/texts/api-texts.js';

type Name = ApiTextName | 'signIn' | 'signOut' | 'signedInAs' | 'continue';

/** The texts of the page in the language of the reader, as the server has put them into it. */
const texts = JSON.parse(document.body.dataset['texts'] ?? '{}') as Readonly<
  Record<Name, string | Readonly<Record<string, string>>>
>;
const { lang } = document.documentElement;
const plurals = new Intl.PluralRules(lang);
const numbers = new Intl.NumberFormat(lang);

/** A text, with values in place of the names in braces. */
export const say = (name: Name, values: Readonly<Record<string, string | number>> = {}): string => {
  const text = texts[name];
  const chosen =
    typeof text === 'string' ? text : (text[plurals.select(Number(values['count']))] ?? text['other'] ?? '');
  return chosen.replace(/\{(\w+)\}/g, (_all, key: string) => {
    const value = values[key] ?? '';
    return typeof value === 'number' ? numbers.format(value) : value;
  });
};

/** Attributes of a description, which is English in every language. */
export const ENGLISH: Readonly<Record<string, string>> = lang.startsWith('en') ? {} : { lang: 'en', dir: 'ltr' };
