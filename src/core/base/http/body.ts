import type { MaybePromise, Timer } from '../ports.js';
import type { BodyRoom, HttpRequest, RequestBody } from './messages.js';

/**
 * Why a body cannot be read.
 *
 * - `too-large`: it exceeds its limit
 * - `incomplete`: the connection ended before the body did
 * - `late`: it did not arrive within its deadline
 * - `no-room`: the process holds as many bytes of unanswered requests as it may, in total or of this caller
 * - `charset`: its content type names a charset other than UTF-8
 * - `encoded`: it is compressed
 * - `consumed`: a middleware in front has read it without keeping it, a mistake of the application
 */
export type BodyProblem = 'too-large' | 'incomplete' | 'late' | 'no-room' | 'charset' | 'encoded' | 'consumed';

const SENTENCES: Readonly<Record<BodyProblem, string>> = {
  'too-large': 'The request body is too large.',
  incomplete: 'The request body was cut short.',
  late: 'The request body did not arrive in time.',
  'no-room': 'The server holds too many request bodies to receive this one. Send the request again later.',
  charset: 'The charset of the request body must be UTF-8.',
  encoded: 'The request body must not be compressed.',
  consumed:
    'A middleware in front of oauth-query has read the request body without storing it. ' +
    'Mount oauth-query before it, or let it keep the parsed form.',
};

const STATUSES: Readonly<Partial<Record<BodyProblem, number>>> = { 'too-large': 413, late: 408, 'no-room': 503 };

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

  /** The HTTP status of a response to it (RFC 9110 §15.5.9, §15.5.14, §15.6.4). */
  get status(): number {
    return STATUSES[this.problem] ?? 400;
  }

  /** Headers of a response to it. The rest of a body that is late or has no room must not be kept in memory any longer. */
  get headers(): Readonly<Record<string, string>> {
    const { problem } = this;
    return {
      ...((problem === 'late' || problem === 'no-room') && { connection: 'close' }),
      ...(problem === 'no-room' && { 'retry-after': '5' }),
    };
  }
}

/** How large a body may be, and how long it may take. */
export interface BodyLimits {
  readonly bytes: number;
  /** The room for it. */
  readonly room: (request: HttpRequest) => BodyRoom;
  readonly timer: Timer;
  /** The deadline of its request in milliseconds. */
  readonly request: number;
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
 * Reads the body of a request whose body alone has a deadline.
 *
 * @throws BodyError for a mistake of the application.
 */
export const readBody = (request: HttpRequest, limits: BodyLimits, refused: Refusal): MaybePromise<RequestBody> => {
  const room = limits.room(request);
  const body = readBodyAs(request, { bytes: limits.bytes, room: () => room }, refused, (read) => read);
  return body instanceof Promise ? body.finally(limits.timer(() => room.giveUp?.(), limits.request)) : body;
};

/** The result of `parse` for the body, as soon as it has been read: for every endpoint, on every host. Their deadline gives it up. */
export const readBodyAs = <T>(
  request: HttpRequest,
  { bytes, room }: Pick<BodyLimits, 'bytes' | 'room'>,
  refused: Refusal,
  parse: (body: RequestBody) => T,
): MaybePromise<T> => {
  const fail = (error: unknown): never => {
    throw error instanceof BodyError && error.problem !== 'consumed' ? refused(error) : error;
  };
  let body: MaybePromise<RequestBody>;
  try {
    if (!isUtf8Type(request.header('content-type') ?? '')) throw new BodyError('charset');
    body = request.body(bytes, room(request));
  } catch (error) {
    return fail(error);
  }
  return body instanceof Promise ? body.then(parse, fail) : parse(body);
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

/** Reads a stream of bytes to its end. @param tooLong - Creates the error for more than `max` bytes, which closes the stream. */
export const readAtMost = async (
  stream: AsyncIterable<unknown>,
  max: number,
  tooLong: () => Error,
): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = chunk as Buffer; // Without an encoding, Node provides bytes.
    size += bytes.length;
    if (size > max) throw tooLong();
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
};

/** The same bytes as a `Buffer`. */
export const bufferOf = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
