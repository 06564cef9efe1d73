import type { Issue } from 'oauth-query';
import { dpop } from 'oauth-query/dpop';
import { oauthQuery } from 'oauth-query/fetch';
import { personalTokens } from 'oauth-query/personal-tokens';
import { describe, expect, test } from 'vitest';
import type { HostOptions } from '../../hosts.js';
import { everyRow } from '../../rows.js';
import { fixture } from '../support/fixture.js';

const ISSUER = 'http://127.0.0.1';
const PHOTOS = 'https://photos.example';

test('no way leads around required proofs: neither issue, personal tokens nor the implicit grant gives a bearer token', async () => {
  const bound = { client_id: 'bound', redirect_uris: ['https://a.example/'], dpop_bound_access_tokens: true } as const;
  const old = { client_id: 'old', redirect_uris: ['https://a.example/'], grant_types: ['implicit'] } as const;
  const serve = (required: boolean, { features = [], ...more }: Pick<HostOptions, 'features' | 'grants'> = {}) =>
    oauthQuery({
      ...fixture({ issuer: ISSUER, clients: [bound, old], features: [dpop({ required }), ...features], ...more })
        .options,
      address: () => '127.0.0.1',
    });
  const issueFor = (oauth: ReturnType<typeof serve>, client_id: string) => oauth.issue({ sub: 'alice', client_id });
  await expect(issueFor(serve(true), 'web')).rejects.toThrow('issue: the tokens of "web" are bound to a key');
  await expect(issueFor(serve(false), 'bound')).rejects.toThrow('dpop_bound_access_tokens');
  expect(await issueFor(serve(false), 'web')).toMatchObject({ token_type: 'Bearer' });
  const features = [personalTokens({ scopes: ['profile'], maxDays: 90 })];
  expect(() => serve(true, { features })).toThrow(
    'The feature personal-tokens cannot be combined with dpop({ required: true })',
  );
  expect(() => serve(false, { features })).not.toThrow();
  const ask = `${ISSUER}/oauth/authorize?response_type=token&client_id=old&redirect_uri=https%3A%2F%2Fa.example%2F`;
  for (const required of [true, false]) {
    const response = await serve(required, { grants: ['implicit'] }).fetch(new Request(ask));
    expect(response?.headers.get('location')?.includes('error=unauthorized_client') ?? false).toBe(required);
  }
});

describe.each([
  ['opaque', {}],
  ['jwt', { jwt: true }],
] as const)('oauth.issue, %s', (_format, format) => {
  const serve = () => {
    const set = fixture({
      issuer: ISSUER,
      ...format,
      resources: [PHOTOS],
      clients: [
        { client_id: 'pat', redirect_uris: ['https://a.example/'], access_token_lifetime: 600, scope: 'profile' },
      ],
    });
    const oauth = oauthQuery({ ...set.options, address: () => '127.0.0.1' });
    const status = async (token: string, scope?: string, audience?: string): Promise<number> => {
      const request = new Request(`${ISSUER}/`, { headers: { authorization: `Bearer ${token}` } });
      const options = audience === undefined ? {} : { audience };
      const guard = scope === undefined ? oauth.guard.any(options) : oauth.guard(scope, options);
      return (await guard(request, () => new Response())).status;
    };
    return { ...set, oauth, status };
  };

  test('issues a token that guards accept, for the owner, the client and the scope', async () => {
    const { oauth, status, events } = serve();
    const issued = await oauth.issue({ sub: 'alice', username: 'Alice', client_id: 'pat' });
    expect(issued).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 600,
      scope: 'profile',
    });
    expect([await status(issued.access_token, 'profile'), await status(issued.access_token, 'content.read')]).toEqual([
      200, 403,
    ]);
    const { grants } = await oauth.grants.list({ sub: 'alice' });
    expect(grants).toMatchObject([{ client_id: 'pat', username: 'Alice', scope: 'profile', grant_type: 'issue' }]);
    expect(events.map(({ type }) => type)).toEqual(['grant.created', 'token.issued']);
    await oauth.grants.revoke({ sub: 'alice' });
    expect(await status(issued.access_token)).toBe(401);
  });

  test('issues a refresh token to a client that may have one, and a token for a resource', async () => {
    const { oauth, status } = serve();
    const issued = await oauth.issue({ sub: 'alice', client_id: 'web', scope: 'content.read', resource: PHOTOS });
    expect([await status(issued.access_token, 'content.read', PHOTOS), await status(issued.access_token)]).toEqual([
      200, 401,
    ]);
    const refreshed = await oauth.fetch(
      new Request(`${ISSUER}/oauth/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa('web:web-secret')}` },
        body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: issued.refresh_token ?? '' }),
      }),
    );
    expect(refreshed?.status).toBe(200);
  });

  test('rejects invalid arguments, and stores nothing', () =>
    everyRow(
      [
        [{ client_id: 'nobody' }, 'there is no client "nobody"'],
        [{ scope: 'content.write' }, 'may not have the scope "content.write"'],
        [{ scope: 'a  b' }, 'may not have the scope "a  b"'],
        [{ resource: 'https://other.example' }, 'options.resources does not have "https://other.example"'],
        [{ sub: 'client:web' }, 'must not begin with client:'],
        [{ sub: '' }, 'issue.sub must be a string'],
        [{ sub: undefined }, 'issue.sub is missing'],
        [{ scopes: 'profile' }, 'issue.scopes is unknown. Did you mean issue.scope?'],
      ],
      async ([wrong, sentence]) => {
        const { oauth, store } = serve();
        const request = { sub: 'alice', client_id: 'pat', ...wrong } as Parameters<Issue>[0];
        await expect(oauth.issue(request)).rejects.toThrow(sentence);
        expect(store.size).toBe(0);
      },
    ));
});
