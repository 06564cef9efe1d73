/** The direction of a text. */
export type Direction = 'ltr' | 'rtl';

/** Languages that are written from right to left, unless their code names another script. A table, because the data of `Intl` differs between processes. */
const LANGUAGES: ReadonlySet<string> = new Set(
  'aeb ar arc ary arq arz azb bcc bgn bqi ckb dv fa glk he iw ji khw ks lki lrc luz mzn nqo pnb prs ps rhg sd sdh skr syc syr ug ur yi'.split(
    ' ',
  ),
);

/** Scripts that are written from right to left. */
const SCRIPTS: ReadonlySet<string> = new Set('adlm arab armi hebr mand nkoo rohg samr syrc thaa'.split(' '));

/** The direction of a language, by the script in its code or the one that it is usually written in. */
export const directionOf = (language: string): Direction => {
  const [code = '', ...parts] = language.toLowerCase().split('-');
  const script = parts.find((part) => /^[a-z]{4}$/.test(part));
  return (script === undefined ? LANGUAGES.has(code) : SCRIPTS.has(script)) ? 'rtl' : 'ltr';
};
