import { formOf } from '../../hosts/form.js';
import { DEVICE_CODE } from '../../oauth/support/fixture.js';
import { type Answer, basic, type OAuthProcess } from './oauth-processes.js';

const AUTHORIZE = '/oauth/authorize?response_type=code&client_id=web&redirect_uri=http%3A%2F%2F127.0.0.1%2Fcb';

/** What says who is in front of the browser. */
type Headers = Readonly<Record<string, string>>;

const cookieOf = (answer: Answer): string => String(answer.headers['set-cookie'] ?? '').split(';')[0] ?? '';

function codeOf(answer: Answer): string {
  const location = String(answer.headers['location']);
  const code = new URL(location).searchParams.get('code');
  if (code === null) throw new Error(`no code in ${location}`);
  return code;
}

/** The code of an approval that is remembered; `undefined` when the owner is asked instead. */
export async function silentCode(server: OAuthProcess, headers: Headers = {}): Promise<string | undefined> {
  const answer = await server.send(AUTHORIZE, { headers });
  return answer.status === 200 ? undefined : codeOf(answer);
}

/** Approves the client `web` once, on a page of one process with a form to the other; from then on the consent is remembered. */
export async function approve(server: OAuthProcess, other = server, headers: Headers = {}): Promise<void> {
  const page = await server.send(AUTHORIZE, { headers });
  const form = { ...formOf(page.text).fields, decision: 'approve' };
  codeOf(await other.send('/oauth/authorize', { form, headers: { ...headers, cookie: cookieOf(page) } }));
}

/** A code, after {@link approve}. */
export const newCode = async (server: OAuthProcess, headers: Headers = {}): Promise<string> =>
  codeOf(await server.send(AUTHORIZE, { headers }));

export const redeemCode = (server: OAuthProcess, code: string): Promise<Answer> =>
  server.send('/oauth/token', {
    form: { grant_type: 'authorization_code', code, redirect_uri: 'http://127.0.0.1/cb' },
    headers: basic('web'),
  });

export const refresh = (server: OAuthProcess, refresh_token: string): Promise<Answer> =>
  server.send('/oauth/token', { form: { grant_type: 'refresh_token', refresh_token }, headers: basic('web') });

/** @param client - Who asks: `api` may see every access token, a refresh token only the client that it was issued to. */
export async function isActive(server: OAuthProcess, token: string, client: 'api' | 'web' = 'api'): Promise<unknown> {
  const { json } = await server.send('/oauth/introspect', { form: { token }, headers: basic(client) });
  return json['active'];
}

/** The codes of a new device. */
export async function newDevice(
  server: OAuthProcess,
): Promise<{ readonly device_code: string; readonly user_code: string }> {
  const { json } = await server.send('/oauth/device', { form: { client_id: 'tv' } });
  return { device_code: String(json['device_code']), user_code: String(json['user_code']) };
}

/** A page of a device, and the headers of the browser that shows it. */
export interface DevicePage extends Answer {
  readonly browser: Headers;
}

const submitted = async (
  server: OAuthProcess,
  shown: Answer,
  browser: Headers,
  form: Record<string, string>,
): Promise<DevicePage> => {
  const answer = await server.send('/oauth/device/verify', {
    form: { ...formOf(shown.text).fields, ...form },
    headers: browser,
  });
  return { ...answer, browser };
};

/** The page on which an owner who has entered a user code decides. */
export async function enterUserCode(
  server: OAuthProcess,
  user_code: string,
  owner: Headers,
  other = server,
): Promise<DevicePage> {
  const page = await server.send('/oauth/device', { headers: owner });
  return submitted(other, page, { ...owner, cookie: cookieOf(page) }, { user_code });
}

export const decideDevice = (
  server: OAuthProcess,
  question: DevicePage,
  decision: 'approve' | 'deny',
): Promise<DevicePage> => submitted(server, question, question.browser, { decision });

/** A device code that its owner has approved; each step is taken at another process. */
export async function newDeviceCode(on: (index: number) => OAuthProcess, index: number): Promise<string> {
  const { device_code, user_code } = await newDevice(on(index));
  const owner = { 'x-owner': `owner-${index}` };
  const question = await enterUserCode(on(index + 1), user_code, owner, on(index + 2));
  const done = await decideDevice(on(index + 3), question, 'approve');
  if (done.status !== 200) throw new Error(`not approved: ${done.status}`);
  return device_code;
}

export const redeemDeviceCode = (server: OAuthProcess, device_code: string): Promise<Answer> =>
  server.send('/oauth/token', { form: { grant_type: DEVICE_CODE, client_id: 'tv', device_code } });

/** Signs an owner in on the built-in page, shown by one process and sent to the other. */
export async function signIn(server: OAuthProcess, username: string, other = server): Promise<Headers> {
  const page = await server.send('/oauth/grants');
  const form = { ...formOf(page.text).fields, username, password: 'right' };
  const answer = await other.send('/oauth/grants', { form, headers: { cookie: cookieOf(page) } });
  if (answer.status !== 303) throw new Error(`not signed in: ${answer.status}`);
  return { cookie: cookieOf(answer) };
}

/** Whether a page knows whose browser it is. */
export async function isSignedIn(server: OAuthProcess, headers: Headers): Promise<boolean> {
  const { status, text } = await server.send('/oauth/device', { headers });
  if (status !== 200) throw new Error(`no page: ${status}`);
  return text.includes('You are signed in as');
}
