import { type Message, message, plainText } from './messages.js';

/** Values that go out beside the text of an error or warning: bounds, limits, the values that were not known. */
export type ConditionData = Readonly<Record<string, string | number | null | readonly string[]>>;

/** What an API error may say beside its code and text. */
export interface ApiErrorDetails {
  readonly data?: ConditionData | undefined;
  /** Path of the module that refuses: `main`, `query`, `query+allpages`. */
  readonly module?: string | undefined;
  /** HTTP status; an API error is answered with 200 unless it says otherwise. */
  readonly status?: number | undefined;
  /** Header fields of the answer, lower-case names. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * A refusal in the words of a MediaWiki API: a code for programs and a text for people.
 * A handler may throw one; it then reaches the client as it is, unlike any other exception. In a code every character
 * other than letters, digits, `_` and `-` becomes `_`.
 */
export class ApiError extends Error {
  /** Always `ApiError`. */
  override readonly name = 'ApiError';
  /** For programs, such as `badvalue`: letters, digits, `_` and `-`. */
  readonly code: string;
  /** For people: a sentence by its key, with what goes into it. */
  readonly text: Message;
  /** Values that go out beside the text; `undefined` if there are none. */
  readonly data: ConditionData | undefined;
  /** Path of the module that refuses; filled in by the endpoint if it is `undefined`. */
  readonly module: string | undefined;
  /** HTTP status; 200 unless the details say otherwise. */
  readonly status: number;
  /** Header fields of the answer, lower-case names. */
  readonly headers: Readonly<Record<string, string>>;

  /** @param text - One English sentence of your own, or one of ours by its key. */
  constructor(code: string, text: Message | string, details: ApiErrorDetails = {}) {
    const sentence = typeof text === 'string' ? message('apiwarn-handler', text) : text;
    super(plainText(sentence));
    // The code goes out in a header field.
    this.code = code.replace(/[^A-Za-z0-9_-]/g, '_');
    this.text = sentence;
    this.data = details.data;
    this.module = details.module;
    this.status = details.status ?? 200;
    this.headers = details.headers ?? {};
  }

  /** The same error, said by this module, unless a more exact one is already named. */
  in(module: string): ApiError {
    if (this.module !== undefined) return this;
    const { code, text, data, status, headers } = this;
    return new ApiError(code, text, { data, module, status, headers });
  }
}

/** The refusal of a continuation value that no earlier answer can have given. Handlers may throw it too. */
export const badContinue = (): ApiError => new ApiError('badcontinue', message('apierror-badcontinue'));
