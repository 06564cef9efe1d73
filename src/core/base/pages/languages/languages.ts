import { fail, isRecord, listOf, refined, required, text, value } from '../../schema.js';
import { nearestName } from '../../spelling.js';
import { english, type FeatureTexts, type PageLanguage, type PageTextName, type PluralText } from './english.js';
import { Translator, placeholders } from './translator.js';

const isLocale = (given: unknown): boolean => {
  try {
    return typeof given === 'string' && new Intl.Locale(given).toString() === given;
  } catch {
    return false;
  }
};

const locale = required(value<string>("a language such as 'de' or 'pt-BR', as BCP 47 writes it", isLocale));

const sentence = text('a non-empty string');

/** Each text must have the placeholders of the English one, so that no page omits the client. A count may be a word. */
const checkPlaceholders = (given: unknown, inEnglish: string, path: string): void => {
  const filled = placeholders(sentence.read(given, path) ?? fail(`${path} is missing.`));
  const wanted = placeholders(inEnglish);
  const strange = filled.find((name) => !wanted.includes(name));
  if (strange !== undefined)
    fail(
      `${path} has {${strange}}, which is not put in there. ${wanted.length === 0 ? 'Nothing is.' : `Known are ${wanted.map((name) => `{${name}}`).join(', ')}.`}`,
    );
  const lacking = wanted.find((name) => name !== 'count' && !filled.includes(name));
  if (lacking !== undefined) fail(`${path} must have {${lacking}}, as the English text: ${JSON.stringify(inEnglish)}.`);
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

/** Each language needs every text that English has. */
const checkTexts = (
  texts: Readonly<Record<string, unknown>>,
  language: string,
  inEnglish: FeatureTexts,
  path: string,
): void => {
  const names = Object.keys(inEnglish);
  for (const name of Object.keys(texts)) {
    if (Object.hasOwn(inEnglish, name)) continue;
    const near = nearestName(name, names);
    fail(`${path}.${name} is no text of the pages.${near === undefined ? '' : ` Did you mean ${near}?`}`);
  }
  const lacking = names.filter((name) => texts[name] === undefined);
  if (lacking.length > 0)
    fail(
      `${path} lacks ${lacking.slice(0, 5).join(', ')}${lacking.length > 5 ? ` and ${lacking.length - 5} more` : ''}. A language needs every text.`,
    );
  for (const [name, text] of Object.entries(inEnglish)) {
    if (typeof text === 'string') checkPlaceholders(texts[name], text, `${path}.${name}`);
    else checkPlural(texts[name], text, language, `${path}.${name}`);
  }
};

const language = refined(
  value<PageLanguage>(
    "a language, such as german of oauth-query/languages, or { locale: 'nl', texts }",
    (given) => isRecord(given) && isRecord(given['texts']),
  ),
  (given, path) => {
    locale.read(given.locale, `${path}.locale`);
    checkTexts(given.texts, given.locale, english.texts, `${path}.texts`);
    return given;
  },
);

/** The validation of the option. */
export const LANGUAGES = refined(
  listOf('an array of languages, such as [german, english] of oauth-query/languages', language),
  (given, path) => {
    const locales = given.map(({ locale: one }) => one);
    const twice = locales.find((one, at) => locales.indexOf(one) !== at);
    if (twice !== undefined) fail(`${path} has ${JSON.stringify(twice)} twice.`);
    return given.length === 0 ? fail(`${path} is an empty list. Name at least one language.`) : given;
  },
);

/** The texts of all pages, and those of a feature. */
type AllTexts<More extends string> = Readonly<Record<PageTextName | More, string | PluralText>>;

type KeyOf<Texts extends FeatureTexts> = Extract<keyof Texts, string>;

/** The languages of the pages, with the texts of a feature if one is named. */
export class Languages<More extends string = never> {
  /** The default language comes first. */
  readonly offered: readonly string[];
  readonly #given: readonly PageLanguage[];
  readonly #translators: readonly Translator<PageTextName | More>[];

  private constructor(given: readonly PageLanguage[], texts: readonly AllTexts<More>[]) {
    this.#given = given;
    this.#translators = texts.map((one, at) => new Translator((given[at] ?? english).locale, one));
    this.offered = given.map(({ locale: one }) => one);
  }

  /** English if there are none. */
  static of(given: readonly PageLanguage[] = []): Languages {
    const languages = given.length === 0 ? [english] : given;
    return new Languages(
      languages,
      languages.map(({ texts }) => texts),
    );
  }

  /**
   * The languages with the texts of a feature. If the default language lacks them, English takes its place.
   *
   * @throws TypeError if the texts do not match the English ones.
   */
  with<Texts extends FeatureTexts>(feature: string, inEnglish: Texts): Languages<KeyOf<Texts>> {
    const hasNone = Object.keys(inEnglish).length === 0;
    const found = this.#given.flatMap((one) => {
      const texts = one.features?.[feature] ?? (hasNone || /^en\b/.test(one.locale) ? inEnglish : undefined);
      if (texts === undefined) return [];
      checkTexts(texts, one.locale, inEnglish, `The language ${one.locale}: features.${feature}`);
      return [{ one, texts: texts as Texts }]; // As just checked.
    });
    const all = found[0]?.one === this.#given[0] ? found : [{ one: english, texts: inEnglish }, ...found];
    return new Languages<KeyOf<Texts>>(
      all.map(({ one }) => one),
      all.map(({ one, texts }): AllTexts<KeyOf<Texts>> => ({ ...one.texts, ...texts })),
    );
  }

  /** An offered language, or the default. */
  get(wanted: string | undefined): Translator<PageTextName | More> {
    const [first] = this.#translators;
    return this.#translators.find(({ locale: one }) => one === wanted) ?? first ?? fail('There is no language.');
  }
}
