import { personalTokens } from 'oauth-query/personal-tokens';
import { parseRefreshToken } from '../../src/core/oauth/records/token-id.js';
import { onlyFormOf } from '../hosts/form.js';
import { type About, type Answer, codeIn, type Ended, type Server, textOf, type Use } from './history.js';
import { ISSUER, type Options, World } from './world.js';

export const CALLBACK = 'https://app.example/cb';
export const SECRET = 'w'.repeat(30);
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

type Fields = Readonly<Record<string, string>>;

const app = { client_secret: SECRET, redirect_uris: [CALLBACK], scope: 'a' } as const;

/** `app` is never asked about, `shop` asks each time. */
export const OPTIONS = {
  scopes: { a: 'A' },
  clients: [
    { ...app, client_id: 'app', consent: 'skip', grant_types: ['authorization_code', 'refresh_token'] },
    { ...app, client_id: 'short', consent: 'skip', grant_types: ['authorization_code'] },
    { ...app, client_id: 'shop', grant_types: ['authorization_code', 'refresh_token'] },
    { ...app, client_id: 'tv', redirect_uris: [], grant_types: ['device_code', 'refresh_token'] },
    { client_id: 'api', client_secret: SECRET, introspect: true, grant_types: [] },
  ],
  owner: () => ({ sub: 'alice' }),
  loginUrl: '/login',
  features: [personalTokens({ scopes: ['a'] })],
} satisfies Options;

interface Sent {
  readonly form?: Fields;
  readonly cookie?: string;
  readonly headers?: Fields;
}

/** A request over the protocol, which its client may give up. */
export const send = (server: Server, path: string, about: readonly About[], { form, cookie, headers }: Sent = {}) => {
  const { world, actor } = World.of(server);
  return world.act(actor, about, async (): Promise<Answer> => {
    const going = new AbortController();
    const gone = new Promise<never>((_, reject) => {
      going.signal.addEventListener('abort', () => reject(new Error('The client has hung up.')));
    });
    const isHere = world.client(actor, () => {
      isHere();
      going.abort();
    });
    try {
      const request = wired(form, cookie, headers);
      // Whoever asks from outside stays.
      if (actor === 'outside') return await exchange(server, path, request);
      return await Promise.race([gone, exchange(server, path, { ...request, signal: going.signal })]);
    } finally {
      isHere();
      if (actor === 'outside') await world.settle(); // What follows a response, too.
    }
  });
};

const wired = (form: Fields | undefined, cookie = '', headers: Fields = {}): RequestInit => ({
  ...(form !== undefined && { method: 'POST', body: new URLSearchParams(form) }),
  headers: { ...(cookie !== '' && { cookie }), ...headers },
});

const exchange = async (server: Server, path: string, init: RequestInit): Promise<Answer> => {
  const response = await server.handler(new Request(new URL(path, ISSUER), init));
  const { status, headers } = response;
  const text = await response.text();
  const isJson = headers.get('content-type')?.startsWith('application/json') === true;
  return { status, headers, text, json: isJson ? (JSON.parse(text) as Answer['json']) : {} }; // Ours are objects.
};

/** A call of the host. */
export const call = <T>(server: Server, about: readonly About[], work: (server: Server) => Promise<T>): Promise<T> => {
  const { world, actor } = World.of(server);
  return world.act(actor, about, () => work(server));
};

export const secretOf = (client_id: string, client_secret = SECRET): Fields => ({ client_id, client_secret });

const use = (
  thing: Use['thing'],
  text: string,
  who: Pick<Use, 'client_id' | 'party' | 'sub'>,
  request: (server: Server, about: readonly About[]) => Promise<unknown>,
): Use => {
  const about: Use = { type: 'use', thing, text, ...who, again: (server) => request(server, [about]) };
  return about;
};

/** Used and used again: the same request. */
const used = <T>(
  server: Server,
  about: Use,
  send_: (server: Server, all: readonly About[]) => Promise<T>,
): Promise<T> => send_(server, [about]);

export const allowed = (client_id: string, sub = 'alice'): About => ({ type: 'approve', sub, client_id, scope: 'a' });

export const authorizePath = (client_id: string, more: Fields = {}): string => {
  const query = new URLSearchParams({ response_type: 'code', client_id, redirect_uri: CALLBACK, ...more });
  return `/oauth/authorize?${query.toString()}`;
};

export const authorize = (server: Server, client_id = 'app', more: Fields = {}): Promise<Answer> =>
  send(server, authorizePath(client_id, more), [allowed(client_id)]);

export const codeOf = async (server: Server, client_id = 'app'): Promise<string> =>
  codeIn(await authorize(server, client_id)) ?? '';

export const redeem = (server: Server, code: string, client_id = 'app', party?: string): Promise<Answer> => {
  const form = { ...secretOf(client_id), grant_type: 'authorization_code', code, redirect_uri: CALLBACK };
  const request = (at: Server, about: readonly About[]) => send(at, '/oauth/token', about, { form });
  return used(server, use('code', code, { client_id, ...(party !== undefined && { party }) }, request), request);
};

export const refresh = (
  server: Server,
  refresh_token: string,
  party = 'client',
  client_id = 'app',
): Promise<Answer> => {
  const form = { ...secretOf(client_id), grant_type: 'refresh_token', refresh_token };
  const request = (at: Server, about: readonly About[]) => send(at, '/oauth/token', about, { form });
  return used(server, use('refresh token', refresh_token, { client_id, party }, request), request);
};

export const poll = (server: Server, device_code: string): Promise<Answer> => {
  const form = { ...secretOf('tv'), grant_type: DEVICE_GRANT, device_code };
  const request = (at: Server, about: readonly About[]) => send(at, '/oauth/token', about, { form });
  return used(server, use('device code', device_code, { client_id: 'tv' }, request), request);
};

/** Ends a grant, or an access token alone. */
export const revoke = (server: Server, token: string, client_id = 'app'): Promise<Answer> => {
  const grant = parseRefreshToken(token)?.grant;
  const of: Ended = grant === undefined ? { token } : { grant };
  return send(server, '/oauth/revoke', [{ type: 'end', of }], { form: { ...secretOf(client_id), token } });
};

export const endGrants = (of: { sub?: string; client_id?: string }) => (server: Server) =>
  call(server, [{ type: 'end', of }], ({ grants }) => grants.revoke(of as { sub: string }));

export const erase = (server: Server) =>
  call(server, [{ type: 'end', of: { sub: 'alice' }, isErase: true }], ({ owners }) => owners.erase('alice'));

/** The host issues tokens. */
export const issue = (server: Server, client_id = 'app') =>
  call(server, [allowed(client_id)], (at) => at.issue({ sub: 'alice', client_id, scope: 'a' }));

export const introspect = (server: Server, token: string): Promise<Answer> =>
  send(server, '/oauth/introspect', [{ type: 'check', token }], { form: { ...secretOf('api'), token } });

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

export const tokensIn = (answer: unknown): Tokens => ({
  access_token: textOf(answer, 'access_token') ?? '',
  refresh_token: textOf(answer, 'refresh_token') ?? '',
});

export const tokensOf = async ({ outside }: World, client_id = 'app'): Promise<Tokens> =>
  tokensIn(await redeem(outside, await codeOf(outside, client_id), client_id));

export const cookieOf = ({ headers }: Answer): string =>
  headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');

/** A form that an owner was shown, with the cookie that it belongs to. */
export interface Shown {
  readonly fields: Fields;
  readonly cookie: string;
  readonly text: string;
}

export const shown = async (server: Server, path: string, form?: Fields, cookie = ''): Promise<Shown> => {
  const page = await send(server, path, [], { cookie, ...(form !== undefined && { form }) });
  return { fields: onlyFormOf(page.text).fields as Fields, cookie: cookieOf(page) || cookie, text: page.text };
};

/** The form that asks about `shop`. */
export const consentForm = ({ outside }: World, more: Fields = {}): Promise<Shown> =>
  shown(outside, authorizePath('shop', more));

/** A press of a button of the form. */
export const press = (server: Server, { fields, cookie }: Shown, decision: 'approve' | 'deny'): Promise<unknown> => {
  const form = { ...fields, decision };
  const made: About = { ...allowed('shop'), type: decision } as About;
  const request = (at: Server, about: readonly About[]) =>
    send(at, '/oauth/authorize', [...about, made], { form, cookie });
  return used(server, use('form', JSON.stringify(fields), { client_id: 'shop' }, request), request);
};

export const deviceCodes = async ({ outside }: World): Promise<{ device_code: string; user_code: string }> => {
  const { json } = await send(outside, '/oauth/device', [], { form: { ...secretOf('tv'), scope: 'a' } });
  return { device_code: String(json['device_code']), user_code: String(json['user_code']) };
};

/** The form that asks about a device. */
export const deviceForm = async ({ outside }: World, user_code: string): Promise<Shown> => {
  const { fields, cookie } = await shown(outside, '/oauth/device');
  return shown(outside, '/oauth/device/verify', { ...fields, user_code }, cookie);
};

export const decideDevice = (server: Server, { fields, cookie }: Shown, decision: 'approve' | 'deny') =>
  send(server, '/oauth/device/verify', [{ ...allowed('tv'), type: decision } as About], {
    form: { ...fields, decision },
    cookie,
  });

/** The client of personal tokens. */
export const PERSONAL = 'personal-tokens';

/** The hidden fields of a page with several forms. */
export const shownIn = (page: Answer): Shown => ({
  fields: Object.fromEntries(
    [...page.text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  ),
  cookie: cookieOf(page),
  text: page.text,
});

/** The page of an owner's personal tokens. */
export const tokenForm = async ({ outside }: World): Promise<Shown> =>
  shownIn(await send(outside, '/oauth/tokens', []));

export const createToken = (server: Server, form: Shown, days = '7'): Promise<unknown> => {
  const scope = /name="(scope_[^"]+)"/.exec(form.text)?.[1] ?? '';
  const all = { ...form.fields, name: 'mine', days, [scope]: '1', decision: 'create' };
  const request = async (at: Server, about: readonly About[]): Promise<Answer> => {
    const page = await send(at, '/oauth/tokens', [...about, allowed(PERSONAL)], { form: all, cookie: form.cookie });
    if (page.status === 200 && tokenOnPage(page) === undefined) throw new Error('The page shows no token.');
    return page;
  };
  return used(server, use('form', form.fields['form'] ?? '', { client_id: PERSONAL }, request), request);
};

export const endTokens = (server: Server, { fields, cookie }: Shown): Promise<Answer> =>
  send(server, '/oauth/tokens', [{ type: 'end', of: { sub: 'alice', client_id: PERSONAL } }], {
    form: { ...fields, decision: 'revoke_all', confirmed: 'yes' },
    cookie,
  });

/** The personal token that a page shows once. */
export const tokenOnPage = (answer: unknown): string | undefined =>
  /<p class="code"[^>]*>([^<]+)</.exec(String(Object(answer).text ?? ''))?.[1];
