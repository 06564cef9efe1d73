import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { oauthQuery } from '../../src/adapters/fetch/index.js';
import { basic, bearer } from '../hosts.js';
import { PKCE } from './support/browser.js';
import { fixture } from './support/fixture.js';

const ISSUER = 'https://op.example';
const API = 'https://api.example';

/** Bytes that are the same in every run. */
const countedRandom = () => {
  let count = 0;
  return (length: number) => Uint8Array.from({ length }, () => (count = (count * 31 + 7) % 251));
};

/** An answer as it is sent, headers in their order. */
const shown = async (response: Response): Promise<string> =>
  [
    String(response.status),
    ...[...response.headers].map(([name, value]) => `${name}: ${value}`),
    '',
    await response.text(),
  ].join('\n');

const form = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Request =>
  new Request(ISSUER + path, { method: 'POST', headers, body: new URLSearchParams(fields) });

/**
 * `without-resources.snap.txt` was written by the version before resources had documents. A server that uses nothing of what came since answers the same
 * bytes; `openid-configuration` has members of its own since then, and the keys are where it says.
 */
describe('a server without resources', () => {
  const { options } = fixture({ clients: [], resources: [API] });
  const { handler, guard } = oauthQuery({
    ...options,
    runtime: { ...options.runtime, random: countedRandom() },
    issuer: ISSUER,
  });
  const guards: Readonly<Record<string, ReturnType<typeof guard>>> = {
    '/guarded': guard('profile'),
    '/guarded/read': guard('content.read'),
    '/guarded/api': guard('content.read', { audience: API }),
  };
  const answers: string[] = [];

  const answer = async (request: Request): Promise<Response> => {
    const protect = guards[new URL(request.url).pathname];
    if (protect === undefined) return handler(request);
    const authorization = await protect(request);
    return authorization instanceof Response ? authorization : Response.json(authorization);
  };
  /** Asks, and notes what came. */
  const ask = async (title: string, request: Request): Promise<string> => {
    const response = await answer(request);
    const text = await response.clone().text();
    answers.push(`## ${title}\n${await shown(response)}`);
    return text;
  };
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET'): Request =>
    new Request(ISSUER + path, { method, headers });

  beforeAll(async () => {
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST'])
      await ask(
        `metadata: ${method}`,
        get('/.well-known/oauth-authorization-server', { origin: 'https://x.example' }, method),
      );
    for (const path of ['', '/', '/guarded', '/mcp'])
      await ask(`no metadata of a resource ${path}`, get(`/.well-known/oauth-protected-resource${path}`));
    const service = basic('service', 'service-secret');
    const tokens: string[] = [];
    for (const resource of ['', API, `${API}#x`, 'https://unknown.example']) {
      const fields = { grant_type: 'client_credentials', ...(resource !== '' && { resource }) };
      const text = await ask(`token ${resource}`, form('/oauth/token', fields, service));
      tokens.push(String((JSON.parse(text) as { access_token?: string }).access_token));
    }
    for (const path of Object.keys(guards)) {
      await ask(`${path} without a token`, get(path));
      await ask(`${path} with two tokens`, get(`${path}?access_token=x`, bearer('x')));
      for (const token of ['x', ...tokens.slice(0, 2)]) await ask(`${path} with a token`, get(path, bearer(token)));
    }
    for (const token of tokens.slice(0, 2))
      await ask('introspection', form('/oauth/introspect', { token }, basic('api', 'api-secret')));
    await ask('device', form('/oauth/device', { client_id: 'tv', scope: 'profile' }));
    const asked = { client_id: 'web', response_type: 'code', scope: 'profile', ...PKCE.request };
    await ask('sign-in', get(`/oauth/authorize?${new URLSearchParams(asked).toString()}`));
    await ask('refused', get(`/oauth/authorize?${new URLSearchParams({ ...asked, resource: 'urn:x' }).toString()}`));
    for (const method of ['PUT', 'OPTIONS']) await ask(`token: ${method}`, get('/oauth/token', {}, method));
    await ask('revocation', form('/oauth/revoke', { token: tokens[0] ?? '' }, service));
  });
  afterAll(() => expect(answers.length).toBeGreaterThan(30));

  test('has the same metadata, tokens, challenges, pages and refusals as before, byte for byte', async () => {
    await expect(answers.join('\n\n')).toMatchFileSnapshot('./without-resources.snap.txt');
  });
});
