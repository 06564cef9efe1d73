import type { Feature } from '../../src/core/feature/index.js';
import { query, type QueryOptions, verifyCsrfToken } from '../../src/core/query/index.js';
import { bearer, Client, type Host } from '../hosts.js';
import { fixture, SCOPES } from '../oauth/support/fixture.js';
import { Flows } from '../oauth/support/tokens.js';
import type { Json } from './fixture.js';

/** Rights come with a scope: whoever has it may ask for more at once, and for what others may not see. */
const ROBOT = {
  description: 'Work as a robot',
  rights: ['apihighlimits', 'bot', 'deletedhistory', 'deletedtext', 'patrol'],
};
const robot = { client_id: 'robot', client_secret: 'robot-secret', scope: 'robot' };

/** The caller: anonymous, an owner through a client, or a client with its own rights. */
export const CALLERS = ['anonymous', 'user', 'robot'] as const;
export type CallerName = (typeof CALLERS)[number];

/** The query API with the authorization server whose tokens it accepts, on a framework. */
export interface Joined {
  /** The address of the endpoint. */
  readonly api: string;
  /** Access tokens of our own server. */
  readonly tokens: { readonly user: string; readonly robot: string };
  /** Everything that the host was told: events, errors and what reached its error handler. */
  readonly told: readonly unknown[];
  /** Whether a token of `meta=tokens` is the right one for who brings it. */
  verify(token: string, authorization: Parameters<typeof verifyCsrfToken>[1]['authorization']): boolean;
  get(params: Readonly<Record<string, string>>, as?: CallerName): Promise<Json>;
  close(): Promise<void>;
}

/** Starts both halves on one host and gets the tokens in the way that clients do. */
export async function startJoined(host: Host, given: QueryOptions, others: readonly Feature[] = []): Promise<Joined> {
  const { options, events, errors, clock } = fixture({
    clients: [robot],
    scopes: { ...SCOPES, robot: ROBOT },
    features: [query({ site: { name: 'Fruit', language: 'en' }, ...given }), ...others],
  });
  const running = await host.start({ options });
  const flows = new Flows(running, [robot]);
  const tokens = {
    user: (await flows.tokens('web')).access_token,
    robot: (await flows.ownTokens('robot')).access_token,
  };
  const client = new Client(running.base);
  return {
    api: `${running.base}/api`,
    tokens,
    get told() {
      return [...events, ...errors, ...running.errors];
    },
    verify: (token, authorization) =>
      verifyCsrfToken(token, { secret: options.secret ?? [], type: 'csrf', authorization, now: clock(), maxAge: 60 }),
    get: async (params, as = 'anonymous') => {
      const headers = as === 'anonymous' ? {} : bearer(tokens[as]);
      const { json } = await client.get(`/api?${new URLSearchParams({ format: 'json', ...params })}`, headers);
      return json as Json; // What is in it is for the test to say.
    },
    close: () => running.close(),
  };
}
