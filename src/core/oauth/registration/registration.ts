import { isUtf8 } from 'node:buffer';
import { OAuthError, type OAuthErrorInit, tooManyRequests } from '../../base/errors.js';
import { type BodyError, bufferOf, readBody } from '../../base/http/body.js';
import type { HttpRequest } from '../../base/http/messages.js';
import { json } from '../../base/http/responses.js';
import { roomWith } from '../../base/limits/body-room.js';
import type { RateLimit } from '../../base/limits/rate-limit.js';
import { sourceOf } from '../../base/limits/source.js';
import type { Clock } from '../../base/ports.js';
import { isRecord } from '../../base/schema.js';
import { MetadataProblem } from '../clients/client-metadata.js';
import type { ClientMetadata, Registrations } from '../clients/registrations.js';
import { LIMITS } from '../facts/limits.js';
import { bodyRefusal, type FormServices, MAX_BODY } from '../facts/parameters.js';
import type { OAuthHooks } from '../kernel/hooks.js';
import type { RequestScope } from '../kernel/request-scope.js';
import type { Answer } from '../kernel/server-endpoint.js';
import { secondsOf } from '../records/window.js';

interface RegistrationServices extends FormServices {
  readonly registrationLimit: RateLimit;
  readonly clock: Clock;
  readonly hooks: { readonly ownMetadata?: OAuthHooks['ownMetadata'] };
}

const invalid = (description: string, init: OAuthErrorInit = {}): OAuthError =>
  new OAuthError('invalid_client_metadata', description, init);

const refusal = (error: BodyError): OAuthError => bodyRefusal(error, 'invalid_client_metadata');

/** A JSON document: its text, or the result of the application's body parser. */
const readJson = async (request: HttpRequest, { timeout, timer, limitAt }: RegistrationServices): Promise<unknown> => {
  if (!/^application\/json[ \t]*(?:;|$)/i.test(request.header('content-type') ?? ''))
    throw invalid('The content type must be application/json.');
  const limits = { bytes: MAX_BODY, timer, request: timeout, room: roomWith(limitAt) };
  const body = await readBody(request, limits, refusal);
  if ('fields' in body) return body.fields;
  try {
    if (isUtf8(body.bytes)) return JSON.parse(bufferOf(body.bytes).toString('utf8'));
  } catch {
    // Reported below.
  }
  throw invalid('The request body is not JSON.');
};

/** Registering is cheap and leaves nothing behind, but legitimate callers rarely need it. */
const checkLimit = (
  { request: { ip }, emit }: RequestScope,
  { registrationLimit, limitAt }: RegistrationServices,
): void => {
  const refused = registrationLimit.take(sourceOf(ip), limitAt(ip, LIMITS.registrations));
  if (refused === undefined) return;
  if (refused.isFirst) emit?.({ type: 'limit.reached', limit: 'registration' });
  throw tooManyRequests('Too many clients were registered from this address.', refused.retryAfter);
};

/** @throws OAuthError `invalid_redirect_uri` or `invalid_client_metadata` (RFC 7591 §3.2.2). */
const register = (
  given: unknown,
  registrations: Registrations,
  { hooks }: RegistrationServices,
): ReturnType<Registrations['register']> & { readonly metadata: ClientMetadata } => {
  if (!isRecord(given)) throw invalid('The request body must be a JSON object.');
  try {
    const stated = registrations.read(given);
    const metadata = { ...stated, ...hooks.ownMetadata?.(given, stated.redirect_uris) };
    return { ...registrations.register(metadata), metadata };
  } catch (error) {
    if (!(error instanceof MetadataProblem)) throw error;
    const code = error.member === 'redirect_uris' ? 'invalid_redirect_uri' : 'invalid_client_metadata';
    throw new OAuthError(code, error.message);
  }
};

/**
 * Registers a client. The response contains the registered metadata; everything else the client sent is ignored.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc7591#section-3 | RFC 7591 §3}
 */
export const registration =
  (registrations: Registrations, services: RegistrationServices): Answer =>
  async (scope) => {
    checkLimit(scope, services);
    const given = await readJson(scope.request, services);
    const { client_id, id: registration_id, metadata } = register(given, registrations, services);
    const { client_name, redirect_uris } = metadata;
    scope.emit?.({
      type: 'client.registered',
      client_id,
      registration_id,
      ...(client_name !== undefined && { client_name }),
      redirect_uris,
    });
    return json(201, {
      client_id,
      client_id_issued_at: secondsOf(services.clock),
      ...metadata,
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    });
  };
