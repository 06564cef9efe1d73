import { BodyError, checkBodyHeaders } from '../../core/base/http/body.js';
import type { HttpRequest, HttpResponse, RequestBody, BodyRoom } from '../../core/base/http/messages.js';
import type { MaybePromise } from '../../core/base/ports.js';

/** The path and the query of a URL, as written. */
export const partsOf = (url: string): { readonly path: string; readonly query: string } => {
  const start = url.indexOf('/', url.indexOf('//') + 2);
  const [address = ''] = url.slice(start).split('#', 1);
  const mark = address.indexOf('?');
  return mark === -1 ? { path: address, query: '' } : { path: address.slice(0, mark), query: address.slice(mark + 1) };
};

/** Adapts a standard `Request` to the core. */
export class FetchRequest implements HttpRequest {
  readonly native: Request;
  readonly #address: ((request: Request) => string) | undefined;

  constructor(request: Request, address?: (request: Request) => string) {
    this.native = request;
    this.#address = address;
  }

  get method(): string {
    return this.native.method;
  }

  get query(): string {
    return partsOf(this.native.url).query;
  }

  get path(): string {
    return partsOf(this.native.url).path;
  }

  /**
   * Only `Authorization`: a `Request` has already joined repeated headers, and only these can be split again, because credentials contain no commas.
   * Every guard looks here, and to read all headers of a `Request` is slow.
   */
  get rawHeaders(): readonly string[] {
    return (
      this.native.headers
        .get('authorization')
        ?.split(', ')
        .flatMap((one) => ['authorization', one]) ?? []
    );
  }

  get ip(): string {
    return this.#address?.(this.native) ?? '';
  }

  get hungUp(): boolean {
    return this.native.signal.aborted;
  }

  header(name: string): string | undefined {
    // A request that was made and not received has its host in its address alone.
    return this.native.headers.get(name) ?? (name === 'host' ? new URL(this.native.url).host : undefined);
  }

  async body(limit: number, room: BodyRoom): Promise<RequestBody> {
    const { body, bodyUsed } = this.native;
    if (bodyUsed) throw new BodyError('consumed');
    checkBodyHeaders(this, limit);
    if (body === null) return { bytes: new Uint8Array() };
    const reading = readStream(body.getReader(), limit, room);
    return { bytes: await reading.finally(() => delete room.giveUp) };
  }
}

/** Reads to the end, or cancels the rest as soon as the limit is exceeded, or there is no room for it. */
const readStream = async (
  reader: ReadableStreamDefaultReader<Uint8Array>,
  limit: number,
  room: BodyRoom,
): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let isLate = false;
  const cancel = (): void => void reader.cancel().catch(() => undefined); // The caller may disconnect meanwhile.
  room.giveUp = () => {
    if (isLate) return false;
    isLate = true;
    cancel();
    return true;
  };
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new BodyError('incomplete');
    });
    if (isLate) throw new BodyError('late'); // A canceled stream looks like one that has ended.
    if (done) return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
    size += value.length;
    const problem = size > limit ? 'too-large' : room.take(value.length) ? undefined : 'no-room';
    if (problem !== undefined) {
      cancel();
      throw new BodyError(problem);
    }
    chunks.push(value);
  }
};

/** A stream that reports when all of its text has been read: the closest a `Response` gets to knowing that it was sent. */
const watched = (text: string, onTaken: () => void): ReadableStream<Uint8Array> => {
  const chunks = [new TextEncoder().encode(text)];
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    const chunk = chunks.shift();
    if (chunk !== undefined) {
      controller.enqueue(chunk);
      return;
    }
    controller.close();
    onTaken();
  };
  return new ReadableStream({ pull }, { highWaterMark: 0 });
};

/** A response with further headers. That of another server cannot be changed. */
export const withHeaders = async (answer: MaybePromise<Response>, more: HttpResponse['headers']): Promise<Response> => {
  const response = await answer;
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(more)) for (const item of [value].flat()) headers.append(name, item);
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
};

export const toResponse = ({ status, headers, body, onSent }: HttpResponse, method: string): Response => {
  const all = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const item of typeof value === 'string' ? [value] : value) all.append(name, item);
  }
  if (status !== 204 && status !== 304) all.set('content-length', String(Buffer.byteLength(body))); // RFC 9110 §8.6
  // Empty text would get a content type.
  const isEmpty = body === '' || method === 'HEAD';
  return new Response(isEmpty ? null : onSent === undefined ? body : watched(body, onSent), { status, headers: all });
};
