import type { ApiError } from './api-error.js';
import { htmlText, plainText, strippedText } from './messages.js';
import type { MutableItem } from './result-format.js';
import type { Warning } from './warnings.js';

export const ERROR_FORMATS = ['bc', 'html', 'none', 'plaintext', 'raw', 'wikitext'] as const;
export type ErrorFormat = (typeof ERROR_FORMATS)[number];

/** How this request wants to be answered. */
export interface AnswerStyle {
  readonly version: 1 | 2;
  readonly errorFormat: ErrorFormat;
  /** Where the API is described: the pointer that goes with every error. */
  readonly documentation: string;
}

/** Adds an error to an answer. */
export const writeError = (answer: MutableItem, error: ApiError, style: AnswerStyle): void => {
  const { version, errorFormat } = style;
  const pointer = `See ${style.documentation} for API usage.`;
  const pointerKey = version === 1 ? '*' : 'docref';
  if (errorFormat === 'bc') {
    answer['error'] = { code: error.code, info: strippedText(error.text), ...error.data, [pointerKey]: pointer };
    return;
  }
  const { code, text, data, module = 'main' } = error;
  answer['errors'] = [entry({ code, text, data, module }, style)];
  answer[pointerKey] = pointer;
};

/** Adds what was noticed on the way. */
export const writeWarnings = (answer: MutableItem, warnings: readonly Warning[], style: AnswerStyle): void => {
  if (warnings.length === 0) return;
  answer['warnings'] =
    style.errorFormat === 'bc' ? oldWarnings(warnings, style.version) : modernWarnings(warnings, style);
};

/** By the last part of the module's path, one text with a line for each. */
const oldWarnings = (warnings: readonly Warning[], version: 1 | 2): MutableItem => {
  const lines = new Map<string, Set<string>>();
  for (const { module, text } of warnings) {
    const name = module.slice(module.lastIndexOf('+') + 1);
    lines.set(name, (lines.get(name) ?? new Set()).add(strippedText(text)));
  }
  const key = version === 1 ? '*' : 'warnings';
  return Object.fromEntries([...lines].map(([name, texts]) => [name, { [key]: [...texts].join('\n') }]));
};

const modernWarnings = (warnings: readonly Warning[], style: AnswerStyle): readonly MutableItem[] => {
  const entries = warnings.map((warning) => entry(warning, style));
  const distinct = new Map(entries.map((one) => [JSON.stringify(one), one]));
  return [...distinct.values()];
};

/** An error or a warning. */
const entry = ({ code, text, data, module }: Warning, { errorFormat, version }: AnswerStyle): MutableItem => {
  const rest = { ...(data && Object.keys(data).length > 0 ? { data } : {}), module };
  if (errorFormat === 'raw') return { code, key: text.key, params: text.params, ...rest };
  if (errorFormat === 'none' || errorFormat === 'bc') return { code, ...rest };
  const shown = SHOWN[errorFormat](text);
  // In formatversion 1 the text is the content, which comes last.
  if (version === 1) return { code, ...rest, '*': shown };
  return { code, [errorFormat === 'html' ? 'html' : 'text']: shown, ...rest };
};

const SHOWN = { html: htmlText, plaintext: strippedText, wikitext: plainText } as const;
