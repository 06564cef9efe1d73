import { type BodyError, type BodyLimits, bufferOf, readBody } from '../../base/http/body.js';
import type { HttpRequest } from '../../base/http/messages.js';
import { forEachPair } from '../../base/http/urlencoded.js';
import { ApiError } from '../answer/api-error.js';
import { message } from '../answer/messages.js';
import { parameterOf, readMultipart } from './multipart.js';
import type { ParameterSource } from './parameter.js';
import { decodeFormText, decodeUtf8, type DecodedText, type Fallback } from './raw-values.js';

/** The most names of a request, as in PHP, which ignores further ones: a warning would list all that no module has. */
const MAX_NAMES = 1000;

/** Names that need no normalization. */
const PLAIN_NAME = /^\w+$/;

/** The parameters of a request, from its query string and, for POST, from its body. */
export class RequestParameters implements ParameterSource {
  readonly #values = new Map<string, string>();
  // Created on demand: few requests need them.
  #malformed: Set<string> | undefined;
  #arrays: Set<string> | undefined;
  /** Called once for each parameter that is read but was sent in PHP's array syntax, which is not supported. */
  onArray: (name: string) => void = () => {};

  /** The parameters of a query that this server runs itself. */
  static from(values: Readonly<Record<string, string | number>>): RequestParameters {
    const parameters = new RequestParameters();
    for (const [name, value] of Object.entries(values)) parameters.add(name, { text: String(value), malformed: false });
    return parameters;
  }

  get(name: string): string | undefined {
    const value = this.#values.get(name);
    if (value === undefined && this.#arrays?.delete(name)) this.onArray(name);
    return value;
  }

  malformed(name: string): boolean {
    return this.#malformed !== undefined && this.#malformed.has(name);
  }

  /** The unknown names, in the order of the request. */
  namesBut(isKnown: (name: string) => boolean): readonly string[] {
    const names: string[] = [];
    for (const name of this.#values.keys()) if (!isKnown(name)) names.push(name);
    for (const name of this.#arrays ?? []) if (!isKnown(name)) names.push(name);
    return names;
  }

  /** Adds the parameters of a query string or urlencoded body. If a name is repeated, the last value wins. */
  addForm(form: string, fallback: Fallback): void {
    forEachPair(form, (name, value) => {
      this.add(decodeFormText(name, 'replacement').text, decodeFormText(value, fallback));
    });
  }

  /** @throws ApiError `toomanyparameters` */
  add(rawName: string, value: DecodedText): void {
    this.#add(rawName, value);
    if (this.#values.size + (this.#arrays?.size ?? 0) > MAX_NAMES)
      throw new ApiError('toomanyparameters', message('apierror-toomanyparameters', MAX_NAMES), { module: 'main' });
  }

  #add(rawName: string, { text, malformed }: DecodedText): void {
    if (PLAIN_NAME.test(rawName) && !malformed && !this.#arrays) {
      this.#values.set(rawName, text);
      this.#malformed?.delete(rawName);
      return;
    }
    const bracket = rawName.indexOf('[');
    const isArray = bracket > 0 && rawName.includes(']', bracket);
    const name = (isArray ? rawName.slice(0, bracket) : rawName).trimStart().replace(/[. [\0]/g, '_');
    if (name === '') return;
    this.#malformed?.delete(name);
    if (isArray) {
      this.#values.delete(name);
      (this.#arrays ??= new Set()).add(name);
      return;
    }
    this.#arrays?.delete(name);
    this.#values.set(name, text);
    if (malformed) (this.#malformed ??= new Set()).add(name);
  }
}

/**
 * Reads the parameters of a request.
 *
 * @param limits - Longer bodies are rejected with HTTP 413, and late ones with 408.
 */
export const readParameters = async (request: HttpRequest, limits: BodyLimits): Promise<RequestParameters> => {
  const parameters = new RequestParameters();
  // Old browsers encode query strings in the encoding of the page.
  parameters.addForm(request.query, 'windows-1252');
  if (request.method === 'POST') await addBody(parameters, request, limits);
  return parameters;
};

const addBody = async (parameters: RequestParameters, request: HttpRequest, limits: BodyLimits): Promise<void> => {
  const contentType = request.header('content-type') ?? '';
  const media = contentType.split(';', 1)[0]?.trim().toLowerCase();
  if (media !== 'application/x-www-form-urlencoded' && media !== 'multipart/form-data') return;
  const body = await readBody(request, limits, refusal);
  if ('fields' in body) {
    addRecord(parameters, body.fields);
    return;
  }
  const bytes = bufferOf(body.bytes);
  if (media === 'application/x-www-form-urlencoded') parameters.addForm(bytes.toString('utf8'), 'replacement');
  else {
    for (const { name, content } of readMultipart(bytes, parameterOf(contentType, 'boundary') ?? '')) {
      parameters.add(name, decodeUtf8(content, 'replacement'));
    }
  }
};

/** Adds the output of the host's body parser: strings, arrays of strings, and objects for the array syntax. */
const addRecord = (parameters: RequestParameters, record: object): void => {
  for (const [name, value] of Object.entries(record)) {
    const last: unknown = Array.isArray(value) ? value.at(-1) : value;
    if (typeof last === 'string') parameters.add(name, { text: last, malformed: false });
    else if (last instanceof Uint8Array) parameters.add(name, decodeUtf8(last, 'replacement'));
    else if (typeof last === 'object' && last !== null) parameters.add(`${name}[]`, { text: '', malformed: false });
  }
};

const refusal = ({ problem, message: plaintext, status, headers }: BodyError): ApiError =>
  problem === 'too-large'
    ? new ApiError('http-contenttoolarge', message('apierror-http-contenttoolarge'), { module: 'main', status })
    : new ApiError('badbody', message('apierror-badbody', { plaintext }), { module: 'main', status, headers });
