import type { Readable } from 'node:stream';
import { OAuthError } from './errors.js';

const tooLarge = (): OAuthError => new OAuthError('invalid_request', 'The request body is too large.', { status: 413 });

/**
 * Reads a body to its end, or stops as soon as it grows over the limit; what is left is then thrown away unread, so
 * that the connection still gets its answer.
 *
 * @param limit - Bytes.
 * @throws OAuthError with status 413 over the limit, 400 when the body was cut short.
 */
export const readBody = (stream: Readable, limit: number): Promise<Buffer> =>
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
        stream.on('error', () => undefined); // The caller may hang up while we throw the rest away.
        stream.resume();
        reject(tooLarge());
      } else {
        chunks.push(chunk);
      }
    };
    const onEnd = (): void => {
      stop();
      const [first] = chunks;
      resolve(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks));
    };
    const onCut = (): void => {
      stop();
      reject(new OAuthError('invalid_request', 'The request body was cut short.'));
    };
    // A parser of the host that found no data leaves a stream that has ended, although nobody has read from it.
    if (stream.readableEnded) onEnd();
    else if (stream.destroyed) onCut();
    else stream.on('data', onData).on('end', onEnd).on('error', onCut).on('close', onCut);
  });
