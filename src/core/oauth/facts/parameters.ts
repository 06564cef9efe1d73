import { isUtf8 } from 'node:buffer';
import { OAuthError, type OAuthErrorCode } from '../../base/errors.js';
import { BodyError, bufferOf, readBodyAs } from '../../base/http/body.js';
import type { HttpRequest } from '../../base/http/messages.js';
import { decodeUrlencoded, forEachPair } from '../../base/http/urlencoded.js';
import { roomWith } from '../../base/limits/body-room.js';
import type { LimitAt } from '../../base/limits/source.js';
import type { MaybePromise } from '../../base/ports.js';

/**
 * The characters allowed in a parameter (RFC 6749 appendix A).
 *
 * - `vschar`: printable ASCII: identifiers, codes, tokens, `state`
 * - `uri`: printable ASCII without the space
 * - `client_id`: `vschar` of at most 512 characters, or 1,500 if it begins as those of a feature may (`clientPrefix`)
 * - `text`: any Unicode without control characters: names, passwords and secrets chosen by people
 */
export type Grammar = 'vschar' | 'uri' | 'client_id' | 'text' | 'lines';

/** The pattern of a complete value of each grammar. */
export const GRAMMARS: Readonly<Record<Grammar, RegExp>> = {
  vschar: /^[\x20-\x7e]*$/,
  uri: /^[\x21-\x7e]*$/,
  client_id: /^(?:[\x20-\x7e]{0,512}|(?=.{1,1500}$)[a-z]{1,20}\.[\x20-\x7e]*)$/,
  text: /^[^\u0000-\u001f\u007f\ud800-\udfff]*$/u,
  lines: /^[^\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f\ud800-\udfff]*$/u,
};

/** The parameters of an endpoint. All other names are ignored, even if repeated. */
export type Definitions = Readonly<Record<string, Grammar>>;

/** The longest body of a request in bytes. The longest form in use, a pushed request with a signed assertion, has some kilobytes. */
export const MAX_BODY = 65_536;

/** The fields of a form or a query. */
const MAX_FIELDS = 100;

const BROKEN_ESCAPE = 'The request has a broken percent escape.';

/** The only parameter that may be repeated (RFC 8707 §2). */
const REPEATABLE = 'resource';

/**
 * The defined parameters of a request. An empty value counts as absent (RFC 6749 §3.1). Problems are collected
 * instead of thrown, because at the authorization endpoint the parameter determines who receives the error.
 */
export class Parameters {
  readonly #definitions: Definitions;
  readonly #values = new Map<string, string>();
  readonly #resources: string[] = [];
  #problems: Map<string, string> | undefined;
  #repeated: Set<string> | undefined;

  constructor(definitions: Definitions) {
    this.#definitions = definitions;
  }

  get(name: string): string | undefined {
    return this.#values.get(name) || undefined;
  }

  /** Whether a parameter was repeated, regardless of other problems: then it has no value to return. */
  isRepeated(name: string): boolean {
    return this.#repeated !== undefined && this.#repeated.has(name);
  }

  /** All values of `resource`. */
  get resources(): readonly string[] {
    return this.#resources;
  }

  /** The problem with this parameter, if any. */
  problem(name: string): string | undefined {
    return this.#problems?.get(name);
  }

  /** The problem with any of them, if there is one. */
  get firstProblem(): string | undefined {
    return this.#problems?.values().next().value;
  }

  /** @param value - `undefined` if it cannot be decoded. */
  add(name: string, value: string | undefined): void {
    if (value === undefined) this.#reject(name, BROKEN_ESCAPE);
    const grammar = Object.hasOwn(this.#definitions, name) ? this.#definitions[name] : undefined;
    if (grammar === undefined) return;
    if (value !== undefined && !GRAMMARS[grammar].test(value))
      this.#reject(name, `The parameter ${name} is too long, or has a character that it must not have.`);
    if (name === REPEATABLE) {
      if (value) this.#resources.push(value);
    } else if (this.#values.has(name)) {
      this.#repeat(name);
    } else {
      this.#values.set(name, value ?? '');
    }
  }

  /** A value that is not a string: the application's body parser found the name several times or in brackets. */
  addStructured(name: string, value: unknown): void {
    if (!Object.hasOwn(this.#definitions, name)) return;
    if (name !== REPEATABLE || !Array.isArray(value)) {
      this.#repeat(name);
      return;
    }
    for (const item of value) {
      if (typeof item === 'string') this.add(name, item);
      else this.#reject(name, `The parameter ${name} must be a string.`);
    }
  }

  /** A name that cannot be decoded. */
  addBrokenName(): void {
    this.#reject('', BROKEN_ESCAPE);
  }

  #repeat(name: string): void {
    (this.#repeated ??= new Set()).add(name);
    this.#reject(name, `The parameter ${name} must not be repeated.`);
  }

  #reject(name: string, problem: string): void {
    this.#problems ??= new Map();
    if (!this.#problems.has(name)) this.#problems.set(name, problem);
  }
}

const tooManyFields = (limit: number): OAuthError =>
  new OAuthError('invalid_request', `The request has more than ${limit} parameters.`);

/** Parses `application/x-www-form-urlencoded` text; everything is decoded once. */
export const parseParameters = (text: string, definitions: Definitions, maxFields = MAX_FIELDS): Parameters => {
  const parameters = new Parameters(definitions);
  let fields = 0;
  forEachPair(text, (name, value) => {
    fields += 1;
    if (fields > maxFields) throw tooManyFields(maxFields);
    const decoded = decodeUrlencoded(name);
    if (decoded === undefined) parameters.addBrokenName();
    else parameters.add(decoded, decodeUrlencoded(value));
  });
  return parameters;
};

/** @param code - Of a body with which the client has made a mistake. */
export const bodyRefusal = (
  { problem, message, status, headers }: BodyError,
  code: OAuthErrorCode = 'invalid_request',
): OAuthError => new OAuthError(problem === 'no-room' ? 'temporarily_unavailable' : code, message, { status, headers });

/** Restores name-value pairs from the result of the application's body parser. */
const parametersOfRecord = (body: object, definitions: Definitions): Parameters => {
  const parameters = new Parameters(definitions);
  let fields = 0;
  let size = -1; // Every pair has an equals sign and an ampersand, except the last.
  for (const [name, value] of Object.entries(body)) {
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    fields += values.length;
    for (const item of values) size += name.length + (typeof item === 'string' ? item.length : 0) + 2;
    if (typeof value === 'string') parameters.add(name, value);
    else parameters.addStructured(name, value);
  }
  if (fields > MAX_FIELDS) throw tooManyFields(MAX_FIELDS);
  if (size > MAX_BODY) throw bodyRefusal(new BodyError('too-large'));
  return parameters;
};

export const isForm = (contentType: string | undefined): boolean =>
  contentType !== undefined && /^application\/x-www-form-urlencoded[ \t]*(?:;|$)/i.test(contentType);

const textOf = (bytes: Uint8Array): string => {
  if (!isUtf8(bytes)) throw new OAuthError('invalid_request', 'The request body is not UTF-8.');
  return bufferOf(bytes).toString('utf8');
};

/**
 * Reads the form of a POST request: its bytes, or the result of the application's body parser. Both lead to the
 * same response.
 *
 * @throws OAuthError `invalid_request`, with status 413 if the body exceeds its limit, and 408 if it does not arrive in time;
 * `temporarily_unavailable` if there is no room for it.
 */
export type ReadForm = (request: HttpRequest, definitions: Definitions) => MaybePromise<Parameters>;

export const formReader = (limitAt: LimitAt): ReadForm => {
  const limits = { bytes: MAX_BODY, room: roomWith(limitAt) };
  return (request, definitions) => {
    if (!isForm(request.header('content-type'))) {
      throw new OAuthError('invalid_request', 'The content type must be application/x-www-form-urlencoded.');
    }
    return readBodyAs(request, limits, bodyRefusal, (body) =>
      'bytes' in body ? parseParameters(textOf(body.bytes), definitions) : parametersOfRecord(body.fields, definitions),
    );
  };
};

/**
 * The result of a {@link ReadForm}, for endpoints that only respond to the client.
 *
 * @throws OAuthError `invalid_request` for the first parameter with a problem.
 */
export const checkedForm = (form: Parameters): Parameters => {
  if (form.firstProblem !== undefined) throw new OAuthError('invalid_request', form.firstProblem);
  return form;
};
