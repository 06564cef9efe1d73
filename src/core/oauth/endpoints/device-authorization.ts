import { OAuthError, tooManyRequests } from '../../errors.js';
import type { HttpRequest, HttpResponse } from '../../http.js';
import { sourceOf } from '../../limiter.js';
import { json } from '../../responses.js';
import { sha256 } from '../../secrets.js';
import { DEVICE_CODE_GRANT } from '../client.js';
import { authenticateClient, CLIENT_PARAMETERS } from '../client-authentication.js';
import { mayUse, type OAuthContext, secondsOf } from '../context.js';
import { readCheckedForm } from '../parameters.js';
import { type DeviceRecord, keys } from '../records.js';
import { requestedResources, requestedScope } from '../requested-scope.js';
import { formatScope } from '../scope.js';
import { formatUserCode, userCodeDigest } from '../user-code.js';

export const DEVICE_AUTHORIZATION_PARAMETERS = { ...CLIENT_PARAMETERS, scope: 'vschar', resource: 'uri' } as const;

const DEVICE_CODE_BYTES = 32;

/** For so long after its end a device still hears `expired_token`; after that its code is unknown. */
const RETENTION = 3600;

/** Live user codes are a vanishing part of all of them: a collision is rare, several in a row mean a broken store. */
const ATTEMPTS = 5;

/**
 * Starts the flow of a device: the device code for the device, the user code for its owner.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628#section-3.1 | RFC 8628 §3.1, §3.2}
 */
export const deviceAuthorization = async (request: HttpRequest, context: OAuthContext): Promise<HttpResponse> => {
  const { config, records, random } = context;
  const form = await readCheckedForm(request, DEVICE_AUTHORIZATION_PARAMETERS, config.limits);
  const client = await authenticateClient(request, form, context);
  if (!mayUse(context, client, DEVICE_CODE_GRANT))
    throw new OAuthError('unauthorized_client', 'The client may not use the device grant.');
  const scope = formatScope(requestedScope(form, client, context));
  const aud = requestedResources(form, context);
  if (client.public) checkLimit(request, context);

  const device_code = random.string(DEVICE_CODE_BYTES);
  const hash = sha256(device_code);
  const expires_in = config.lifetimes.deviceCode;
  const code_exp = secondsOf(context.clock) + expires_in;
  const record: DeviceRecord = { client_id: client.client_id, scope, aud, code_exp, exp: code_exp + RETENTION };
  const [user_code] = await Promise.all([
    claimUserCode(hash, code_exp, context),
    records.create(keys.device(hash), record),
  ]);
  context.emit?.({ type: 'device.requested', client_id: client.client_id, scope });

  const verification_uri = context.issuer(request) + config.paths.device[0];
  return json(200, {
    device_code,
    user_code,
    verification_uri,
    ...(config.device.verificationUriComplete
      ? { verification_uri_complete: `${verification_uri}?user_code=${user_code}` }
      : {}),
    expires_in,
    interval: config.device.interval,
  });
};

/** Anybody can be a public client, and each code stays in the store for more than an hour. */
const checkLimit = ({ ip }: HttpRequest, { limiters, emit }: OAuthContext): void => {
  if (ip === '') return; // Behind a socket without addresses everybody would be the same.
  const refusal = limiters.device.take(sourceOf(ip));
  if (refusal === undefined) return;
  if (refusal.isFirst) emit?.({ type: 'limit.reached', limit: 'device', ip });
  throw tooManyRequests('Too many device codes were asked for from this address.', refusal.retryAfter);
};

/** A user code that no other live device has. */
const claimUserCode = async (device: string, exp: number, context: OAuthContext): Promise<string> => {
  const { userCodeLength, userCodeAlphabet } = context.config.device;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const code = context.random.letters(userCodeLength, userCodeAlphabet);
    const added = await context.records.add(keys.userCode(userCodeDigest(code, context.userCodeKey)), { device, exp });
    if (added) return formatUserCode(code);
  }
  throw new Error('No free user code was found; the store refuses every one.');
};
