import { OAuthError } from '../../base/errors.js';
import { sha256 } from '../../base/secrets.js';
import { type OAuthContext, secondsOf } from '../context.js';
import { DEVICE, DEVICE_DECISION, type DeviceRecord, keys, MARK } from '../stored-records.js';
import { wholeOf } from '../tokens/tokens.js';
import { isStillAllowed } from './still-allowed.js';
import type { GrantHandler } from './grant-handler.js';

const GAP_STEP = 5;
const GAP_CAP = 60;

const invalidDeviceCode = (): OAuthError => new OAuthError('invalid_grant', 'The device code is not valid.');

/**
 * Responds to one poll of a device. The decision is checked before the pace, so that the final response is never delayed.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628#section-3.4 | RFC 8628 §3.4, §3.5}
 */
export const deviceCode: GrantHandler = async ({ form, client, context }) => {
  const code = form.get('device_code');
  if (code === undefined) throw new OAuthError('invalid_request', 'The parameter device_code is missing.');
  const { records, tokens, refreshTokens } = context;
  const hash = sha256(code);
  const [[device, decided], early] = await Promise.all([
    records.getEach([keys.device(hash), DEVICE], [keys.deviceDecision(hash), DEVICE_DECISION]),
    earlyPolls(hash, context),
  ]);
  if (device === undefined || device.client_id !== client.client_id) throw invalidDeviceCode();
  if (decided?.decision === 'deny') throw new OAuthError('access_denied', 'The resource owner denied the request.');
  if (secondsOf(context.clock) >= device.code_exp)
    throw new OAuthError('expired_token', 'The device code has expired.');
  if (decided === undefined) return refusePoll(hash, device, early, context);

  const grant = decided.grant === null ? undefined : await tokens.findGrant(decided.grant);
  if (grant === undefined || !(await isStillAllowed(grant, client, context))) throw invalidDeviceCode();
  const response = await refreshTokens.begin({ taken: hash, code: null }, wholeOf(grant, client));
  if (response === undefined) throw invalidDeviceCode();
  return { response, sub: grant.sub, grant_id: grant.id };
};

const gapAfter = (earlyPolls: number, interval: number): number => Math.min(interval + earlyPolls * GAP_STEP, GAP_CAP);

/** After this many early polls, the interval no longer increases. */
const mostEarlyPolls = ({ config }: OAuthContext): number => Math.ceil((GAP_CAP - config.device.interval) / GAP_STEP);

/** The number of early polls: each has left a numbered mark, so that every process knows the interval. */
const earlyPolls = async (hash: string, context: OAuthContext): Promise<number> => {
  const slots = Array.from({ length: mostEarlyPolls(context) }, (_, n) => keys.earlyPoll(hash, n + 1));
  const marks = await context.records.getMany(slots, MARK);
  return marks.filter((mark) => mark !== undefined).length;
};

/**
 * A poll writes a mark that expires after exactly one interval: a poll that cannot write it was too early. It then leaves a mark for as
 * long as the device code lives, and the interval starts again.
 */
const refusePoll = async (hash: string, device: DeviceRecord, early: number, context: OAuthContext): Promise<never> => {
  const { records, config, clock } = context;
  const gap = (polls: number): number => gapAfter(polls, config.device.interval);
  const markPoll = (polls: number): Promise<boolean> =>
    records.add(keys.poll(hash, polls), { exp: secondsOf(clock) + gap(polls) });
  if (await markPoll(early)) throw new OAuthError('authorization_pending', 'The resource owner has not decided yet.');
  let polls = early;
  if (early < mostEarlyPolls(context)) {
    polls += 1;
    await Promise.all([records.add(keys.earlyPoll(hash, polls), { exp: device.exp }), markPoll(polls)]);
  }
  throw new OAuthError('slow_down', `The device must wait at least ${gap(polls)} seconds between two polls.`);
};
