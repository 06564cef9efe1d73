import type { Peers } from './peers.js';
import { InvalidToml, readToml } from './toml.js';

/** A text split into front matter and body. */
interface FrontMatter {
  /** Fields by name, in lower case; only texts and lists of texts. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
  /** The text after the front matter. */
  readonly body: string;
  /** Why it is invalid, with the line in the file. */
  readonly problem?: { readonly line: number; readonly message: string };
}

/** A language of front matter: the lines around it, as patterns. */
interface Dialect {
  readonly name: 'YAML' | 'TOML' | 'JSON';
  readonly start: RegExp;
  readonly end: RegExp;
}

const MAX_LENGTH = 64 * 1024;
/** JSON begins and ends with its braces. */
const DIALECTS: readonly Dialect[] = [
  { name: 'YAML', start: /^---[ \t]*\r?\n/, end: /^(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/gm },
  { name: 'TOML', start: /^\+\+\+[ \t]*\r?\n/, end: /^\+\+\+[ \t]*(?:\r?\n|$)/gm },
  { name: 'JSON', start: /^\{[ \t]*\r?\n/, end: /^\}[ \t]*(?:\r?\n|$)/gm },
];

/**
 * Parses front matter at the start of a text: YAML between two lines of `---`, TOML between two of `+++`, and JSON from a
 * line `{` to a line `}`. All scalars are texts, so that `1.10` is not a number.
 */
export const readFrontMatter = (text: string, yaml: Peers['yaml']): FrontMatter => {
  const dialect = DIALECTS.find(({ start }) => start.test(text));
  if (!dialect) return { fields: NOTHING, body: text };
  const { name, start, end: closing } = dialect;
  const first = start.exec(text)?.[0].length ?? 0;
  closing.lastIndex = first;
  const end = closing.exec(text);
  if (!end) return withoutEnd(text, name);
  const body = text.slice(closing.lastIndex);
  const source = name === 'JSON' ? text.slice(0, closing.lastIndex) : text.slice(first, end.index);
  if (source.length > MAX_LENGTH) {
    const message = `The front matter has more than ${MAX_LENGTH} characters.`;
    return { fields: NOTHING, body, problem: { line: 1, message } };
  }
  if (source.trim() === '') return { fields: NOTHING, body };
  try {
    const entries = name === 'TOML' ? [...readToml(source)] : entriesOf(yaml.load(source));
    if (!entries) return { fields: NOTHING, body: text };
    return { ...fieldsOf(entries), body };
  } catch (error) {
    return { fields: NOTHING, body, problem: problemOf(error, name) };
  }
};

/** A line of dashes without another is a thematic break; the others begin nothing in Markdown. */
const withoutEnd = (text: string, name: Dialect['name']): FrontMatter => {
  if (name === 'YAML') return { fields: NOTHING, body: text };
  const message = `The front matter has no end: a line "${name === 'TOML' ? '+++' : '}'}". It is shown as text.`;
  return { fields: NOTHING, body: text, problem: { line: 1, message } };
};

type Entries = readonly (readonly [name: string, value: unknown])[];

/** The values of an object, and those of `taxonomies` (Zola) as `taxonomies.tags`; `undefined` if it is none. */
const entriesOf = (found: unknown): Entries | undefined => {
  if (typeof found !== 'object' || found === null || Array.isArray(found)) return undefined;
  return Object.entries(found).flatMap(([name, value]: [string, unknown]) =>
    /^taxonomies$/i.test(name)
      ? (entriesOf(value) ?? []).map(([inner, one]) => [`${name}.${inner}`, one] as const)
      : [[name, value] as const],
  );
};

/** Names are compared without regard to case, and a name that is there twice is an error, because either value may be meant. */
const fieldsOf = (entries: Entries): Pick<FrontMatter, 'fields' | 'problem'> => {
  const fields = new Map<string, readonly string[]>();
  const names = new Set<string>();
  for (const [name, value] of entries) {
    const key = name.toLowerCase();
    const message = `The front matter has ${JSON.stringify(name.slice(0, 100))} twice.`;
    if (names.has(key)) return { fields: NOTHING, problem: { line: 1, message } };
    names.add(key);
    const field = key.replace(/^taxonomies\./, '');
    fields.set(field, [...(fields.get(field) ?? []), ...textsOf(value)]);
  }
  return { fields };
};

const DRAFT = /^[ \t]*"?(?:draft"?[ \t]*[=:][ \t]*(?:true|yes|on)|published"?[ \t]*[=:][ \t]*(?:false|no|off))\b/im;

/** Whether a text is not meant for readers: `draft: true` (Hugo, Zola) or `published: false` (Jekyll). Front matter that cannot be read may say so on any line. */
export const isDraft = (text: string, { fields, problem }: Pick<FrontMatter, 'fields' | 'problem'>): boolean => {
  const is = (name: string, values: RegExp): boolean => values.test(fields.get(name)?.[0] ?? '');
  return is('draft', /^(?:true|yes|on)$/i) || is('published', /^(?:false|no|off)$/i) || (!!problem && DRAFT.test(text));
};

const NOTHING: FrontMatter['fields'] = new Map();

/** A text and a list of texts are both lists; other values are ignored. */
const textsOf = (value: unknown): readonly string[] =>
  [value]
    .flat()
    .filter((one) => typeof one === 'string')
    // Escapes can stand for half a character, which becomes U+FFFD.
    .map((one) => Buffer.from(one.replaceAll('\0', '\ufffd').trim()).toString())
    .filter((one) => one !== '');

const problemOf = (error: unknown, name: Dialect['name']): NonNullable<FrontMatter['problem']> => {
  const { reason, mark } = error as { readonly reason?: unknown; readonly mark?: { readonly line?: unknown } };
  const line = error instanceof InvalidToml ? error.line : mark?.line;
  const why = error instanceof InvalidToml ? error.message : typeof reason === 'string' ? reason : String(error);
  return {
    // Both parsers count from 0; the source of JSON begins in the first line of the file, the others in the second.
    line: typeof line === 'number' ? line + (name === 'JSON' ? 1 : 2) : 1,
    message: `The front matter is not valid ${name}: ${why}.`,
  };
};
