import type { Peers } from './peers.js';

/** A text without what stands in front of it, and what that says. */
export interface FrontMatter {
  /** By name; only texts and lists of texts are kept. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
  /** The text behind it. */
  readonly body: string;
  /** Why it cannot be read, with the line in the file. */
  readonly problem?: { readonly line: number; readonly message: string };
}

const MOST = 64 * 1024;
const BEGINNING = /^---[ \t]*\r?\n/;
const END = /^(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/gm;

/** Reads YAML between two lines of `---` at the beginning of a text. All values are texts: a version such as `1.10` is no number. */
export function readFrontMatter(text: string, yaml: Peers['yaml']): FrontMatter {
  const [first] = BEGINNING.exec(text) ?? [];
  if (first === undefined) return { fields: NOTHING, body: text };
  END.lastIndex = first.length;
  const end = END.exec(text);
  // A line of dashes that nothing closes is a rule across the page.
  if (!end) return { fields: NOTHING, body: text };
  const body = text.slice(END.lastIndex);
  const source = text.slice(first.length, end.index);
  if (source.length > MOST) {
    return {
      fields: NOTHING,
      body,
      problem: { line: 1, message: `The front matter has more than ${MOST} characters.` },
    };
  }
  if (source.trim() === '') return { fields: NOTHING, body };
  try {
    const found = yaml.load(source, { schema: yaml.FAILSAFE_SCHEMA, maxDepth: 20, maxAliases: 100 });
    if (typeof found !== 'object' || found === null || Array.isArray(found)) return { fields: NOTHING, body: text };
    return { fields: new Map(Object.entries(found).map(([name, value]) => [name, textsOf(value)])), body };
  } catch (error) {
    return { fields: NOTHING, body, problem: problemOf(error) };
  }
}

const NOTHING: FrontMatter['fields'] = new Map();

/** `a, b` and a list are both lists; what is neither text nor a list of texts says nothing here. */
const textsOf = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return value.trim() === '' ? [] : [value.trim()];
  if (!Array.isArray(value)) return [];
  return value.flatMap((one: unknown) => (typeof one === 'string' && one.trim() !== '' ? [one.trim()] : []));
};

const problemOf = (error: unknown): NonNullable<FrontMatter['problem']> => {
  const { reason, mark } = error as { readonly reason?: unknown; readonly mark?: { readonly line?: unknown } };
  // What js-yaml says of an error; its lines count from 0, behind the line of dashes.
  const line = typeof mark?.line === 'number' ? mark.line + 2 : 1;
  return { line, message: `The front matter is not YAML: ${typeof reason === 'string' ? reason : String(error)}.` };
};
