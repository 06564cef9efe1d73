import { describe, expect, onTestFinished, test } from 'vitest';
import { english } from '../../../src/core/base/pages/languages/english.js';
import { Client, hostFor, useHost } from '../../hosts.js';
import { Browser, formOf, locationOf, wordsOf } from '../support/browser.js';
import { fixture } from '../support/fixture.js';

const WEB = { response_type: 'code', client_id: 'web', redirect_uri: 'https://app.example/cb' } as const;
const PAIR = {
  client_id: 'pair',
  client_secret: 'p',
  redirect_uris: ['https://a.example/', 'https://b.example/'],
  scope: '',
} as const;
const MUTE = {
  client_id: 'mute',
  client_secret: 'm',
  redirect_uris: ['https://mute.example/'],
  grant_types: ['client_credentials'],
} as const;
const REFERENCE = /Reference: ([2-9A-Z]{4}-[2-9A-Z]{4})$/;

describe.each(hostFor(import.meta.url))('$name: a refused authorization request', ({ start }) => {
  const { options, events, errors, advance } = fixture({
    clients: [PAIR, MUTE],
    issuer: 'https://login.example',
  });

  const host = useHost({ start }, { options }, errors);

  const authorize = (parameters: Readonly<Record<string, string | readonly string[]>>) => {
    events.length = 0;
    return new Browser(host).authorize(parameters);
  };

  test.each([
    [{ response_type: 'code' }, { reason: 'missing_client_id' }],
    [
      { ...WEB, client_id: 'nobody' },
      { reason: 'unknown_client', value: 'nobody' },
    ],
    [
      { ...WEB, client_id: 'x'.repeat(300) },
      { reason: 'unknown_client', value: `${'x'.repeat(197)}...` },
    ],
    [{ ...WEB, client_id: 'w\u001b[31m' }, { reason: 'invalid_request' }],
    [
      { response_type: 'code', client_id: 'pair' },
      { reason: 'missing_redirect_uri', client_id: 'pair' },
    ],
    [
      { ...WEB, redirect_uri: 'https://evil.example/<b>' },
      { reason: 'unregistered_redirect_uri', client_id: 'web', value: 'https://evil.example/<b>' },
    ],
  ])('%j: a page, and an event with the same reference', async (parameters, expected) => {
    const page = await authorize(parameters);
    expect(page.status).toBe(400);
    const [, reference] = REFERENCE.exec(wordsOf(page)) ?? [];
    expect(reference).toBeDefined();
    expect(events).toHaveLength(1);
    expect(events).toMatchObject([
      {
        type: 'authorization.refused',
        message: expect.stringMatching(/^[\x20-\x7e]{10,}\.$/),
        ...expected,
        reference,
      },
    ]);
    expect(wordsOf(page)).not.toContain(english.texts.inDevelopment);
  });

  test.each([
    [{ client_id: 'web' }, { reason: 'missing_response_type', error: 'invalid_request' }],
    [
      { ...WEB, response_type: 'id_token' },
      { reason: 'unsupported_response_type', value: 'id_token', error: 'unsupported_response_type' },
    ],
    [
      { response_type: 'code', client_id: 'mute' },
      { reason: 'response_type_not_allowed', value: 'code', client_id: 'mute', error: 'unauthorized_client' },
    ],
    [
      { ...WEB, scope: 'profile highvolume no-such-scope' },
      { reason: 'scope_not_allowed', value: 'highvolume no-such-scope', error: 'invalid_scope' },
    ],
    [
      { ...WEB, scope: 'profile  profile' },
      { reason: 'invalid_scope', value: 'profile  profile', error: 'invalid_scope' },
    ],
    [
      { response_type: 'code', client_id: 'pair', redirect_uri: 'https://a.example/' },
      { reason: 'missing_scope', client_id: 'pair' },
    ],
    [
      { response_type: 'code', client_id: 'spa' },
      { reason: 'missing_pkce', client_id: 'spa' },
    ],
    [
      { ...WEB, code_challenge: 'short', code_challenge_method: 'S512' },
      { reason: 'invalid_pkce', value: 'S512' },
    ],
    [
      { ...WEB, resource: 'https://other.example' },
      { reason: 'unknown_resource', value: 'https://other.example' },
    ],
    [
      { ...WEB, state: ['a', 'b'] },
      { reason: 'invalid_request', message: 'The parameter state must not be repeated.' },
    ],
  ])('%j: the client receives a redirect, and the operator an event', async (parameters, expected) => {
    const error = new URL(locationOf(await authorize(parameters))).searchParams.get('error');
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ type: 'authorization.refused', client_id: 'web', error, ...expected });
    expect(events[0]).not.toHaveProperty('reference');
  });

  test('the challenge of the method plain is its verifier, so no event contains it', async () => {
    await authorize({ ...WEB, client_id: 'spa', code_challenge: 'too-short-a-verifier', redirect_uri: '' });
    expect(events[0]).toMatchObject({ reason: 'invalid_pkce' });
    await authorize({ ...WEB, code_challenge: '!'.repeat(43), code_challenge_method: 'S256' });
    expect(events[0]).toMatchObject({ reason: 'invalid_pkce' });
    expect(JSON.stringify(events)).not.toMatch(/too-short|!!/);
  });

  test('an expired or foreign form is also rejected with a reference', async () => {
    const form = formOf(await authorize(WEB));
    const foreign = await new Client(host.base).post('/oauth/authorize', { ...form.fields, decision: 'approve' });
    expect(events).toEqual([expect.objectContaining({ reason: 'invalid_request', client_id: 'web' })]);
    expect(wordsOf(foreign)).toMatch(REFERENCE);
    advance(601);
    await new Client(host.base).post('/oauth/authorize', { ...form.fields, decision: 'approve' });
    expect(events[1]).toMatchObject({ reason: 'expired_request', reference: expect.any(String) });
  });
});

describe.each(hostFor(import.meta.url))('$name: the page of a refused request', ({ start }) => {
  const pageOf = async (issuer: string | undefined, more = {}): Promise<string> => {
    const host = await start({ options: { ...fixture(more).options, ...(issuer !== undefined && { issuer }) } });
    onTestFinished(() => host.close());
    const page = await new Browser(host).authorize({ ...WEB, redirect_uri: 'https://evil.example/<b>' });
    return page.text;
  };

  test.each([undefined, 'http://127.0.0.1:1'])('shows the reason in development (issuer %s)', async (issuer) => {
    expect(await pageOf(issuer)).toContain(
      'The client &quot;web&quot; has not registered the redirect_uri &quot;https://evil.example/&lt;b&gt;&quot;. Its redirect_uris: &quot;https://app.example/cb&quot;.',
    );
  });

  test('shows no reason otherwise, and no reference if nothing receives the event', async () => {
    const text = await pageOf('https://login.example', { onEvent: undefined });
    expect(text).not.toMatch(/evil|redirect_uri|Reference/);
  });
});
