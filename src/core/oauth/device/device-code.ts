import { OAuthError } from '../../base/errors.js';
import type { Records } from '../../base/records.js';
import { parseScope } from '../../base/scope.js';
import { type RandomSource, sha256 } from '../../base/secrets.js';
import { checkAwaited } from '../../base/waiting.js';
import { DEVICE_CODE_GRANT } from '../clients/client.js';
import type { GrantHandler } from '../kernel/grant-handler.js';
import { isStillAllowed, scopeStillAllowed, type StillAllowedServices } from '../kernel/still-allowed.js';
import { CLOCK_DIFFERENCE, secondsOf, type Timekeeper } from '../records/window.js';
import type { Grant, Issuance } from '../tokens/grant.js';
import type { TokenResponse } from '../tokens/token-response.js';
import { DEVICE, type DeviceRecord, keys, PACE, type PaceRecord } from './device-records.js';

/** Seconds between two polls, unless some were early (RFC 8628 §3.5). */
export const POLL_INTERVAL = 5;
const GAP_STEP = 5;
const GAP_CAP = 60;

const invalidDeviceCode = (): OAuthError => new OAuthError('invalid_grant', 'The device code is not valid.');

export interface DeviceGrantServices extends StillAllowedServices, Timekeeper {
  readonly records: Records;
  readonly random: RandomSource;
  readonly tokens: { findGrant(id: string): Promise<Grant | undefined> };
  readonly refreshTokens: { begin(issue: Issuance): Promise<TokenResponse | undefined> };
}

/**
 * Responds to one poll of a device. The decision is checked before the pace, so that the final response is never delayed.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628#section-3.4 | RFC 8628 §3.4, §3.5}
 */
export const deviceCode =
  (services: DeviceGrantServices): GrantHandler =>
  async ({ request, form, client, jkt }) => {
    const code = form.get('device_code');
    if (code === undefined) throw new OAuthError('invalid_request', 'The parameter device_code is missing.');
    const { records, tokens, refreshTokens, clock } = services;
    const hash = sha256(code);
    const [device, pace] = await records.getEach([keys.device(hash), DEVICE], [keys.pace(hash), PACE]);
    if (device === undefined || device.client_id !== client.client_id) throw invalidDeviceCode();
    if (device.decision === 'deny') throw new OAuthError('access_denied', 'The resource owner denied the request.');
    if (secondsOf(clock) >= device.code_exp) throw new OAuthError('expired_token', 'The device code has expired.');
    if (device.decision === null) {
      checkAwaited(request);
      return refusePoll(hash, device, pace, services);
    }
    const grant = device.grant === null ? undefined : await tokens.findGrant(device.grant);
    if (grant === undefined || !(await isStillAllowed(grant, client, services))) throw invalidDeviceCode();
    checkAwaited(request);
    const scope = scopeStillAllowed(parseScope(grant.scope) ?? [], client);
    const { aud } = grant;
    const response = await refreshTokens.begin({ client, grant, scope, aud, jkt, grant_type: DEVICE_CODE_GRANT });
    if (response === undefined) throw invalidDeviceCode();
    return { response, sub: grant.sub, grant_id: grant.id };
  };

/** The seconds that a device must wait between two polls, after a number of early ones. */
const gapAfter = (early: number): number => Math.min(POLL_INTERVAL + early * GAP_STEP, GAP_CAP);

/** If the last poll arrived at another process, the difference of the clocks is in favour of the device. */
const isEarly = ({ next, process }: PaceRecord, own: Timekeeper): boolean =>
  own.clock() < (next - (process === own.process ? 0 : CLOCK_DIFFERENCE)) * 1000;

/** Each early poll increases the interval, which then starts again. Of simultaneous polls, only one can be in time. */
const refusePoll = async (
  hash: string,
  { exp }: DeviceRecord,
  before: PaceRecord | undefined,
  services: DeviceGrantServices,
): Promise<never> => {
  const { records, random, clock, process } = services;
  const wasEarly = before?.early ?? 0;
  const isTooEarly = before !== undefined && isEarly(before, services);
  const early = isTooEarly ? wasEarly + 1 : wasEarly;
  const gap = gapAfter(early);
  // At the longest interval, a device that never waits causes no more writes.
  if (!isTooEarly || gap > gapAfter(wasEarly)) {
    const pace: PaceRecord = { ...before, rev: random.rev(), early, next: secondsOf(clock) + gap, process, exp };
    const key = keys.pace(hash);
    const isFirst = await (before === undefined ? records.add(key, pace) : records.swap(key, before.rev, pace));
    if (isFirst && !isTooEarly)
      throw new OAuthError('authorization_pending', 'The resource owner has not decided yet.');
  }
  throw new OAuthError('slow_down', `The device must wait at least ${gap} seconds between two polls.`);
};
