import { Budget } from '../../base/limits/budget.js';
import type { GuessLimiter } from '../../base/limits/guess-limiter.js';
import { RateLimit } from '../../base/limits/rate-limit.js';
import { DEVICE_CODE_GRANT } from '../clients/client.js';
import { LIMITS } from '../facts/limits.js';
import type { Capability } from '../kernel/capability.js';
import { deviceAuthorization, type DeviceAuthorizationServices } from './device-authorization.js';
import { deviceCode, type DeviceGrantServices } from './device-code.js';
import { DEVICE_KINDS } from './device-records.js';
import { deviceVerification, deviceVerificationForm, type DeviceVerificationServices } from './device-verification.js';
import { DEVICE_LIMITS, type DeviceDependencies, Devices } from './devices.js';

/** What is made here. */
type Made = 'devices' | 'deviceLimit' | 'deviceBudget' | 'userCodeLimit' | 'pagePaths';

type Given = Omit<DeviceAuthorizationServices & DeviceVerificationServices, Made> &
  DeviceGrantServices &
  Omit<DeviceDependencies, 'userCodeKeys'> & {
    /** One key for each secret. */
    deriveKeys(purpose: string): readonly [string, ...string[]];
    /** Limits the guesses that only signed-in owners can make. */
    ownerGuesses(name: string): GuessLimiter;
    readonly basePath: string;
    readonly paths: Readonly<Record<'device' | 'deviceVerify', readonly [string, ...string[]]>>;
    readonly pagePaths: { readonly listedGrants: string | undefined };
  };

/**
 * The device flow: a device requests a code, its owner enters it on a page, and the device polls for its tokens.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628 | RFC 8628}
 */
export const DEVICE_FLOW = {
  grant_type: DEVICE_CODE_GRANT,
  parameters: { device_code: 'vschar' },
  kinds: DEVICE_KINDS,
  metadata: ['device_authorization_endpoint', 'device'],
  start: (given) => {
    const { clock, basePath, paths } = given;
    const [start] = paths.device;
    const services = {
      ...given,
      devices: new Devices({ ...given, userCodeKeys: given.deriveKeys('user code') }),
      deviceLimit: new RateLimit(clock, DEVICE_LIMITS.deviceRequests, 60),
      deviceBudget: new Budget(clock, LIMITS.unprovenRecords / 2),
      userCodeLimit: given.ownerGuesses('user code'),
      pagePaths: {
        device: basePath + start,
        deviceVerify: basePath + paths.deviceVerify[0],
        listedGrants: given.pagePaths.listedGrants,
      },
    };
    return {
      handler: deviceCode(services),
      endpoints: [
        {
          paths: paths.device,
          pages: { GET: deviceVerification(services) },
          start,
          // Comes from devices.
          programs: { POST: deviceAuthorization(services) },
          cors: false,
        },
        { paths: paths.deviceVerify, pages: { POST: deviceVerificationForm(services) }, start, cors: false },
      ],
    };
  },
} as const satisfies Capability<Given>;
