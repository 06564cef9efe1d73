import { nodeBuffer } from '../../base/node-modules.js';
import { type BodyError, bufferOf, readBody } from '../../base/body.js';
import { OAuthError, tooManyRequests } from '../../base/errors.js';
import type { HttpRequest, HttpResponse } from '../../base/http.js';
import { json } from '../../base/responses.js';
import { limitAt, sourceOf } from '../../base/source.js';
import { readClientMetadata } from '../clients/registration-metadata.js';
import type { Registrations } from '../clients/registrations.js';
import { type OAuthContext, secondsOf } from '../context.js';

const invalid = (description: string, status = 400): OAuthError =>
  new OAuthError('invalid_client_metadata', description, { status });

const refusal = ({ problem, message }: BodyError): OAuthError => invalid(message, problem === 'too-large' ? 413 : 400);

/** A JSON document: its text, or the result of the application's body parser. */
const readJson = async (request: HttpRequest, limit: number): Promise<unknown> => {
  if (!/^application\/json[ \t]*(?:;|$)/i.test(request.header('content-type') ?? ''))
    throw invalid('The content type must be application/json.');
  const body = await readBody(request, limit, refusal);
  if ('fields' in body) return body.fields;
  try {
    if (nodeBuffer().isUtf8(body.bytes)) return JSON.parse(bufferOf(body.bytes).toString('utf8'));
  } catch {
    // Reported below.
  }
  throw invalid('The request body is not JSON.');
};

/** Registering is cheap and leaves nothing behind, but legitimate callers rarely need it. */
const checkLimit = ({ ip }: HttpRequest, { limiters, config, emit }: OAuthContext): void => {
  const refused = limiters.registration.take(sourceOf(ip), limitAt(ip, config.limits.registrations));
  if (refused === undefined) return;
  if (refused.isFirst) emit?.({ type: 'limit.reached', limit: 'registration' });
  throw tooManyRequests('Too many clients were registered from this address.', refused.retryAfter);
};

/**
 * Registers a client. The response contains the registered metadata; everything else the client sent is ignored.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc7591#section-3 | RFC 7591 §3}
 */
export const registrationWith =
  (registrations: Registrations) =>
  async (request: HttpRequest, context: OAuthContext): Promise<HttpResponse> => {
    checkLimit(request, context);
    const metadata = readClientMetadata(await readJson(request, context.config.limits.bodyBytes), registrations);
    const registered = registrations.register(metadata);
    if (registered === undefined) throw invalid('The metadata is too long: name fewer or shorter redirect_uris.');
    const { client_id, id: registration_id } = registered;
    const { client_name, redirect_uris } = metadata;
    context.emit?.({
      type: 'client.registered',
      client_id,
      registration_id,
      ...(client_name !== undefined && { client_name }),
      redirect_uris,
    });
    return json(201, {
      client_id,
      client_id_issued_at: secondsOf(context.clock),
      ...metadata,
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    });
  };
