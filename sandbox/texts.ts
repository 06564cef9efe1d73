import type { SCRIPT_TEXTS } from '../src/core/query/describe/texts/api-texts.js';

type Name = keyof typeof SCRIPT_TEXTS | 'signIn' | 'signOut' | 'signedInAs' | 'continue' | 'copy' | 'copied';

/** The texts in the language of the reader, as the server has put them into the page: a line for each, or for each of its plural forms. */
const texts = new Map(
  (document.body.dataset['texts'] ?? '').split('\n').map((line): [string, string] => {
    const [name = '', ...text] = line.split('=');
    return [name, text.join('=')];
  }),
);
const { lang } = document.documentElement;
const plurals = new Intl.PluralRules(lang);
const numbers = new Intl.NumberFormat(lang);

/** A text, with values in place of the names in braces. */
export const say = (name: Name, values: Readonly<Record<string, string | number>> = {}): string => {
  const form = plurals.select(Number(values['count']));
  const chosen = texts.get(name) ?? texts.get(`${name}.${form}`) ?? texts.get(`${name}.other`) ?? '';
  return chosen.replace(/\{(\w+)\}/g, (_all, key: string) => {
    const value = values[key] ?? '';
    return typeof value === 'number' ? numbers.format(value) : value;
  });
};

/** Attributes of a description, which is English in every language. */
export const ENGLISH: Readonly<Record<string, string>> = lang.startsWith('en') ? {} : { lang: 'en', dir: 'ltr' };
