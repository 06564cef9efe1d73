import type { ApiError } from './api-error.js';
import { htmlText, plainText, strippedText } from './messages.js';
import type { MutableItem } from './result-format.js';
import type { Warning } from './warnings.js';

export const ERROR_FORMATS = ['bc', 'html', 'none', 'plaintext', 'raw', 'wikitext'] as const;
type ErrorFormat = (typeof ERROR_FORMATS)[number];

/** The response format that a request selects. */
export interface AnswerStyle {
  readonly version: 1 | 2;
  readonly errorFormat: ErrorFormat;
  /** URL of the API documentation, sent with every error. */
  readonly documentation: string;
}

/** An error as members of a response. */
export const errorItem = (error: ApiError, style: AnswerStyle): MutableItem => {
  const { code, text, data, module = 'main' } = error;
  const pointer = `See ${style.documentation} for API usage.`;
  const pointerKey = style.version === 1 ? '*' : 'docref';
  if (style.errorFormat === 'bc') return { error: { code, info: strippedText(text), ...data, [pointerKey]: pointer } };
  return { errors: [entry({ code, text, data, module }, style)], [pointerKey]: pointer };
};

/** The warnings as a member of a response; nothing without warnings. */
export const warningsItem = (warnings: readonly Warning[], style: AnswerStyle): MutableItem => {
  if (warnings.length === 0) return {};
  return {
    warnings: style.errorFormat === 'bc' ? oldWarnings(warnings, style.version) : modernWarnings(warnings, style),
  };
};

/** One text per module, keyed by the last part of its path, with a line per warning. */
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
