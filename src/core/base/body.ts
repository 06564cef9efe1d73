import type { HttpRequest, RequestBody } from './http.js';
import type { MaybePromise } from './ports.js';

/**
 * Why a body cannot be read.
 *
 * - `too-large`: it exceeds its limit
 * - `incomplete`: the connection ended before the body did
 * - `charset`: its content type names a charset other than UTF-8
 * - `encoded`: it is compressed
 * - `consumed`: a middleware in front has read it without keeping it, a mistake of the application
 */
export type BodyProblem = 'too-large' | 'incomplete' | 'charset' | 'encoded' | 'consumed';

const SENTENCES: Readonly<Record<BodyProblem, string>> = {
  'too-large': 'The request body is too large.',
  incomplete: 'The request body was cut short.',
  charset: 'The charset of the request body must be UTF-8.',
  encoded: 'The request body must not be compressed.',
  consumed:
    'A middleware in front of oauth-query has read the request body without storing it. ' +
    'Mount oauth-query before it, or let it keep the parsed form.',
};

/** A body that cannot be read. Each protocol responds to it in its own way. */
export class BodyError extends Error {
  /** Always `BodyError`. */
  override readonly name = 'BodyError';
  /** What is wrong with the body. */
  readonly problem: BodyProblem;

  constructor(problem: BodyProblem) {
    super(SENTENCES[problem]);
    this.problem = problem;
  }
}

const CHARSET = /;[ \t]*charset=(?:"([^"]*)"|([^\s;]*))/gi;

const isUtf8Type = (contentType: string): boolean => {
  if (!contentType.includes(';')) return true;
  for (const [, quoted, plain = ''] of contentType.matchAll(CHARSET)) {
    if ((quoted ?? plain).toLowerCase() !== 'utf-8') return false;
  }
  return true;
};

/** Content codings are a list of names without case (RFC 9110 §8.4). */
const isPlain = (contentEncoding: string): boolean =>
  contentEncoding.split(',').every((coding) => ['', 'identity'].includes(coding.trim().toLowerCase()));

/** Creates the protocol's own error if the client must send the body differently. */
type Refusal = (error: BodyError) => Error;

/**
 * Reads the body of a request.
 *
 * @param limit - In bytes.
 * @throws BodyError for a mistake of the application.
 */
export const readBody = (request: HttpRequest, limit: number, refused: Refusal): MaybePromise<RequestBody> =>
  readBodyAs(request, limit, refused, (body) => body);

/** The result of `parse` for the body, as soon as it has been read. */
export const readBodyAs = <T>(
  request: HttpRequest,
  limit: number,
  refused: Refusal,
  parse: (body: RequestBody) => T,
): MaybePromise<T> => {
  const refuse = (error: unknown): never => {
    throw error instanceof BodyError && error.problem !== 'consumed' ? refused(error) : error;
  };
  let body: MaybePromise<RequestBody>;
  try {
    if (!isUtf8Type(request.header('content-type') ?? '')) throw new BodyError('charset');
    body = request.body(limit);
  } catch (error) {
    return refuse(error);
  }
  return body instanceof Promise ? body.then(parse, refuse) : parse(body);
};

/**
 * Rejects a body by its headers, before it is read. For adapters that read it themselves; a parser of the application has already
 * decoded it.
 *
 * @throws BodyError
 */
export const checkBodyHeaders = (request: Pick<HttpRequest, 'header'>, limit: number): void => {
  const encoding = request.header('content-encoding');
  if (encoding !== undefined && !isPlain(encoding)) throw new BodyError('encoded');
  if (Number(request.header('content-length')) > limit) throw new BodyError('too-large');
};

/** The same bytes as a `Buffer`. */
export const bufferOf = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
