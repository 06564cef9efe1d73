import { describe, expect, test } from 'vitest';
import { checkClient } from '../../../src/core/index.js';
import { bearer, Client, hostFor, oneHostEach, useHost } from '../../hosts.js';
import { wordsOf } from '../support/browser.js';
import { DEVICE_CODE, fixture } from '../support/fixture.js';
import { Flows, refusal } from '../support/tokens.js';

const SCOPES = {
  'notes.read': 'See your notes',
  'notes.write': { description: 'Change your notes', implies: ['notes.read'] },
  'notes.admin': { description: 'Do anything with your notes', implies: ['notes.write', 'notes.share'] },
  'notes.share': { description: 'Share your notes', rights: ['apihighlimits'] },
  profile: 'See your name',
  introspect: 'Look at tokens',
} as const;

const CLIENTS = [
  {
    client_id: 'writer',
    client_secret: 'writer-secret',
    redirect_uris: ['https://writer.example/cb'],
    scope: 'notes.write profile',
    default_scope: 'notes.write',
    refresh: 'rotating',
  },
  { client_id: 'robot', client_secret: 'robot-secret', scope: 'notes.admin' },
  { client_id: 'box', grant_types: ['device_code'], scope: 'notes.write', refresh: 'rotating' },
] as const;

const setUp = (more: object = {}) => {
  const made = fixture({ ...more });
  const api = { client_id: 'api', client_secret: 'api-secret', introspect: true, scope: 'introspect' };
  return { ...made, options: { ...made.options, scopes: SCOPES, clients: [...CLIENTS, api] } };
};

describe.each(hostFor(import.meta.url))('scopes that imply others on $name', ({ start }) => {
  const { options, errors, events } = setUp({ lifetimes: { rememberedConsent: 86_400 } });

  const host = useHost(
    { start },
    {
      options,
      guarded: { read: { scope: 'notes.read' }, write: { scope: 'notes.write' }, share: { scope: 'notes.share' } },
    },
    errors,
  );
  const flows = new Flows(host, CLIENTS);

  const statuses = async (token: string): Promise<readonly number[]> => {
    const client = new Client(host.origin);
    const answers = ['read', 'write', 'share'].map((route) => client.get(`/guarded/${route}`, bearer(token)));
    return (await Promise.all(answers)).map(({ status }) => status);
  };

  test('M14 a token of the broad scope has the narrower one, and passes guards for either', async () => {
    events.splice(0);
    const tokens = await flows.tokens('writer', { scope: 'notes.write' });
    expect(tokens.scope).toBe('notes.write notes.read');
    expect(await statuses(tokens.access_token)).toEqual([200, 200, 403]);
    expect((await flows.introspect(tokens.access_token)).json['scope']).toBe('notes.write notes.read');
    expect(events.find(({ type }) => type === 'token.issued')).toMatchObject({ scope: 'notes.write notes.read' });
  });

  test('M14 so has a token of a client, through several levels, and a token of a device', async () => {
    const own = await flows.ownTokens('robot');
    expect(own.scope).toBe('notes.admin notes.write notes.read notes.share');
    expect(await statuses(own.access_token)).toEqual([200, 200, 200]);
    const { json } = await flows.post('/oauth/device', 'box', { scope: 'notes.write' });
    await flows.browser().decideDevice(String(json['user_code']));
    const poll = { grant_type: DEVICE_CODE, device_code: String(json['device_code']) };
    expect((await flows.token('box', poll)).json['scope']).toBe('notes.write notes.read');
  });

  test('M14 the consent page only shows the broad scope', async () => {
    const words = wordsOf(
      await flows
        .browser('bob')
        .authorize({
          client_id: 'writer',
          response_type: 'code',
          scope: 'notes.read notes.write',
          redirect_uri: 'https://writer.example/cb',
          code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
          code_challenge_method: 'S256',
        })
        .then(async (page) =>
          page.text.includes('password')
            ? flows.browser('bob').signIn(page, { username: 'bob', password: 'builder' })
            : page,
        ),
    );
    expect(words).toContain('Change your notes');
    expect(words).not.toContain('See your notes');
  });

  test('M14 a refresh may narrow to an implied scope, but not widen (RFC 6749 §6)', async () => {
    const { refresh_token } = await flows.tokens('writer', { scope: 'notes.write' });
    const narrowed = await flows.refreshed('writer', refresh_token, { scope: 'notes.read' });
    expect(narrowed.scope).toBe('notes.read');
    expect(await statuses(narrowed.access_token)).toEqual([200, 403, 403]);
    const wider = await flows.refresh('writer', narrowed.refresh_token, { scope: 'notes.read profile' });
    expect(refusal(wider)).toEqual([400, 'invalid_scope']);
    expect((await flows.refreshed('writer', narrowed.refresh_token)).scope).toBe('notes.write notes.read');
  });

  test('M14 a client that may request the broad scope may request the narrower one, and nothing broader', async () => {
    expect((await flows.tokens('writer', { scope: 'notes.read' })).scope).toBe('notes.read');
    const answer = await flows.authorize('writer', { scope: 'notes.admin' });
    expect(answer.headers.location).toContain('error=invalid_scope');
  });

  test('M14 an approval of the broad scope covers the narrower one, but not the other way round', async () => {
    const asked = {
      response_type: 'code',
      client_id: 'writer',
      code_challenge_method: 'S256',
      code_challenge: 'x'.repeat(43),
    };
    const browser = flows.browser('carol');
    await flows.authorize('writer', { scope: 'notes.read' }, 'carol');
    expect((await browser.authorize({ ...asked, scope: 'notes.read' })).status).toBe(302);
    expect((await browser.authorize({ ...asked, scope: 'notes.write' })).status).toBe(200);
    await flows.authorize('writer', { scope: 'notes.write' }, 'carol');
    expect((await browser.authorize({ ...asked, scope: 'notes.read' })).status).toBe(302);
    expect((await browser.authorize({ ...asked, scope: 'notes.write profile' })).status).toBe(200);
  });

  test('M14 the page of connected applications only shows the broad scope', async () => {
    await flows.tokens('writer', { scope: 'notes.write' }, 'dave');
    const words = wordsOf(await flows.browser('dave').open(`${host.base}/oauth/grants`));
    expect(words).toContain('Change your notes');
    expect(words).not.toContain('See your notes');
  });
});

describe('scopes that imply others', () => {
  test('M14 an approval does not grow with the options', async () => {
    const { options, store } = setUp({ lifetimes: { rememberedConsent: 86_400 } });
    const [one] = oneHostEach;
    const before = await one!.start({ options: { ...options, issuer: 'https://op.example', store } });
    const granted = await new Flows(before, CLIENTS).tokens('writer', { scope: 'notes.write' });
    const scopes = { ...SCOPES, 'notes.write': { description: 'More', implies: ['notes.read', 'notes.share'] } };
    const after = await one!.start({ options: { ...options, issuer: 'https://op.example', store, scopes } });
    const flows = new Flows(after, CLIENTS);
    expect((await flows.refreshed('writer', granted.refresh_token)).scope).toBe('notes.write notes.read');
    const asked = {
      client_id: 'writer',
      response_type: 'code',
      scope: 'notes.write',
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
    };
    const page = await flows.browser().signIn(await flows.browser().authorize(asked));
    expect([page.status, wordsOf(page).includes('More')]).toEqual([200, true]);
  });

  test('M14 a registration may use implied scopes as its default', () => {
    const registration = { client_id: 'x', client_secret: 'secret', scope: 'notes.write', default_scope: 'notes.read' };
    expect(checkClient(registration, { scopes: SCOPES })).toEqual([]);
    expect(checkClient({ ...registration, default_scope: 'notes.share' }, { scopes: SCOPES })).toEqual([
      expect.stringContaining('default_scope names "notes.share"'),
    ]);
  });
});
