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

/** A device code that its owner has approved; each step is taken at another process. */
export async function newDeviceCode(on: (index: number) => OAuthProcess, index: number): Promise<string> {
  const { json } = await on(index).send('/oauth/device', { form: { client_id: 'tv' } });
  const owner = { 'x-owner': `owner-${index}` };
  const start = await on(index + 1).send('/oauth/device', { headers: owner });
  const headers = { ...owner, cookie: cookieOf(start) };
  const submit = (step: number, shown: Answer, form: Readonly<Record<string, string>>): Promise<Answer> =>
    on(index + step).send('/oauth/device/verify', { form: { ...formOf(shown.text).fields, ...form }, headers });
  const question = await submit(2, start, { user_code: String(json['user_code']) });
  const done = await submit(3, question, { decision: 'approve' });
  if (done.status !== 200) throw new Error(`not approved: ${done.status}`);
  return String(json['device_code']);
}

export const redeemDeviceCode = (server: OAuthProcess, device_code: string): Promise<Answer> =>
  server.send('/oauth/token', { form: { grant_type: DEVICE_CODE, client_id: 'tv', device_code } });
