import { sha256 } from '../secrets.js';
import type { HttpRequest, HttpResponse } from './messages.js';

/**
 * Returns the response, or 304 if the caller already has the version with this `etag`.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2 | RFC 9110 §13.1.2}
 */
export const unlessKnown = (request: HttpRequest, answer: HttpResponse): HttpResponse => {
  const { 'content-type': _type, ...headers } = answer.headers;
  const condition = request.header('if-none-match');
  const known = condition?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? [];
  const isKnown = known.some((tag) => tag === '*' || tag === headers['etag']);
  return isKnown ? { status: 304, headers, body: '' } : answer;
};

/** The response with an `etag` of its body, or 304 if the caller already has it. */
export const tagged = (request: HttpRequest, answer: HttpResponse): HttpResponse =>
  unlessKnown(request, { ...answer, headers: { ...answer.headers, etag: `"${sha256(answer.body)}"` } });
