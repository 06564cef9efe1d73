import { type Message, message, type MessageKey, type MessageParam, plainText } from './messages.js';

/** Values sent with the text of an error or warning: bounds, limits, unknown values. */
export type ConditionData = Readonly<Record<string, string | number | null | readonly string[]>>;

/** Optional details of an API error. */
export interface ApiErrorDetails {
  /** Data of the error, next to its code. */
  readonly data?: ConditionData | undefined;
  /** Path of the module that failed: `main`, `query`, `query+allpages`. */
  readonly module?: string | undefined;
  /** HTTP status. Default 200. */
  readonly status?: number | undefined;
  /** Response headers, with lower-case names. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * An error of the MediaWiki API: a code for programs and a text for people. If a handler throws one, the client
 * receives it unchanged, unlike any other exception. In a code, every character other than letters, digits, `_` and `-`
 * becomes `_`.
 */
export class ApiError extends Error {
  /** Always `ApiError`. */
  override readonly name = 'ApiError';
  /** For programs, such as `badvalue`: letters, digits, `_` and `-`. */
  readonly code: string;
  /** For people: a message key and its parameters. */
  readonly text: Message;
  /** Values sent with the text, if any. */
  readonly data: ConditionData | undefined;
  /** Path of the module that failed; if `undefined`, the endpoint fills it in. */
  readonly module: string | undefined;
  /** HTTP status. */
  readonly status: number;
  /** Response headers, with lower-case names. */
  readonly headers: Readonly<Record<string, string>>;

  /** @param text - An English sentence, or a built-in message. */
  constructor(code: string, text: Message | string, details: ApiErrorDetails = {}) {
    const sentence = typeof text === 'string' ? message('apiwarn-handler', text) : text;
    super(plainText(sentence));
    // The code is also sent as a header.
    this.code = code.replace(/[^A-Za-z0-9_-]/g, '_');
    this.text = sentence;
    this.data = details.data;
    this.module = details.module;
    this.status = details.status ?? 200;
    this.headers = details.headers ?? {};
  }

  /** The same error with this module's path, unless it already has one. */
  in(module: string): ApiError {
    if (this.module !== undefined) return this;
    const { code, text, data, status, headers } = this;
    return new ApiError(code, text, { data, module, status, headers });
  }
}

/** The codes whose message has their name. */
type Code = MessageKey extends infer Key ? (Key extends `apierror-${infer Name}` ? Name : never) : never;

/** An error whose message has the name of its code. */
export const apiError = (code: Code, ...params: readonly MessageParam[]): ApiError =>
  new ApiError(code, message(`apierror-${code}`, ...params));

/** The error for a continuation value that no earlier response contained. Handlers may throw it too. */
export const badContinue = (): ApiError => apiError('badcontinue');

/** The error for a title that no page can have. */
export const invalidTitle = (text: string): ApiError => apiError('invalidtitle', { plaintext: text });
