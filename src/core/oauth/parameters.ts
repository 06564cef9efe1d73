import { isUtf8 } from 'node:buffer';
import { readBody } from '../body.js';
import { OAuthError } from '../errors.js';
import type { HttpRequest } from '../http.js';

/**
 * Which characters a parameter may hold (RFC 6749 appendix A).
 *
 * - `vschar`: printable ASCII: identifiers, codes, tokens, `state`
 * - `uri`: printable ASCII without the space
 * - `text`: any Unicode without control characters: names, passwords and secrets of people
 */
export type Grammar = 'vschar' | 'uri' | 'text';

/** What a parameter of each grammar looks like, as a whole. */
export const GRAMMARS: Readonly<Record<Grammar, RegExp>> = {
  vschar: /^[\x20-\x7e]*$/,
  uri: /^[\x21-\x7e]*$/,
  text: /^[^\u0000-\u001f\u007f\ud800-\udfff]*$/u,
};

/** The parameters that an endpoint knows. Every other name is ignored, however often it comes. */
export type Definitions = Readonly<Record<string, Grammar>>;

export interface FormLimits {
  /** Bytes. */
  readonly bodyBytes: number;
  readonly bodyFields: number;
}

/** The one parameter that may be repeated (RFC 8707 §2). */
const REPEATABLE = 'resource';

/**
 * The defined parameters of one request. An empty value counts as absent (RFC 6749 §3.1). What is wrong is collected
 * and not thrown, because at the authorization endpoint it depends on the parameter who is told.
 */
export class Parameters {
  readonly #definitions: Definitions;
  readonly #values = new Map<string, string>();
  readonly #resources: string[] = [];
  #problems: Map<string, string> | undefined;

  constructor(definitions: Definitions) {
    this.#definitions = definitions;
  }

  get(name: string): string | undefined {
    return this.#values.get(name) || undefined;
  }

  /** All values of `resource`. */
  get resources(): readonly string[] {
    return this.#resources;
  }

  /** What is wrong with this parameter, if anything is. */
  problem(name: string): string | undefined {
    return this.#problems?.get(name);
  }

  /** What is wrong with any of them, if anything is. */
  get firstProblem(): string | undefined {
    return this.#problems?.values().next().value;
  }

  add(name: string, value: string): void {
    const grammar = Object.hasOwn(this.#definitions, name) ? this.#definitions[name] : undefined;
    if (grammar === undefined) return;
    if (!GRAMMARS[grammar].test(value))
      this.reject(name, `The parameter ${name} has a character that it must not have.`);
    if (name === REPEATABLE) {
      if (value !== '') this.#resources.push(value);
    } else if (this.#values.has(name)) {
      this.reject(name, `The parameter ${name} must not be repeated.`);
    } else {
      this.#values.set(name, value);
    }
  }

  /** A value that is no text: a host's body parser saw the name several times or in brackets. */
  addStructured(name: string, value: unknown): void {
    if (!Object.hasOwn(this.#definitions, name)) return;
    if (name === REPEATABLE && Array.isArray(value)) {
      for (const item of value) {
        if (typeof item === 'string') this.add(name, item);
        else this.reject(name, `The parameter ${name} must be text.`);
      }
    } else {
      this.reject(name, `The parameter ${name} must not be repeated.`);
    }
  }

  reject(name: string, problem: string): void {
    this.#problems ??= new Map();
    if (!this.#problems.has(name)) this.#problems.set(name, problem);
  }
}

const decode = (text: string): string => {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  return spaced.includes('%') ? decodeURIComponent(spaced) : spaced;
};

/** As {@link decode}, but `undefined` when a percent escape is broken or is not UTF-8. */
const tryDecode = (text: string): string | undefined => {
  try {
    return decode(text);
  } catch {
    return undefined;
  }
};

const tooManyFields = (limit: number): OAuthError =>
  new OAuthError('invalid_request', `The request has more than ${limit} parameters.`);

/**
 * Parses `application/x-www-form-urlencoded` text: `&` alone separates, `+` is a space, everything is decoded once
 * (RFC 6749 appendix B).
 */
export const parseParameters = (text: string, definitions: Definitions, limits: FormLimits): Parameters => {
  const parameters = new Parameters(definitions);
  let fields = 0;
  let start = 0;
  while (start < text.length) {
    const ampersand = text.indexOf('&', start);
    const end = ampersand === -1 ? text.length : ampersand;
    if (end > start) {
      fields += 1;
      if (fields > limits.bodyFields) throw tooManyFields(limits.bodyFields);
      addPair(parameters, text.slice(start, end));
    }
    start = end + 1;
  }
  return parameters;
};

const addPair = (parameters: Parameters, pair: string): void => {
  const equals = pair.indexOf('=');
  const name = tryDecode(equals === -1 ? pair : pair.slice(0, equals));
  if (name === undefined) {
    parameters.reject('', 'The request has a broken percent escape.');
    return;
  }
  const value = equals === -1 ? '' : tryDecode(pair.slice(equals + 1));
  if (value === undefined) parameters.reject(name, 'The request has a broken percent escape.');
  else parameters.add(name, value);
};

/** Pairs again, from what a body parser of the host made of them. */
const parametersOfRecord = (body: object, definitions: Definitions, limits: FormLimits): Parameters => {
  const parameters = new Parameters(definitions);
  let fields = 0;
  let size = -1; // Every pair has an equals sign and an ampersand, but for the last.
  for (const [name, value] of Object.entries(body)) {
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    fields += values.length;
    for (const item of values) size += name.length + (typeof item === 'string' ? item.length : 0) + 2;
    if (typeof value === 'string') parameters.add(name, value);
    else parameters.addStructured(name, value);
  }
  if (fields > limits.bodyFields) throw tooManyFields(limits.bodyFields);
  if (size > limits.bodyBytes)
    throw new OAuthError('invalid_request', 'The request body is too large.', { status: 413 });
  return parameters;
};

const isForm = (contentType: string | undefined): boolean =>
  contentType !== undefined && /^application\/x-www-form-urlencoded[ \t]*(?:;|$)/i.test(contentType);

const textOf = (bytes: Buffer): string => {
  if (!isUtf8(bytes)) throw new OAuthError('invalid_request', 'The request body is not UTF-8.');
  return bytes.toString('utf8');
};

/**
 * Reads the form of a POST request: from the stream, or from what a body parser of the host left of it. Both ways
 * lead to the same answer.
 *
 * @throws OAuthError `invalid_request`, with status 413 when the body is over its limit.
 */
export const readForm = async (
  request: HttpRequest,
  definitions: Definitions,
  limits: FormLimits,
): Promise<Parameters> => {
  if (!isForm(request.header('content-type'))) {
    throw new OAuthError('invalid_request', 'The content type must be application/x-www-form-urlencoded.');
  }
  const { stream } = request;
  if (!stream.readableDidRead) {
    const encoding = request.header('content-encoding');
    if (encoding !== undefined && encoding !== 'identity') {
      throw new OAuthError('invalid_request', 'The request body must not be compressed.');
    }
    if (Number(request.header('content-length')) > limits.bodyBytes) {
      throw new OAuthError('invalid_request', 'The request body is too large.', { status: 413 });
    }
    return parseParameters(textOf(await readBody(stream, limits.bodyBytes)), definitions, limits);
  }
  const body = request.parsedBody;
  if (typeof body === 'string' || Buffer.isBuffer(body)) {
    if (Buffer.byteLength(body) > limits.bodyBytes) {
      throw new OAuthError('invalid_request', 'The request body is too large.', { status: 413 });
    }
    return parseParameters(typeof body === 'string' ? body : textOf(body), definitions, limits);
  }
  if (typeof body === 'object' && body !== null) return parametersOfRecord(body, definitions, limits);
  throw new Error(
    'Something in front of oauth-query has read the request body and left nothing of it. ' +
      'Mount oauth-query before it, or let it keep the parsed form.',
  );
};

/**
 * As {@link readForm}, for endpoints that only ever talk to the client.
 *
 * @throws OAuthError `invalid_request` for the first parameter with a problem, too.
 */
export const readCheckedForm = async (
  request: HttpRequest,
  definitions: Definitions,
  limits: FormLimits,
): Promise<Parameters> => {
  const form = await readForm(request, definitions, limits);
  if (form.firstProblem !== undefined) throw new OAuthError('invalid_request', form.firstProblem);
  return form;
};
