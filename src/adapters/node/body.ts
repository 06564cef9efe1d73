import type { Readable } from 'node:stream';
import { BodyError } from '../../core/base/body.js';
import type { RequestBody } from '../../core/base/http.js';

/**
 * Reads a stream to its end, or stops as soon as it exceeds the limit. The rest is then discarded, so that
 * the connection can still carry the response.
 *
 * @param limit - In bytes.
 * @throws BodyError
 */
export const readStream = (stream: Readable, limit: number): Promise<RequestBody> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const stop = (): void => {
      stream.off('data', onData).off('end', onEnd).off('error', onCut).off('close', onCut);
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > limit) {
        stop();
        stream.on('error', () => undefined); // The caller may disconnect while the rest is being discarded.
        stream.resume();
        reject(new BodyError('too-large'));
      } else {
        chunks.push(chunk);
      }
    };
    const onEnd = (): void => {
      stop();
      const [first] = chunks;
      resolve({ bytes: chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks) });
    };
    const onCut = (): void => {
      stop();
      reject(new BodyError('incomplete'));
    };
    // If a parser of the application found no data, the stream has ended although nothing has read it.
    if (stream.readableEnded) onEnd();
    else if (stream.destroyed) onCut();
    else stream.on('data', onData).on('end', onEnd).on('error', onCut).on('close', onCut);
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
