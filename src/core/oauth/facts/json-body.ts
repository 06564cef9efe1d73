import { isUtf8 } from 'node:buffer';
import { OAuthError, type OAuthErrorCode } from '../../base/errors.js';
import { type BodyError, bufferOf, readBodyAs } from '../../base/http/body.js';
import type { HttpRequest } from '../../base/http/messages.js';
import { roomWith } from '../../base/limits/body-room.js';
import type { LimitAt } from '../../base/limits/source.js';
import { bodyRefusal, MAX_BODY } from './parameters.js';

/**
 * A JSON document: its text, or the result of the application's body parser.
 *
 * @param code - Of a body that is none.
 * @throws OAuthError
 */
export const readJson = async (
  request: HttpRequest,
  { limitAt }: { readonly limitAt: LimitAt },
  code: OAuthErrorCode = 'invalid_request',
): Promise<unknown> => {
  if (!/^application\/json[ \t]*(?:;|$)/i.test(request.header('content-type') ?? ''))
    throw new OAuthError(code, 'The content type must be application/json.');
  const limits = { bytes: MAX_BODY, room: roomWith(limitAt) };
  const refused = (error: BodyError): OAuthError => bodyRefusal(error, code);
  return readBodyAs(request, limits, refused, (body) => {
    if ('fields' in body) return body.fields;
    try {
      if (isUtf8(body.bytes)) return JSON.parse(bufferOf(body.bytes).toString('utf8'));
    } catch {
      // Reported below.
    }
    throw new OAuthError(code, 'The request body is not JSON.');
  });
};
