/** An option in a source file: `path` below the options of the function `of`, or of the variable of this name. */
interface OptionUse {
  readonly of: string;
  readonly path: string;
  readonly line: number;
}

/** The options that a source file passes to functions, and the variables in which it passes them. */
interface SourceUses {
  readonly options: readonly OptionUse[];
  /** A variable with options, and the function that it is passed to. */
  readonly passed: readonly { readonly variable: string; readonly to: string }[];
}

// Each alternative also matches if its end is missing, so that all work is linear.
const TOKEN =
  /\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?|'(?:[^'\\\n]|\\[^])*'?|"(?:[^"\\\n]|\\[^])*"?|`(?:[^`\\]|\\[^])*`?|[A-Za-z_$][\w$]*|\d[\w.]*|\.\.\.|=>|[^\s\w]/g;

interface Token {
  readonly text: string;
  readonly line: number;
}

const tokensOf = (source: string): readonly Token[] => {
  const tokens: Token[] = [];
  let [line, from] = [1, 0];
  for (const { 0: text, index } of source.matchAll(TOKEN)) {
    for (; from < index; from += 1) if (source[from] === '\n') line += 1;
    if (!/^\/[/*]/.test(text)) tokens.push({ text, line });
  }
  return tokens;
};

const isName = (text: string | undefined): text is string => text !== undefined && /^[A-Za-z_$]/.test(text);

/** The function that an opening parenthesis at this index calls, behind type arguments, if any. */
const calledAt = (tokens: readonly Token[], index: number): string | undefined => {
  let at = index - 1;
  if (tokens[at]?.text === '>') {
    let depth = 0;
    do {
      const text = tokens[at]?.text;
      depth += text === '>' ? 1 : text === '<' ? -1 : 0;
      at -= 1;
    } while (depth > 0 && at > 0 && index - at < MAX_TYPE_ARGUMENTS);
  }
  const name = tokens[at]?.text;
  return isName(name) ? name : undefined;
};

/** The maximum number of tokens of type arguments. */
const MAX_TYPE_ARGUMENTS = 100;

/** The variable that an opening brace at this index is assigned to: `const options = {` or `const options: Options = {`. */
const variableAt = (tokens: readonly Token[], index: number): string | undefined => {
  if (tokens[index - 1]?.text !== '=') return undefined;
  for (let at = index - 2; at > 0 && index - at < MAX_TYPE_ARGUMENTS; at -= 1) {
    const { text = '' } = tokens[at] ?? {};
    if (/^[;{}()]$/.test(text)) return undefined;
    if (/^(const|let|var)$/.test(tokens[at - 1]?.text ?? '')) return isName(text) ? text : undefined;
  }
  return undefined;
};

/** What is open: a call, an object with options, or anything else. */
interface Opened {
  readonly call?: string | undefined;
  readonly options?: { readonly of: string; readonly path: string } | undefined;
}

/** Finds options by their names, without running the file or depending on a parser. Text of a regular expression can hide or add some. */
export const optionUses = (source: string): SourceUses => {
  const tokens = tokensOf(source);
  const options: OptionUse[] = [];
  const passed: { variable: string; to: string }[] = [];
  const open: Opened[] = [];
  let key: string | undefined;
  for (const [index, { text, line }] of tokens.entries()) {
    const [before, after] = [tokens[index - 1]?.text, tokens[index + 1]?.text];
    const { call, options: inside } = open.at(-1) ?? {};
    if (text === '(') open.push({ call: calledAt(tokens, index) });
    else if (text === '[') open.push({});
    else if (text === '{') open.push({ options: objectAt(tokens, index, open.at(-1), key) });
    else if (/^[)\]}]$/.test(text)) open.pop();
    else if (isName(text) && before === '...' && inside?.path === '') passed.push({ variable: text, to: inside.of });
    else if (isName(text) && call !== undefined && before === '(' && /^[),]$/.test(after ?? ''))
      passed.push({ variable: text, to: call });
    else if (inside !== undefined && (before === '{' || before === ',') && /^[:,}(]$/.test(after ?? '')) {
      key = text.replace(/^['"]|['"]$/g, '');
      options.push({ of: inside.of, path: inside.path === '' ? key : `${inside.path}.${key}`, line });
    }
  }
  return { options, passed };
};

/** What an object at this index has the options of. @param key - The key before it. */
const objectAt = (
  tokens: readonly Token[],
  index: number,
  { call, options }: Opened = {},
  key: string | undefined,
): Opened['options'] => {
  const before = tokens[index - 1]?.text;
  if (call !== undefined && before === '(') return { of: call, path: '' };
  if (options !== undefined && key !== undefined && before === ':')
    return { of: options.of, path: options.path === '' ? key : `${options.path}.${key}` };
  const variable = variableAt(tokens, index);
  return variable === undefined ? undefined : { of: variable, path: '' };
};
