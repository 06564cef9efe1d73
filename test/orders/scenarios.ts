import { oauthQuery } from 'oauth-query/fetch';
import type { Begun, Scenario } from './explore.js';
import { ISSUER, type Server, START, World } from './world.js';

const CALLBACK = 'https://app.example/cb';
const SECRET = 'w'.repeat(30);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const app = {
  client_id: 'app',
  client_secret: SECRET,
  redirect_uris: [CALLBACK],
  scope: 'a',
  consent: 'skip',
} as const;
const OPTIONS = {
  scopes: { a: 'A' },
  clients: [
    { ...app, grant_types: ['authorization_code', 'refresh_token'] },
    { ...app, client_id: 'short', grant_types: ['authorization_code'] },
    { client_id: 'api', client_secret: SECRET, introspect: true, grant_types: [] },
  ],
  owner: () => ({ sub: 'alice' }),
  loginUrl: '/login',
  tokens: { scopes: ['a'] },
} satisfies Parameters<typeof oauthQuery>[0];

interface Answer {
  readonly status: number;
  readonly json: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly headers: Headers;
}

const send = async (
  server: Server,
  path: string,
  form?: Readonly<Record<string, string>>,
  cookie = '',
): Promise<Answer> => {
  const body = form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) };
  const response = await server.handler(new Request(new URL(path, ISSUER), { ...body, headers: { cookie } }));
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return {
    status: response.status,
    text,
    headers: response.headers,
    json: isJson ? (JSON.parse(text) as Answer['json']) : {},
  }; // Ours are objects.
};

const as = (client_id: string): Readonly<Record<string, string>> => ({ client_id, client_secret: SECRET });

const code = async (server: Server, client_id = 'app'): Promise<string> => {
  const query = new URLSearchParams({ response_type: 'code', client_id, redirect_uri: CALLBACK });
  const { headers } = await send(server, `/oauth/authorize?${query.toString()}`);
  return new URL(headers.get('location') ?? '', ISSUER).searchParams.get('code') ?? '';
};
const redeem = (server: Server, given: string, client_id = 'app'): Promise<Answer> =>
  send(server, '/oauth/token', {
    ...as(client_id),
    grant_type: 'authorization_code',
    code: given,
    redirect_uri: CALLBACK,
  });
const refresh = (server: Server, refresh_token: string): Promise<Answer> =>
  send(server, '/oauth/token', { ...as('app'), grant_type: 'refresh_token', refresh_token });
const revoke = (server: Server, token: string): Promise<Answer> =>
  send(server, '/oauth/revoke', { ...as('app'), token });

const isLive = async ({ outside }: World, token: unknown): Promise<boolean> =>
  token !== undefined &&
  (await send(outside, '/oauth/introspect', { ...as('api'), token: String(token) })).json['active'] === true;

/** Those that live of the access tokens of these responses. */
const liveOf = async (world: World, answers: readonly unknown[]): Promise<readonly unknown[]> => {
  const tokens = answers.filter(isSuccess).map(({ json }) => json['access_token']);
  const live = await Promise.all(tokens.map((token) => isLive(world, token)));
  return tokens.filter((_, at) => live[at]);
};

const isSuccess = (answer: unknown): answer is Answer =>
  typeof answer === 'object' && answer !== null && 'status' in answer && answer.status === 200;

const broken = (...found: readonly (readonly [isBroken: boolean, promise: string])[]): readonly string[] =>
  found.filter(([isBroken]) => isBroken).map(([, promise]) => promise);

const tokensOf = async (world: World): Promise<{ readonly access_token: string; readonly refresh_token: string }> => {
  const { json } = await redeem(world.outside, await code(world.outside));
  return { access_token: String(json['access_token']), refresh_token: String(json['refresh_token']) };
};

/** Processes A and B, and what they do. */
const two = (world: World, ...acts: readonly ((server: Server) => Promise<unknown>)[]): Begun['requests'] =>
  acts.map((act, at) => {
    const server = world.process('ABC'.charAt(at));
    return () => act(server);
  });

export const redeemTwice = (
  ...between: ConstructorParameters<typeof World> extends [unknown, ...infer More] ? More : never
): Scenario => ({
  name: 'a code is redeemed and redeemed',
  begin: async () => {
    const world = new World(OPTIONS, ...between);
    const given = await code(world.outside);
    const act = (server: Server) => redeem(server, given);
    return {
      world,
      requests: two(world, act, act),
      check: async (responses) => {
        const successes = responses.filter(isSuccess);
        const again = await redeem(world.outside, given);
        const alive = await liveOf(world, [...successes, again]);
        return broken(
          [successes.length > 1, 'P1: a code gives two grants'],
          [responses.every(isDone) && alive.length > 0, 'P4: a code that was redeemed twice leaves a token alive'],
        );
      },
    };
  },
});

export const REDEEM_TWICE: Scenario = redeemTwice();

/** A response of the protocol, after which the client does not repeat its request. */
const isDone = (answer: unknown): boolean =>
  typeof answer === 'object' && answer !== null && 'status' in answer && Number(answer.status) < 500;

export const REFRESH_TWICE: Scenario = {
  name: 'a token is refreshed and refreshed',
  begin: async () => {
    const world = new World(OPTIONS);
    const { refresh_token } = await tokensOf(world);
    const act = (server: Server) => refresh(server, refresh_token);
    return {
      world,
      requests: two(world, act, act),
      check: async (responses) => {
        // An honest client repeats after an error or silence, and goes on with the token of its last response.
        const last = responses.filter(isSuccess).at(-1) ?? (await refresh(world.outside, refresh_token));
        const next = await refresh(world.outside, String(last.json['refresh_token']));
        const another = new Set(responses.filter(isSuccess).map(({ json }) => json['refresh_token']));
        return broken(
          [!isSuccess(next), 'P3: an honest client has lost its grant'],
          [another.size > 1, 'P1: a refresh token gives two successors'],
        );
      },
    };
  },
};

export const REFRESH_AND_REVOKE: Scenario = {
  name: 'a token is refreshed and revoked',
  begin: async () => {
    const world = new World(OPTIONS);
    const { access_token, refresh_token } = await tokensOf(world);
    return {
      world,
      requests: two(
        world,
        (server) => refresh(server, refresh_token),
        (server) => revoke(server, refresh_token),
      ),
      check: async ([refreshed, revoked]) => {
        if (!isSuccess(revoked)) return [];
        const given = isSuccess(refreshed) ? [refreshed] : [];
        const alive = (await isLive(world, access_token)) || (await liveOf(world, given)).length > 0;
        const tokens = [refresh_token, ...given.map(({ json }) => String(json['refresh_token']))];
        const after = await Promise.all(tokens.map((token) => refresh(world.outside, token)));
        return broken(
          [alive, 'P2: an access token lives after its grant was revoked'],
          [after.some(isSuccess), 'P2: a refresh token works after it was revoked'],
        );
      },
    };
  },
};

/** A client that repeats at another process what failed, and goes on there. */
const goingOn = (
  name: string,
  promise: string,
  prepare: (world: World) => Promise<(server: Server) => Promise<unknown>>,
  goOn: (
    server: Server,
    first: unknown,
    repeat: (server: Server) => Promise<unknown>,
  ) => Promise<{ readonly token: unknown; readonly shouldLive: boolean } | undefined>,
): Scenario => ({
  name,
  begin: async () => {
    const world = new World(OPTIONS);
    const act = await prepare(world);
    const [one, other] = [world.process('A'), world.process('B')];
    const request = async () => {
      const first = await act(one).catch((error: unknown) => error);
      return goOn(other, first, act);
    };
    return {
      world,
      requests: [request],
      check: async ([response]) => {
        if (typeof response !== 'object' || response === null || !('token' in response)) return [];
        const { token, shouldLive } = response as { readonly token: unknown; readonly shouldLive: boolean }; // Of `goOn`.
        return broken([(await isLive(world, token)) !== shouldLive, promise]);
      },
    };
  },
});

export const ACCESS_REVOKED: Scenario = goingOn(
  'a refresh, repeated elsewhere if it fails; then its access token is revoked',
  'P2: a revoked access token lives',
  async (world) => {
    const { refresh_token } = await tokensOf(world);
    return (server) => refresh(server, refresh_token);
  },
  async (server, first, repeat) => {
    const answer = isSuccess(first) ? first : await repeat(server);
    const token = isSuccess(answer) ? answer.json['access_token'] : undefined;
    return isSuccess(await revoke(server, String(token))) ? { token, shouldLive: false } : undefined;
  },
);

export const GRANT_REVOKED: Scenario = goingOn(
  'a grant, and then its refresh token is revoked',
  'P2: a grant lives after its refresh token was revoked',
  async () => (server) => server.issue({ sub: 'alice', client_id: 'app', scope: 'a' }),
  async (server, first) => {
    const { access_token, refresh_token } = Object(first) as {
      readonly access_token?: string;
      readonly refresh_token?: string;
    };
    if (refresh_token === undefined) return undefined;
    return isSuccess(await revoke(server, refresh_token)) ? { token: access_token, shouldLive: false } : undefined;
  },
);

/** An owner who comes back after a disconnection keeps what is allowed then. */
export const BACK_AGAIN: Scenario = goingOn(
  'a connection is ended, and its owner comes back',
  'P3: an owner who came back lost the new grant',
  async (world) => {
    await tokensOf(world);
    return ({ grants }) => grants.revoke({ sub: 'alice', client_id: 'app' });
  },
  async (server, first) => {
    if (first instanceof Error) return undefined; // The caller does not know whether it is still to come.
    const issued = await server.issue({ sub: 'alice', client_id: 'app', scope: 'a' }).catch(() => undefined);
    return issued && { token: issued.access_token, shouldLive: true };
  },
);

/** Sign-ins on these days; on the last of them one more, and somebody ends what was allowed. */
const extended = (
  name: string,
  client_id: 'app' | 'short',
  days: readonly number[],
  end: (server: Server) => Promise<unknown>,
): Scenario => ({
  name: `an extended connection (${client_id}), and ${name}`,
  begin: async () => {
    const world = new World(OPTIONS);
    const issue = (server: Server) => server.issue({ sub: 'alice', client_id, scope: 'a' });
    let last: Awaited<ReturnType<typeof issue>> | undefined;
    for (const day of days.slice(0, -1)) {
      world.now = START + day * DAY;
      last = await issue(world.outside);
    }
    world.now = START + (days.at(-1) ?? 0) * DAY;
    return {
      world,
      requests: two(world, issue, end),
      check: async ([, ended]) => {
        const isRefreshed =
          last?.refresh_token !== undefined && isSuccess(await refresh(world.outside, last.refresh_token));
        const alive = isRefreshed || (await isLive(world, last?.access_token));
        const { grants } = await world.outside.grants.list({ sub: 'alice' });
        const again = await world.outside.grants.list({ client_id });
        return broken(
          [!(ended instanceof Error) && ended !== undefined && alive, 'P2: a grant lives after it was ended'],
          [alive && (grants.length === 0 || again.grants.length === 0), 'P7: what lives is not listed'],
        );
      },
    };
  },
});

/** After the first entry of a list has ended: sign-ins of hours, and of half a year. */
export const EXTENDED: readonly Scenario[] = (
  [
    ['short', [0, 1.5 / 24, 2.4 / 24]],
    ['app', [0, 100, 175, 181]],
  ] as const
).flatMap(([client_id, days]) => [
  extended('grants.revoke of the owner', client_id, days, ({ grants }) => grants.revoke({ sub: 'alice' })),
  extended('grants.revoke of the client', client_id, days, ({ grants }) => grants.revoke({ client_id })),
  extended('grants.revoke of both', client_id, days, ({ grants }) => grants.revoke({ sub: 'alice', client_id })),
  extended('owners.erase', client_id, days, ({ owners }) => owners.erase('alice')),
]);

const fieldsOf = (page: string): Record<string, string> =>
  Object.fromEntries(
    [...page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  );

const cookieOf = ({ headers }: Answer): string =>
  headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');

/** Personal tokens of a week and of a year, and on day 15 "revoke all". */
export const PERSONAL_TOKENS: Scenario = {
  name: 'personal tokens of different lifetimes, and "revoke all"',
  begin: async () => {
    const world = new World(OPTIONS);
    const create = async (days: string): Promise<string> => {
      const page = await send(world.outside, '/oauth/tokens');
      const scope = /name="(scope_[^"]+)"/.exec(page.text)?.[1] ?? '';
      const made = await send(
        world.outside,
        '/oauth/tokens',
        { ...fieldsOf(page.text), name: days, days, [scope]: '1', decision: 'create' },
        cookieOf(page),
      );
      return /<p class="code" dir="ltr">([^<]+)</.exec(made.text)?.[1] ?? '';
    };
    await create('7');
    world.now += 3 * DAY;
    const token = await create('365');
    world.now += 12 * DAY;
    if (!(await isLive(world, token))) throw new Error('There is no token of a year.');
    const page = await send(world.outside, '/oauth/tokens');
    return {
      world,
      requests: two(world, (server) =>
        send(
          server,
          '/oauth/tokens',
          { ...fieldsOf(page.text), decision: 'revoke_all', confirmed: 'yes' },
          cookieOf(page),
        ),
      ),
      check: async ([ended]) =>
        broken([
          Object(ended).status === 303 && (await isLive(world, token)),
          'P2: a personal token lives after all were revoked',
        ]),
    };
  },
};
