import { describe, expect, test } from 'vitest';
import { hostFor, useHost } from '../../hosts.js';
import { everyRow } from '../../rows.js';
import { fixture } from '../support/fixture.js';
import { Flows, refusal } from '../support/tokens.js';

/** Public clients cannot be registered with this grant at all; this one has two others. */
const PUBLIC = {
  client_id: 'public',
  redirect_uris: ['http://127.0.0.1/cb'],
  grant_types: ['authorization_code', 'device_code'],
} as const;

/** Nobody may be called like a client. */
const IMPOSTOR = { username: 'impostor', password: 'impostor', sub: 'client:service' } as const;

const OWNERS = [
  { username: 'alice', password: 'wonderland', sub: 'alice' },
  { username: 'service', password: 'service', sub: 'service' },
  IMPOSTOR,
];

/** A directory of the host: an array of users with such a `sub` is refused at the start. */
const DIRECTORY = {
  authenticate: (username: string, password: string) =>
    OWNERS.find((owner) => owner.username === username && owner.password === password),
};

describe.each(hostFor(import.meta.url))('client credentials on $name', (host) => {
  const { options, events, errors } = fixture({
    clients: [PUBLIC],
    users: DIRECTORY,
  });

  const running = useHost(host, { options }, errors);
  const flows = new Flows(running, [PUBLIC]);

  test('#76 a public client, or one that is not registered for it, is unauthorized_client (RFC 6749 §4.4)', () =>
    everyRow(['public', 'spa', 'web'], async (client_id) => {
      const answer = await flows.token(client_id, { grant_type: 'client_credentials' });
      expect(refusal(answer)).toEqual([400, 'unauthorized_client']);
    }));

  test('#77 the response has no refresh_token (RFC 6749 §4.4.3)', async () => {
    const answer = await flows.token('service', { grant_type: 'client_credentials', scope: 'highvolume' });
    expect(answer.status).toBe(200);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.json).toEqual({
      access_token: expect.stringMatching(/^[\w-]{43}$/),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'highvolume',
    });
    expect(events.at(-1)).toMatchObject({
      type: 'token.issued',
      grant_type: 'client_credentials',
      client_id: 'service',
      sub: 'client:service',
      scope: 'highvolume',
    });
  });

  test('#77 without a scope the client gets its default; a scope it may not have is invalid_scope', async () => {
    expect((await flows.ownTokens()).scope).toBe('content.read highvolume');
    for (const scope of ['profile', 'content.read introspect', 'nonsense', 'content.read  highvolume']) {
      expect(refusal(await flows.token('service', { grant_type: 'client_credentials', scope }))).toEqual([
        400,
        'invalid_scope',
      ]);
    }
  });

  test("#77 its sub cannot equal a user's sub (RFC 9700 §4.15)", async () => {
    const own = await flows.ownTokens();
    const { sub, username } = (await flows.introspect(own.access_token)).json;
    expect([sub, username]).toEqual(['client:service', undefined]);
    const browser = flows.browser();
    const page = await browser.authorize({
      response_type: 'code',
      client_id: 'web',
      redirect_uri: flows.redirectUri('web'),
      state: 'xyz',
    });
    const refused = await browser.submit(page, IMPOSTOR);
    expect(new URL(refused.headers.location ?? '').searchParams.get('error')).toBe('server_error');
    expect(errors.splice(0)).toEqual([
      expect.objectContaining({ name: 'TypeError', message: expect.stringContaining('client:') }),
    ]);
  });
});
