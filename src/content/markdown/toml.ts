/**
 * Reads TOML of front matter: all of TOML 1.0 except that dates and numbers are not checked to the last digit. A value is
 * a text as it is written, or a list.
 *
 * @see https://toml.io/en/v1.0.0
 */

/** TOML that is not valid. */
export class InvalidToml extends Error {
  /** Always `InvalidToml`. */
  override readonly name = 'InvalidToml';
  /** From 0. */
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

type Value = string | readonly Value[];

const MAX_DEPTH = 20;

const SPACES = /[ \t]*/y;
const BLANK = /(?:[ \t\r\n]|#[^\n]*)*/y;
const END_OF_LINE = /[ \t]*(?:#[^\n]*)?(?:\r?\n|$)/y;
const BARE_KEY = /[\w-]+/y;
const BASIC = /"((?:[^"\\\n]|\\.)*)"/y;
const LITERAL = /'([^'\n]*)'/y;
const LONG_BASIC = /"""(?:\r?\n)?((?:[^"\\]|\\[^]|"{1,2}(?!"))*"{0,2})"""/y;
const LONG_LITERAL = /'''(?:\r?\n)?((?:[^']|'{1,2}(?!'))*'{0,2})'''/y;
const BARE =
  /(?:true|false|\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:\d\d)?)?|\d\d:\d\d(?::\d\d(?:\.\d+)?)?|0[xob][\da-fA-F_]+|[+-]?(?:inf|nan|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?))(?![\w.+:-])/y;

const ESCAPES = /\\(?:u([\da-fA-F]{4})|U([\da-fA-F]{8})|([btnfr"\\])|[ \t]*\r?\n\s*|[^])/g;
const LETTERS: Readonly<Record<string, string>> = { b: '\b', t: '\t', n: '\n', f: '\f', r: '\r', '"': '"', '\\': '\\' };

/**
 * The values of a text by their keys, which are joined with dots. Values in arrays of tables are read over.
 *
 * @throws InvalidToml
 */
export const readToml = (text: string): ReadonlyMap<string, Value> => new Reader(text).document();

class Reader {
  readonly #text: string;
  #at = 0;
  readonly #values = new Map<string, Value>();
  readonly #tables = new Set<string>();

  constructor(text: string) {
    this.#text = text;
  }

  document(): ReadonlyMap<string, Value> {
    let table: readonly string[] | undefined = [];
    for (this.#take(BLANK); this.#at < this.#text.length; this.#take(BLANK)) {
      if (this.#is('[[')) {
        this.#key();
        this.#expect(']]');
        table = undefined;
      } else if (this.#is('[')) {
        table = this.#key();
        this.#expect(']');
        if (this.#tables.has(table.join('.'))) this.#fail(`${JSON.stringify(table.join('.'))} is there twice`);
        this.#tables.add(table.join('.'));
      } else this.#pair(table, 0);
      if (this.#take(END_OF_LINE) === undefined) this.#fail('expected the end of the line');
    }
    return this.#values;
  }

  /** A key and its value. Without a table they are not kept. */
  #pair(table: readonly string[] | undefined, depth: number): void {
    const key = this.#key();
    this.#expect('=');
    this.#take(SPACES);
    const path = table && [...table, ...key];
    if (this.#is('{')) return this.#inlineTable(path, depth + 1);
    const value = this.#value(depth);
    const name = path?.join('.');
    if (name === undefined) return;
    if (this.#values.has(name)) this.#fail(`${JSON.stringify(name)} is there twice`);
    this.#values.set(name, value);
  }

  #key(): readonly string[] {
    const names: string[] = [];
    do {
      this.#take(SPACES);
      const name = this.#take(BARE_KEY) ?? this.#quoted();
      if (name === undefined) this.#fail('expected a key');
      names.push(name);
      this.#take(SPACES);
    } while (names.length <= MAX_DEPTH && this.#is('.'));
    return names;
  }

  #inlineTable(path: readonly string[] | undefined, depth: number): void {
    if (depth > MAX_DEPTH) this.#fail('it is nested too deeply');
    this.#take(BLANK);
    while (!this.#is('}')) {
      this.#pair(path, depth);
      this.#take(BLANK);
      if (!this.#is(',') && !this.#text.startsWith('}', this.#at)) this.#fail('expected "}"');
      this.#take(BLANK);
    }
  }

  #value(depth: number): Value {
    if (this.#is('[')) return this.#list(depth + 1);
    const text = this.#capture(LONG_LITERAL) ?? this.#escaped(LONG_BASIC) ?? this.#quoted() ?? this.#take(BARE);
    if (text === undefined) this.#fail('expected a value');
    return text;
  }

  #list(depth: number): readonly Value[] {
    if (depth > MAX_DEPTH) this.#fail('it is nested too deeply');
    const values: Value[] = [];
    this.#take(BLANK);
    while (!this.#is(']')) {
      if (this.#is('{')) this.#inlineTable(undefined, depth + 1);
      else values.push(this.#value(depth));
      this.#take(BLANK);
      if (!this.#is(',') && !this.#text.startsWith(']', this.#at)) this.#fail('expected "]"');
      this.#take(BLANK);
    }
    return values;
  }

  #quoted(): string | undefined {
    return this.#escaped(BASIC) ?? this.#capture(LITERAL);
  }

  /** A string with escapes; `undefined` if one of them is not valid. */
  #escaped(pattern: RegExp): string | undefined {
    const source = this.#capture(pattern);
    let isValid = true;
    const text = source?.replace(ESCAPES, (whole: string, short?: string, long?: string, letter?: string) => {
      const code = Number.parseInt(short ?? long ?? '', 16);
      if (letter !== undefined) return LETTERS[letter] ?? '';
      if (/^\\\s/.test(whole) && whole.includes('\n')) return '';
      if (code <= 0x10_ffff) return String.fromCodePoint(code);
      isValid = false;
      return '';
    });
    return isValid ? text : undefined;
  }

  #capture(pattern: RegExp): string | undefined {
    return this.#match(pattern)?.[1];
  }

  #take(pattern: RegExp): string | undefined {
    return this.#match(pattern)?.[0];
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match) this.#at = pattern.lastIndex;
    return match;
  }

  #is(sign: string): boolean {
    if (!this.#text.startsWith(sign, this.#at)) return false;
    this.#at += sign.length;
    return true;
  }

  #expect(sign: string): void {
    if (!this.#is(sign)) this.#fail(`expected "${sign}"`);
  }

  #fail(message: string): never {
    throw new InvalidToml(message, this.#text.slice(0, this.#at).split('\n').length - 1);
  }
}
