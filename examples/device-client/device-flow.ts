import { createHash } from 'node:crypto';

/** What to show to the user. */
export interface Invitation {
  readonly userCode: string;
  readonly address: string;
  /** The first eight hex digits of the SHA-256 of the device code, which is itself a secret. */
  readonly fingerprint: string;
}

export interface DeviceFlowOptions {
  readonly issuer: string;
  readonly client_id: string;
  readonly show: (invitation: Invitation) => void;
  /** Resolves after a number of seconds. */
  readonly wait: (seconds: number) => Promise<void>;
}

type Json = Readonly<Record<string, unknown>>;

const jsonOf = async (response: Response): Promise<Json> => {
  const body: unknown = await response.json();
  if (typeof body !== 'object' || body === null) throw new Error(`${response.url} answered something other than JSON.`);
  return body as Json; // Each field is validated before use.
};

const textOf = (json: Json, name: string): string => {
  const value = json[name];
  if (typeof value !== 'string') throw new Error(`The answer has no ${name}: ${JSON.stringify(Object.keys(json))}`);
  return value;
};

const post = (address: string, form: Readonly<Record<string, string>>): Promise<Response> =>
  fetch(address, { method: 'POST', body: new URLSearchParams(form), redirect: 'error' });

/** Discovers the endpoints (RFC 8414), so that only the issuer must be configured. */
const discover = async (issuer: string): Promise<Json> => {
  const { origin, pathname } = new URL(issuer);
  const metadata = await jsonOf(
    await fetch(`${origin}/.well-known/oauth-authorization-server${pathname.replace(/\/$/, '')}`),
  );
  if (metadata['issuer'] !== issuer)
    throw new Error(`The server says that it is ${String(metadata['issuer'])}, not ${issuer}.`);
  return metadata;
};

/** Polls until the user has decided, at the given interval, and slower after every `slow_down` (RFC 8628 §3.5). */
const poll = async (address: string, device: Json, options: DeviceFlowOptions): Promise<string> => {
  const form = {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    client_id: options.client_id,
    device_code: textOf(device, 'device_code'),
  };
  let interval = typeof device['interval'] === 'number' ? device['interval'] : 5;
  for (;;) {
    await options.wait(interval);
    const response = await post(address, form).catch(() => undefined);
    if (response === undefined || response.status >= 500) {
      interval *= 2; // The server is unreachable or overloaded.
      continue;
    }
    const answer = await jsonOf(response);
    if (response.ok) return textOf(answer, 'access_token');
    if (answer['error'] === 'slow_down') interval += 5;
    else if (answer['error'] === 'access_denied') throw new Error('The person said no.');
    else if (answer['error'] === 'expired_token') throw new Error('Nobody typed the code in time.');
    else if (answer['error'] !== 'authorization_pending')
      throw new Error(`The server refused: ${textOf(answer, 'error')}`);
  }
};

/**
 * Gets an access token for a device without a browser.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628 | RFC 8628}
 */
export const authorizeDevice = async (options: DeviceFlowOptions): Promise<string> => {
  const metadata = await discover(options.issuer);
  const response = await post(textOf(metadata, 'device_authorization_endpoint'), { client_id: options.client_id });
  const device = await jsonOf(response);
  if (!response.ok) throw new Error(`The server refused: ${textOf(device, 'error')}`);
  options.show({
    userCode: textOf(device, 'user_code'),
    address: textOf(device, 'verification_uri'),
    fingerprint: createHash('sha256').update(textOf(device, 'device_code')).digest('hex').slice(0, 8),
  });
  return poll(textOf(metadata, 'token_endpoint'), device, options);
};
