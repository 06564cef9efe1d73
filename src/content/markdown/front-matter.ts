import type { Peers } from './peers.js';

/** A text split into front matter and body. */
export interface FrontMatter {
  /** Fields by name; only texts and lists of texts. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
  /** The text after the front matter. */
  readonly body: string;
  /** Why it is invalid, with the line in the file. */
  readonly problem?: { readonly line: number; readonly message: string };
}

const MAX_LENGTH = 64 * 1024;
const BEGINNING = /^---[ \t]*\r?\n/;
const END = /^(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/gm;

/**
 * Parses YAML between two lines of `---` at the start of a text. All scalars are texts, so that `1.10` is not a number.
 */
export const readFrontMatter = (text: string, yaml: Peers['yaml']): FrontMatter => {
  const [first] = BEGINNING.exec(text) ?? [];
  if (first === undefined) return { fields: NOTHING, body: text };
  END.lastIndex = first.length;
  const end = END.exec(text);
  // An unclosed line of dashes is a thematic break.
  if (!end) return { fields: NOTHING, body: text };
  const body = text.slice(END.lastIndex);
  const source = text.slice(first.length, end.index);
  if (source.length > MAX_LENGTH) {
    const message = `The front matter has more than ${MAX_LENGTH} characters.`;
    return { fields: NOTHING, body, problem: { line: 1, message } };
  }
  if (source.trim() === '') return { fields: NOTHING, body };
  try {
    const found = yaml.load(source, { schema: yaml.FAILSAFE_SCHEMA, maxDepth: 20, maxAliases: 100 });
    if (typeof found !== 'object' || found === null || Array.isArray(found)) return { fields: NOTHING, body: text };
    return { fields: new Map(Object.entries(found).map(([name, value]) => [name, textsOf(value)])), body };
  } catch (error) {
    return { fields: NOTHING, body, problem: problemOf(error) };
  }
};

/** The front matter of Hugo and Zola in other languages, of which nothing else is read. */
const OTHER = /^\ufeff?(?:\+\+\+[ \t]*\r?\n[^]*?^\+\+\+[ \t]*$|\{[ \t]*\r?\n[^]*?^\})/m;

const DRAFT = /^[ \t]*"?(?:draft"?[ \t]*[=:][ \t]*(?:true|yes|on)|published"?[ \t]*[=:][ \t]*(?:false|no|off))\b/im;

/** Whether a text is not meant for readers: `draft: true` (Hugo, Zola) or `published: false` (Jekyll). Front matter that cannot be read may say so on any line. */
export const isDraft = (text: string, { fields, problem }: Pick<FrontMatter, 'fields' | 'problem'>): boolean => {
  const is = (name: string, values: RegExp): boolean =>
    [...fields].some(([key, [value = '']]) => key.toLowerCase() === name && values.test(value));
  const [other = ''] = problem === undefined ? (OTHER.exec(text.slice(0, MAX_LENGTH)) ?? []) : [text];
  return is('draft', /^(?:true|yes|on)$/i) || is('published', /^(?:false|no|off)$/i) || DRAFT.test(other);
};

const NOTHING: FrontMatter['fields'] = new Map();

/** A text and a YAML list of texts are both lists; other values are ignored. */
const textsOf = (value: unknown): readonly string[] =>
  [value]
    .flat()
    .filter((one) => typeof one === 'string')
    // YAML can escape half a character, which becomes U+FFFD.
    .map((one) => Buffer.from(one.replaceAll('\0', '\ufffd').trim()).toString())
    .filter((one) => one !== '');

const problemOf = (error: unknown): NonNullable<FrontMatter['problem']> => {
  const { reason, mark } = error as { readonly reason?: unknown; readonly mark?: { readonly line?: unknown } };
  // js-yaml counts lines from 0, after the line of dashes.
  const line = typeof mark?.line === 'number' ? mark.line + 2 : 1;
  return {
    line,
    message: `The front matter is not valid YAML: ${typeof reason === 'string' ? reason : String(error)}.`,
  };
};
