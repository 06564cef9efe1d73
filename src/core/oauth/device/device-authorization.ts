import { OAuthError, tooManyRequests } from '../../base/errors.js';
import type { HttpRequest } from '../../base/http/messages.js';
import { json } from '../../base/http/responses.js';
import type { Budget } from '../../base/limits/budget.js';
import type { RateLimit } from '../../base/limits/rate-limit.js';
import { type LimitAt, sourceOf } from '../../base/limits/source.js';
import type { Clock } from '../../base/ports.js';
import { formatScope } from '../../base/scope.js';
import { type RandomSource, sha256 } from '../../base/secrets.js';
import { DEVICE_CODE_GRANT, generationOf } from '../clients/client.js';
import { checkedForm, type ReadForm } from '../facts/parameters.js';
import { type AuthenticateClient, CLIENT_PARAMETERS } from '../kernel/client-authentication.js';
import type { RequestScope } from '../kernel/request-scope.js';
import type { RequestedAccess } from '../kernel/requested-access.js';
import type { Answer } from '../kernel/server-endpoint.js';
import { secondsOf } from '../records/window.js';
import { POLL_INTERVAL } from './device-code.js';
import { DEVICE_LIMITS, type Devices } from './devices.js';

const DEVICE_AUTHORIZATION_PARAMETERS = { ...CLIENT_PARAMETERS, scope: 'vschar', resource: 'uri' } as const;

const DEVICE_CODE_BYTES = 32;

/** Seconds after its expiry in which a device still gets `expired_token`: twice the longest interval between two polls. */
const RETENTION = 120;

/** The records of a device code: one for the device, one for its owner, one for its polls. */
const RECORDS = 3;

export interface DeviceAuthorizationServices {
  readonly readForm: ReadForm;
  readonly authenticate: AuthenticateClient;
  readonly requested: RequestedAccess;
  readonly devices: Devices;
  readonly deviceLimit: RateLimit;
  /** Budget of records for device codes of public clients. */
  readonly deviceBudget: Budget;
  readonly limitAt: LimitAt;
  readonly lifetimes: { readonly deviceCode: number };
  readonly paths: { readonly device: readonly [string, ...string[]] };
  readonly random: RandomSource;
  readonly clock: Clock;
  issuer(request: HttpRequest): string;
}

/**
 * Starts a device flow: the device code is for the device, the user code for its owner.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628#section-3.1 | RFC 8628 §3.1, §3.2}
 */
export const deviceAuthorization = (services: DeviceAuthorizationServices): Answer => {
  const { readForm, authenticate, requested, devices, lifetimes, paths, random, clock } = services;
  const expires_in = lifetimes.deviceCode;
  return async (scope) => {
    const { request, emit } = scope;
    const form = checkedForm(await readForm(request, DEVICE_AUTHORIZATION_PARAMETERS));
    const client = await authenticate(scope, form);
    if (!client.grantTypes.has(DEVICE_CODE_GRANT))
      throw new OAuthError('unauthorized_client', 'The client may not use the device grant.');
    const asked = formatScope(requested.scope(form, client, DEVICE_CODE_GRANT));
    const aud = requested.resourcesOfOwner(form, client);
    const device_code = random.string(DEVICE_CODE_BYTES);
    const code_exp = secondsOf(clock) + expires_in;
    if (client.public) checkLimits(scope, code_exp + RETENTION, services);
    const user_code = await devices.create(sha256(device_code), {
      client_id: client.client_id,
      scope: asked,
      aud,
      code_exp,
      owner: null,
      decision: null,
      grant: null,
      exp: code_exp + RETENTION,
      ...generationOf(client),
    });
    emit?.({ type: 'device.requested', client_id: client.client_id, scope: asked });

    const verification_uri = services.issuer(request) + paths.device[0];
    return json(200, {
      device_code,
      user_code,
      verification_uri,
      verification_uri_complete: `${verification_uri}?user_code=${user_code}`,
      expires_in,
      interval: POLL_INTERVAL,
    });
  };
};

/** Any program can act as a public client, so its records in the store are limited per address and in total. */
const checkLimits = (
  { request: { ip }, emit }: RequestScope,
  exp: number,
  { deviceLimit, limitAt, deviceBudget }: DeviceAuthorizationServices,
): void => {
  const ofSource = deviceLimit.take(sourceOf(ip), limitAt(ip, DEVICE_LIMITS.deviceRequests));
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
