import { isUtf8 } from 'node:buffer';
import { OAuthError, type OAuthErrorCode } from '../../base/errors.js';
import { bufferOf, readBody } from '../../base/http/body.js';
import type { HttpRequest } from '../../base/http/messages.js';
import { roomWith } from '../../base/limits/body-room.js';
import { bodyRefusal, type FormServices, MAX_BODY } from './parameters.js';

/**
 * A JSON document: its text, or the result of the application's body parser.
 *
 * @param code - Of a body that is none.
 * @throws OAuthError
 */
export const readJson = async (
  request: HttpRequest,
  { timeout, timer, limitAt }: FormServices,
  code: OAuthErrorCode = 'invalid_request',
): Promise<unknown> => {
  if (!/^application\/json[ \t]*(?:;|$)/i.test(request.header('content-type') ?? ''))
    throw new OAuthError(code, 'The content type must be application/json.');
  const limits = { bytes: MAX_BODY, timer, request: timeout, room: roomWith(limitAt) };
  const body = await readBody(request, limits, (error) => bodyRefusal(error, code));
  if ('fields' in body) return body.fields;
  try {
    if (isUtf8(body.bytes)) return JSON.parse(bufferOf(body.bytes).toString('utf8'));
  } catch {
    // Reported below.
  }
  throw new OAuthError(code, 'The request body is not JSON.');
};
