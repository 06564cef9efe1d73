import { directionOf } from '../../base/direction.js';
import { commaList, message } from '../answer/messages.js';
import type { ParamsOf } from '../catalogue/index.js';
import type { MetaHandler } from '../run/handlers.js';

/** A language of the site. */
export interface Language {
  /** Its name in the language itself. */
  readonly autonym: string;
  /** Its name in English. Default: the autonym. */
  readonly name?: string | undefined;
  /** Default: the code. */
  readonly bcp47?: string | undefined;
  /** Default: that of the script of `bcp47`. */
  readonly dir?: 'ltr' | 'rtl' | undefined;
  /** Codes of the languages to use when a text is missing. */
  readonly fallbacks?: readonly string[] | undefined;
  /** Codes of the variants that texts can be converted to. */
  readonly variants?: readonly string[] | undefined;
  /** Names of the variants, by their codes. */
  readonly variantnames?: Readonly<Record<string, string>> | undefined;
}

/** Answers `meta=languageinfo` from the languages in the options. */
export const languageinfo =
  (languages: Readonly<Record<string, Language>>): MetaHandler<ParamsOf<'languageinfo'>> =>
  ({ params: { prop, code: codes }, continue: from = '', warn }) => {
    const requested = codes.length === 1 && codes[0] === '*' ? undefined : codes;
    const unknown = (requested ?? []).filter((code) => !Object.hasOwn(languages, code));
    if (unknown.length > 0) {
      warn(
        'unrecognizedvalues',
        message('apiwarn-unrecognizedvalues', { plaintext: 'licode' }, commaList(unknown), { num: unknown.length }),
      );
    }
    const shown = Object.entries(languages)
      .filter(([code]) => code >= from && (requested === undefined || requested.includes(code)))
      .sort(([a], [b]) => (a < b ? -1 : 1));
    const wanted = new Set<string>(prop);
    return { data: Object.fromEntries(shown.map(([code, language]) => [code, factsOf(code, language, wanted)])) };
  };

/** Those facts of a language that are wanted. */
const factsOf = (code: string, language: Language, wanted: ReadonlySet<string>) => {
  const { autonym, name, bcp47 = code, dir = directionOf(bcp47), fallbacks, variants, variantnames } = language;
  const facts = {
    code,
    bcp47,
    dir,
    autonym,
    name: name ?? autonym,
    fallbacks: fallbacks ?? [],
    variants: variants ?? [],
    variantnames: variantnames ?? {},
  };
  return Object.fromEntries(Object.entries(facts).filter(([fact]) => wanted.has(fact)));
};
