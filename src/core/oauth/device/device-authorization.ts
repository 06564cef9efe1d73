import { OAuthError, tooManyRequests } from '../../base/errors.js';
import type { HttpRequest, HttpResponse } from '../../base/http/messages.js';
import { json } from '../../base/http/responses.js';
import { sourceOf } from '../../base/limits/source.js';
import { formatScope } from '../../base/scope.js';
import { sha256 } from '../../base/secrets.js';
import { DEVICE_CODE_GRANT, generationOf } from '../clients/client.js';
import { LIMITS } from '../facts/limits.js';
import { checkedForm, readForm } from '../facts/parameters.js';
import { authenticateClient, CLIENT_PARAMETERS } from '../kernel/client-authentication.js';
import { mayUse, type OAuthContext, secondsOf } from '../kernel/context.js';
import { ownerResources, requestedScope } from '../kernel/requested-scope.js';
import { type DeviceRecord, keys } from '../records/stored-records.js';
import { formatUserCode, USER_CODE_LENGTH, USER_CODE_LETTERS, userCodeDigest } from '../records/user-code.js';
import { POLL_INTERVAL } from './device-code.js';

export const DEVICE_AUTHORIZATION_PARAMETERS = { ...CLIENT_PARAMETERS, scope: 'vschar', resource: 'uri' } as const;

const DEVICE_CODE_BYTES = 32;

/** Seconds after its expiry in which a device still gets `expired_token`: twice the longest interval between two polls. */
const RETENTION = 120;

/** The records of a device code: one for the device, one for its owner, one for its polls. */
const RECORDS = 3;

/** Live user codes are a tiny part of all possible ones: a collision is rare, and several in a row mean a broken store. */
const ATTEMPTS = 5;

/**
 * Starts a device flow: the device code is for the device, the user code for its owner.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628#section-3.1 | RFC 8628 §3.1, §3.2}
 */
export const deviceAuthorization = async (request: HttpRequest, context: OAuthContext): Promise<HttpResponse> => {
  const { config, records, random } = context;
  const form = checkedForm(await readForm(request, DEVICE_AUTHORIZATION_PARAMETERS, context));
  const client = await authenticateClient(request, form, context);
  if (!mayUse(context, client, DEVICE_CODE_GRANT))
    throw new OAuthError('unauthorized_client', 'The client may not use the device grant.');
  const scope = formatScope(requestedScope(form, client, DEVICE_CODE_GRANT, context));
  const aud = ownerResources(form, client, context);
  const device_code = random.string(DEVICE_CODE_BYTES);
  const hash = sha256(device_code);
  const expires_in = config.lifetimes.deviceCode;
  const code_exp = secondsOf(context.clock) + expires_in;
  if (client.public) checkLimits(request, code_exp + RETENTION, context);
  const record: DeviceRecord = {
    rev: random.rev(),
    client_id: client.client_id,
    scope,
    aud,
    code_exp,
    owner: null,
    decision: null,
    grant: null,
    exp: code_exp + RETENTION,
    ...generationOf(client),
  };
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
    verification_uri_complete: `${verification_uri}?user_code=${user_code}`,
    expires_in,
    interval: POLL_INTERVAL,
  });
};

/** Any program can act as a public client, so its records in the store are limited per address and in total. */
const checkLimits = ({ ip }: HttpRequest, exp: number, context: OAuthContext): void => {
  const { limiters, limitAt, deviceBudget, emit } = context;
  const ofSource = limiters.device.take(sourceOf(ip), limitAt(ip, LIMITS.deviceRequests));
  if (ofSource !== undefined) {
    if (ofSource.isFirst) emit?.({ type: 'limit.reached', limit: 'device' });
    throw tooManyRequests('Too many device codes were requested from this address.', ofSource.retryAfter);
  }
  const ofAll = deviceBudget.take(exp, RECORDS);
  if (ofAll === undefined) return;
  if (ofAll.isFirst) emit?.({ type: 'limit.reached', limit: 'unproven records' });
  throw new OAuthError('temporarily_unavailable', 'Too many device codes are waiting. Try again later.', {
    headers: { 'retry-after': String(ofAll.retryAfter) },
  });
};

/** A user code that no other live device has. */
const claimUserCode = async (device: string, exp: number, context: OAuthContext): Promise<string> => {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const code = context.random.letters(USER_CODE_LENGTH, USER_CODE_LETTERS);
    const added = await context.records.add(keys.userCode(userCodeDigest(code, context.userCodeKeys[0])), {
      device,
      exp,
    });
    if (added) return formatUserCode(code);
  }
  throw new Error('No free user code was found: the store rejects all of them.');
};
