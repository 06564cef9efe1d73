import { OAuthError } from '../../errors.js';
import { sha256 } from '../../secrets.js';
import { type OAuthContext, secondsOf } from '../context.js';
import { DEVICE, DEVICE_DECISION, type DeviceRecord, keys, MARK } from '../records.js';
import type { GrantHandler } from './grant-handler.js';

const GAP_STEP = 5;
const GAP_CAP = 60;

const invalidDeviceCode = (): OAuthError => new OAuthError('invalid_grant', 'The device code is not valid.');

/**
 * Answers one poll of a device. The decision is looked at before the pace, so that the final answer never waits.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628#section-3.4 | RFC 8628 §3.4, §3.5}
 */
export const deviceCode: GrantHandler = async ({ form, client, context }) => {
  const code = form.get('device_code');
  if (code === undefined) throw new OAuthError('invalid_request', 'The parameter device_code is missing.');
  const { records, tokens } = context;
  const hash = sha256(code);
  const [device, decided] = await Promise.all([
    records.get(keys.device(hash), DEVICE),
    records.get(keys.deviceDecision(hash), DEVICE_DECISION),
  ]);
  if (device === undefined || device.client_id !== client.client_id) throw invalidDeviceCode();
  if (decided?.decision === 'deny') throw new OAuthError('access_denied', 'The resource owner denied the request.');
  if (secondsOf(context.clock) >= device.code_exp)
    throw new OAuthError('expired_token', 'The device code has expired.');
  if (decided === undefined) return refusePoll(hash, device, context);

  const grant = decided.grant === null ? undefined : await tokens.findGrant(decided.grant);
  if (grant === undefined || !(await records.add(keys.spentDevice(hash), { exp: device.exp })))
    throw invalidDeviceCode();
  return {
    response: await tokens.issue(client, grant, grant.scope, grant.aud),
    sub: grant.sub,
    grant_id: grant.id,
  };
};

const gapAfter = (earlyPolls: number, interval: number): number => Math.min(interval + earlyPolls * GAP_STEP, GAP_CAP);

/**
 * Each early poll leaves a numbered mark for as long as the device code lives, so that every process knows the gap.
 * A poll itself is one more mark that lives exactly as long as the gap: whoever cannot set it came too early.
 */
const refusePoll = async (hash: string, device: DeviceRecord, context: OAuthContext): Promise<never> => {
  const { records, config, clock } = context;
  const { interval } = config.device;
  const mostEarly = Math.ceil((GAP_CAP - interval) / GAP_STEP);
  let early = 0;
  while (early < mostEarly && (await records.get(keys.earlyPoll(hash, early + 1), MARK)) !== undefined) early += 1;
  const markPoll = (): Promise<boolean> =>
    records.add(keys.poll(hash, early), { exp: secondsOf(clock) + gapAfter(early, interval) });
  if (await markPoll()) throw new OAuthError('authorization_pending', 'The resource owner has not decided yet.');
  if (early < mostEarly) {
    early += 1;
    await records.add(keys.earlyPoll(hash, early), { exp: device.exp });
    await markPoll();
  }
  throw new OAuthError(
    'slow_down',
    `The device must wait at least ${gapAfter(early, interval)} seconds between two polls.`,
  );
};
