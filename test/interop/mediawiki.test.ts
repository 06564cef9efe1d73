import Session from 'm3api';
import { completeOAuthSession, initOAuthSession, OAuthClient, refreshOAuthSession } from 'm3api-oauth2';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { query } from '../../src/core/query/index.js';
import { hostFor } from '../hosts.js';
import { type Place, SECRET, startPlace } from './support.js';

/** What MediaWiki clients with fixed names ask for. */
const PATHS = {
  authorize: ['/oauth/authorize', '/w/rest.php/oauth2/authorize'],
  token: ['/oauth/token', '/w/rest.php/oauth2/access_token'],
} as const;

describe.each(hostFor(import.meta.url))('m3api with m3api-oauth2 against $name', (host) => {
  let place: Place;
  beforeAll(async () => {
    place = await startPlace(host, { paths: PATHS, features: [query({ path: ['/w/api.php', '/api'] })] });
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  afterAll(() => place.close());

  const newSession = (id: string, secret: string | null = null): Session => {
    const options = { userAgent: 'tests', 'm3api-oauth2/client': new OAuthClient(id, secret) };
    return new Session(`${place.base}/w/api.php`, { formatversion: 2 }, options);
  };

  const signedIn = async (id: string, secret?: string): Promise<Session> => {
    const session = newSession(id, secret);
    const callback = await place.decide(await initOAuthSession(session));
    expect([...callback.searchParams.keys()].sort()).toEqual(['code', 'iss']);
    await completeOAuthSession(session, callback.href);
    return session;
  };

  const whoAmI = async (session: Session): Promise<unknown> =>
    (await session.request({ action: 'query', meta: 'userinfo' }))['query'].userinfo.name;

  /** The paths of what is sent from here on. */
  const sentPaths = () => {
    const sent = vi.spyOn(globalThis, 'fetch');
    return () =>
      sent.mock.calls.map(([target]) =>
        new URL(target instanceof Request ? target.url : target).pathname.split('/').at(-1),
      );
  };

  test.each([
    ['native-app', undefined],
    ['web-app', SECRET],
  ])('signs in as %s with a link without redirect_uri, scope and state', async (id, secret) => {
    const link = new URL(await initOAuthSession(newSession(id, secret)));
    expect(link.pathname.endsWith('/w/rest.php/oauth2/authorize')).toBe(true);
    expect([...link.searchParams.keys()]).toEqual([
      'response_type',
      'client_id',
      'code_challenge',
      'code_challenge_method',
    ]);
    const session = await signedIn(id, secret);
    expect(session.defaultParams).toMatchObject({ assert: 'user' });
    expect(await whoAmI(session)).toBe('alice');
  });

  test('refreshes automatically and repeats the request when the API reports an expired token', async () => {
    const session = await signedIn('native-app');
    place.advance(3601);
    const paths = sentPaths();
    expect(await whoAmI(session)).toBe('alice');
    expect(paths()).toEqual(['api.php', 'access_token', 'api.php']);
    place.advance(3601);
    expect(await whoAmI(session)).toBe('alice');
  });

  test('refreshes on request', async () => {
    const session = await signedIn('web-app', SECRET);
    const before = session.defaultOptions['accessToken'];
    await refreshOAuthSession(session);
    expect(session.defaultOptions['accessToken']).not.toBe(before);
    expect(await whoAmI(session)).toBe('alice');
  });

  test('gets the error of assert=user if no user is signed in', async () => {
    const refused = newSession('native-app').request({ action: 'query', meta: 'userinfo', assert: 'user' });
    await expect(refused).rejects.toMatchObject({ message: 'assertuserfailed' });
  });
});
