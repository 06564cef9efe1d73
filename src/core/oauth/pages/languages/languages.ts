import { fail, isRecord, listOf, mapOf, type Schema, text, value } from '../../../base/schema.js';
import { nearestName } from '../../../base/spelling.js';
import { ENGLISH, type PageTextName, type PageTexts, type PluralText } from './english.js';
import { IN_ENGLISH, PageLanguage, placeholders } from './language.js';

/** The languages of the pages. */
export interface LanguageOptions {
  /** The language if neither `ui_locales` nor the browser requests an offered one. Default: `en`. */
  readonly default?: string;
  /** The offered languages. Default: all available ones. List those in which your `scopes` are described. */
  readonly offered?: readonly string[];
  /** Custom texts by language; for a language that is not included, all of them. */
  readonly texts?: Readonly<Record<string, Partial<PageTexts>>>;
}

/** The included languages. All but English are loaded when a page first uses them. */
const INCLUDED: Readonly<Record<string, () => Promise<PageTexts>>> = {
  en: () => Promise.resolve(ENGLISH),
  de: () => import('./german.js').then(({ GERMAN }) => GERMAN),
  es: () => import('./spanish.js').then(({ SPANISH }) => SPANISH),
  ar: () => import('./arabic.js').then(({ ARABIC }) => ARABIC),
};

const isLocale = (given: unknown): boolean => {
  try {
    return typeof given === 'string' && new Intl.Locale(given).toString() === given;
  } catch {
    return false;
  }
};

const locale = value<string>("a language such as 'de' or 'pt-BR', as BCP 47 writes it", isLocale);

/** The validation of each option. */
export const LANGUAGE_OPTIONS = {
  default: locale,
  offered: listOf('an array of languages', locale),
  texts: mapOf(
    "an object of languages, such as { de: { signIn: 'Einloggen' } }",
    value<Partial<PageTexts>>('an object of texts by their names', isRecord),
  ),
} satisfies Schema<LanguageOptions>;

const sentence = text('text that is not empty');

/** Each text must have the placeholders of the English one, so that no page omits the client. A count may be a word. */
const checkPlaceholders = (given: unknown, english: string, path: string): void => {
  const filled = placeholders(sentence.read(given, path) ?? fail(`${path} is missing.`));
  const wanted = placeholders(english);
  const strange = filled.find((name) => !wanted.includes(name));
  if (strange !== undefined)
    fail(
      `${path} has {${strange}}, which is not put in there. ${wanted.length === 0 ? 'Nothing is.' : `Known are ${wanted.map((name) => `{${name}}`).join(', ')}.`}`,
    );
  const lacking = wanted.find((name) => name !== 'count' && !filled.includes(name));
  if (lacking !== undefined) fail(`${path} must have {${lacking}}, as the English text: ${JSON.stringify(english)}.`);
};

const checkPlural = (given: unknown, { other }: PluralText, language: string, path: string): void => {
  if (!isRecord(given)) return fail(`${path} must be an object of plural forms, such as { one, other }.`);
  const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories as readonly string[];
  const strange = Object.keys(given).find((form) => !forms.includes(form));
  if (strange !== undefined)
    fail(`${path}.${strange} is no plural form of ${language}. Its forms are ${forms.join(', ')}.`);
  const lacking = forms.find((form) => !Object.hasOwn(given, form));
  if (lacking !== undefined)
    fail(`${path}.${lacking} is missing. The plural forms of ${language} are ${forms.join(', ')}.`);
  for (const form of forms) checkPlaceholders(given[form], other, `${path}.${form}`);
};

/**
 * Validates custom texts.
 *
 * @returns the names of missing texts.
 * @throws TypeError with a sentence that names the text.
 */
export const checkTexts = (language: string, given: object, path: string): readonly PageTextName[] => {
  const names = Object.keys(ENGLISH) as PageTextName[];
  const texts = given as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(texts)) {
    const near = nearestName(name, names);
    if (!Object.hasOwn(ENGLISH, name))
      fail(`${path}.${name} is no text of the pages.${near === undefined ? '' : ` Did you mean ${near}?`}`);
  }
  return names.filter((name) => {
    const english = ENGLISH[name];
    if (texts[name] === undefined) return true;
    if (typeof english === 'string') checkPlaceholders(texts[name], english, `${path}.${name}`);
    else checkPlural(texts[name], english, language, `${path}.${name}`);
    return false;
  });
};

/** The languages of the pages. */
export class Languages {
  /** The default language comes first. */
  readonly offered: readonly string[];
  readonly #texts: Readonly<Record<string, Partial<PageTexts>>>;
  readonly #loaded = new Map<string, Promise<PageLanguage>>();

  /**
   * @param path - The path of the options, for error messages.
   * @throws TypeError for an invalid option, with the remedy.
   */
  constructor({ default: first, offered, texts = {} }: LanguageOptions = {}, path = 'options.languages') {
    const known = [...new Set([...Object.keys(INCLUDED), ...Object.keys(texts)])];
    for (const [language, own] of Object.entries(texts)) {
      if (!isLocale(language)) fail(`${path}.texts: ${JSON.stringify(language)} must be ${locale.takes}.`);
      const lacking = checkTexts(language, own, `${path}.texts[${JSON.stringify(language)}]`);
      if (lacking.length > 0 && !Object.hasOwn(INCLUDED, language))
        fail(
          `${path}.texts[${JSON.stringify(language)}] lacks ${lacking.slice(0, 5).join(', ')}${lacking.length > 5 ? ` and ${lacking.length - 5} more` : ''}. A language that is not included needs every text.`,
        );
    }
    const all = offered ?? known;
    const unknown = [...all, ...(first === undefined ? [] : [first])].find((language) => !known.includes(language));
    if (unknown !== undefined)
      fail(
        `${path}: there are no texts in ${JSON.stringify(unknown)}. Known are ${known.join(', ')}; add others in ${path}.texts.`,
      );
    if (all.length === 0) fail(`${path}.offered is an empty list. Name at least one language.`);
    if (first !== undefined && !all.includes(first))
      fail(`${path}.default is ${JSON.stringify(first)}, which ${path}.offered does not name.`);
    const fallback = first ?? (all.includes('en') ? 'en' : all[0]) ?? 'en';
    this.offered = [fallback, ...all.filter((language) => language !== fallback)];
    this.#texts = texts;
  }

  /** Returns an offered language. */
  load(language: string): Promise<PageLanguage> {
    const own = this.#texts[language];
    if (language === 'en' && own === undefined) return Promise.resolve(IN_ENGLISH);
    let loaded = this.#loaded.get(language);
    if (loaded === undefined) {
      const included = INCLUDED[language]?.() ?? Promise.resolve(ENGLISH);
      loaded = included.then((texts) => new PageLanguage(language, { ...texts, ...own }));
      this.#loaded.set(language, loaded);
    }
    return loaded;
  }
}
