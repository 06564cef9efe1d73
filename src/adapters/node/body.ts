import type { Readable } from 'node:stream';
import { BodyError, type BodyProblem } from '../../core/base/http/body.js';
import type { RequestBody, BodyRoom } from '../../core/base/http/messages.js';

/**
 * Reads a stream to its end, or stops as soon as it exceeds the limit or there is no room for it. The rest is then discarded, so that
 * the connection can still carry the response.
 *
 * @param limit - In bytes.
 * @throws BodyError
 */
export const readStream = (stream: Readable, limit: number, room: BodyRoom): Promise<RequestBody> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let isOver = false;
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > limit) cut('too-large');
      else if (room.take(chunk.length)) chunks.push(chunk);
      else cut('no-room');
    };
    const onEnd = (): void => {
      if (isOver) return;
      isOver = true;
      const [first] = chunks;
      resolve({ bytes: chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks) });
    };
    /** The listeners stay: taking them off would cost more than reading, and they discard the rest of the body. */
    const cut = (problem: BodyProblem): boolean => {
      if (isOver) return false;
      isOver = true;
      chunks.length = 0;
      reject(new BodyError(problem));
      return true;
    };
    const onCut = (): boolean => cut('incomplete');
    // If a parser of the application found no data, the stream has ended although nothing has read it.
    if (stream.readableEnded) onEnd();
    else if (stream.destroyed) onCut();
    else {
      room.giveUp = () => cut('late');
      stream.on('data', onData).on('end', onEnd).on('error', onCut).on('close', onCut);
      // Starts reading now: otherwise node:http buffers a short body first, takes the request for unread, and removes its listeners.
      stream.read(0);
    }
  });

/**
 * Converts the result of the application's body parser.
 *
 * @param limit - In bytes. Fields have no length; the protocols limit their number.
 * @throws BodyError
 */
export const parsedBody = (parsed: unknown, limit: number): RequestBody => {
  if (typeof parsed === 'string' || parsed instanceof Uint8Array) {
    const bytes = typeof parsed === 'string' ? Buffer.from(parsed) : parsed;
    if (bytes.length > limit) throw new BodyError('too-large');
    return { bytes };
  }
  if (typeof parsed === 'object' && parsed !== null) return { fields: parsed };
  throw new BodyError('consumed');
};
