import { directionOf } from '../../base/direction.js';
import { commaList, message } from '../answer/messages.js';
import type { ParamsOf } from '../catalogue/index.js';
import type { MetaHandler } from '../run/handlers.js';

/** A language of the site. */
export interface Language {
  /** Its name in the language itself. */
  readonly autonym: string;
  /** Its name in English. Default: the autonym. */
  readonly name?: string;
  /** Default: the code. */
  readonly bcp47?: string;
  /** Default: that of the script of `bcp47`. */
  readonly dir?: 'ltr' | 'rtl';
  /** Codes of the languages to use when a text is missing. */
  readonly fallbacks?: readonly string[];
  /** Codes of the variants that texts can be converted to. */
  readonly variants?: readonly string[];
  /** Names of the variants, by their codes. */
  readonly variantnames?: Readonly<Record<string, string>>;
}

/** Answers `meta=languageinfo` from the languages in the options. */
export const languageinfo =
  (languages: Readonly<Record<string, Language>>): MetaHandler<ParamsOf<'languageinfo'>> =>
  ({ params: { prop, code: codes }, continue: from = '', warn }) => {
    const all = Object.keys(languages).sort();
    const everything = codes.length === 1 && codes[0] === '*';
    const unknown = everything ? [] : codes.filter((code) => !Object.hasOwn(languages, code));
    if (unknown.length > 0) {
      warn(
        'unrecognizedvalues',
        message('apiwarn-unrecognizedvalues', { plaintext: 'licode' }, commaList(unknown), { num: unknown.length }),
      );
    }
    const chosen = all.filter((code) => code >= from && (everything || codes.includes(code)));
    const wanted = new Set(prop);
    return {
      data: Object.fromEntries(
        chosen.map((code) => {
          const language = languages[code];
          const facts = language ? factsOf(code, language) : {};
          return [
            code,
            Object.fromEntries(Object.entries(facts).filter(([name]) => wanted.has(name as (typeof prop)[number]))),
          ];
        }),
      ),
    };
  };

const factsOf = (code: string, language: Language) => {
  const { autonym, name, bcp47 = code, dir = directionOf(bcp47), fallbacks, variants, variantnames } = language;
  return {
    code,
    bcp47,
    dir,
    autonym,
    name: name ?? autonym,
    fallbacks: fallbacks ?? [],
    variants: variants ?? [],
    variantnames: variantnames ?? {},
  };
};
