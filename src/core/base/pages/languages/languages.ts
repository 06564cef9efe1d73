import { fail, isRecord, listOf, refined, required, text, value } from '../../schema.js';
import { nearestName } from '../../spelling.js';
import { english, type PageLanguage, type PageTextName, type PluralText } from './english.js';
import { Translator, placeholders } from './translator.js';

const isLocale = (given: unknown): boolean => {
  try {
    return typeof given === 'string' && new Intl.Locale(given).toString() === given;
  } catch {
    return false;
  }
};

const locale = required(value<string>("a language such as 'de' or 'pt-BR', as BCP 47 writes it", isLocale));

const sentence = text('text that is not empty');

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

const NAMES = Object.keys(english.texts) as PageTextName[];

const checkTexts = (texts: Readonly<Record<string, unknown>>, language: string, path: string): void => {
  for (const name of Object.keys(texts)) {
    if (Object.hasOwn(english.texts, name)) continue;
    const near = nearestName(name, NAMES);
    fail(`${path}.${name} is no text of the pages.${near === undefined ? '' : ` Did you mean ${near}?`}`);
  }
  const lacking = NAMES.filter((name) => texts[name] === undefined);
  if (lacking.length > 0)
    fail(
      `${path} lacks ${lacking.slice(0, 5).join(', ')}${lacking.length > 5 ? ` and ${lacking.length - 5} more` : ''}. A language needs every text.`,
    );
  for (const name of NAMES) {
    const inEnglish = english.texts[name];
    if (typeof inEnglish === 'string') checkPlaceholders(texts[name], inEnglish, `${path}.${name}`);
    else checkPlural(texts[name], inEnglish, language, `${path}.${name}`);
  }
};

const language = refined(
  value<PageLanguage>(
    "a language, such as german of oauth-query/languages, or { locale: 'nl', texts }",
    (given) => isRecord(given) && isRecord(given['texts']),
  ),
  (given, path) => {
    locale.read(given.locale, `${path}.locale`);
    checkTexts(given.texts, given.locale, `${path}.texts`);
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

/** The languages of the pages. */
export class Languages {
  /** The default language comes first. */
  readonly offered: readonly string[];
  readonly #byLocale: ReadonlyMap<string, Translator>;
  readonly #default: Translator;

  constructor([first = english, ...others]: readonly PageLanguage[] = []) {
    this.#default = new Translator(first);
    const all = [this.#default, ...others.map((one) => new Translator(one))];
    this.#byLocale = new Map(all.map((one) => [one.locale, one]));
    this.offered = [...this.#byLocale.keys()];
  }

  /** An offered language, or the default. */
  get(wanted: string | undefined): Translator {
    return this.#byLocale.get(wanted ?? '') ?? this.#default;
  }
}
