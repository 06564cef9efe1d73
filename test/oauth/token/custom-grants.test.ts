import { describe, expect, test } from 'vitest';
import { oauthQuery } from '../../../src/adapters/fetch/index.js';
import { customGrant, OAuthError } from '../../../src/core/index.js';
import type { CustomGrantAnswer } from '../../../src/core/oauth/kernel/custom-grant.js';
import { hostFor, type HostOptions, oneHostEach, useHost } from '../../hosts.js';
import { everyRow } from '../../rows.js';
import { DEVICE_CODE, fixture } from '../support/fixture.js';
import { Flows, refusal } from '../support/tokens.js';

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const VOUCHER = 'https://grants.example/voucher';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const PHOTOS = 'https://photos.example';
const MAIL = 'https://mail.example';

/** What the tokens of a partner stand for. */
const PARTNER: Readonly<Record<string, CustomGrantAnswer>> = {
  whole: { sub: 'alice', username: 'Alice' },
  narrow: { sub: 'alice', scope: 'profile' },
  lasting: { sub: 'alice', refresh: true },
  machine: {},
  photos: { sub: 'alice', resource: [PHOTOS] },
  gone: { sub: 'mallory' },
  withdrawn: { sub: 'bob' },
};

/** Errors of a handler, each with the message in onError. */
const MISTAKES: Readonly<Record<string, readonly [answer: unknown, complaint: RegExp]>> = {
  nothing: [undefined, /the answer is missing: it must be an object/],
  text: ['alice', /the answer must be an object with sub, username, scope, resource, refresh, fields\.$/],
  misspelt: [{ subject: 'alice' }, /the answer\.subject is unknown\./],
  'a scope too much': [{ sub: 'alice', scope: 'profile content.write' }, /returned a scope/],
  'no scope at all': [{ sub: 'alice', scope: 'pro"file' }, /returned a scope/],
  'an unknown resource': [{ sub: 'alice', resource: 'https://x.example' }, /returned a resource/],
  'a client as an owner': [{ sub: 'client:service' }, /must not begin with client:/],
  'a refresh token for nobody': [{ refresh: true }, /returned a refresh token without a sub/],
};

const exchange = customGrant(EXCHANGE, {
  parameters: {
    subject_token: { required: true },
    subject_token_type: { required: true },
    audience: {},
  },
  handle: async ({ client, parameters, scope, resources, ip }) => {
    const { subject_token, subject_token_type } = parameters;
    if (subject_token_type !== ACCESS_TOKEN)
      throw new OAuthError('invalid_request', 'The subject_token_type is not supported.');
    if (subject_token === 'seen')
      return { sub: 'alice', fields: { seen: JSON.stringify({ client, parameters, scope, resources, ip }) } };
    if (subject_token === 'bug') throw new Error('a bug of the host');
    const mistake = MISTAKES[subject_token];
    // A handler in JavaScript can answer anything.
    if (mistake !== undefined) return mistake[0] as CustomGrantAnswer;
    const known = PARTNER[subject_token];
    if (known === undefined) throw new OAuthError('invalid_grant', 'The subject_token is not valid.');
    return { ...known, fields: { issued_token_type: ACCESS_TOKEN, access_token: 'not this one' } };
  },
});

const CLIENTS = [
  {
    client_id: 'gateway',
    client_secret: 'gateway-secret',
    grant_types: [EXCHANGE, 'refresh_token'],
    scope: 'profile content.read content.write',
    default_scope: 'profile content.read',
  },
  { client_id: 'kiosk', grant_types: [EXCHANGE], scope: 'profile' },
] as const;

const OPTIONS = {
  clients: CLIENTS,
  features: [exchange, customGrant(VOUCHER, { handle: () => ({}) })],
  resources: [PHOTOS, MAIL],
  validateGrant: ({ sub }) => sub !== 'bob',
} satisfies HostOptions;

describe.each(hostFor(import.meta.url))('a custom grant on $name', (host) => {
  const { options, events, errors } = fixture(OPTIONS);

  const running = useHost(host, { options }, errors);
  const flows = new Flows(running, CLIENTS);

  const exchanged = (subject_token: string, more: Readonly<Record<string, string>> = {}, client_id = 'gateway') =>
    flows.token(client_id, { grant_type: EXCHANGE, subject_token, subject_token_type: ACCESS_TOKEN, ...more });

  test('issues a token for the owner that its handler returns (RFC 6749 §4.5, RFC 8693 §2.2.1)', async () => {
    events.length = 0;
    const answer = await exchanged('whole');
    expect([answer.status, answer.headers['cache-control'], answer.json]).toEqual([
      200,
      'no-store',
      {
        access_token: expect.stringMatching(/^[\w-]{65}$/),
        token_type: 'Bearer',
        expires_in: 3600,
        scope: 'profile content.read',
        issued_token_type: ACCESS_TOKEN,
      },
    ]);
    expect((await flows.introspect(String(answer.json['access_token']))).json).toMatchObject({
      active: true,
      sub: 'alice',
      username: 'Alice',
      client_id: 'gateway',
      aud: running.base,
    });
    const issued = { client_id: 'gateway', sub: 'alice', scope: 'profile content.read', grant_id: expect.any(String) };
    expect(events).toMatchObject([
      { type: 'grant.created', ...issued },
      { type: 'token.issued', grant_type: EXCHANGE, ...issued },
    ]);
  });

  test('receives the request: the client, its parameters once each, scope and resources', async () => {
    const { json } = await exchanged('seen', { scope: 'content.write', resource: MAIL, audience: 'über', other: 'x' });
    expect(JSON.parse(String(json['seen']))).toEqual({
      client: { client_id: 'gateway', client_name: 'gateway', public: false },
      parameters: { subject_token: 'seen', subject_token_type: ACCESS_TOKEN, audience: 'über' },
      scope: 'content.write',
      resources: [MAIL],
      ip: '127.0.0.1',
    });
  });

  test('can narrow scope and resource, never widen them', async () => {
    expect((await exchanged('narrow')).json['scope']).toBe('profile');
    const { access_token } = (await exchanged('photos')).json;
    expect((await flows.introspect(String(access_token))).json['aud']).toBe(PHOTOS);
    expect((await exchanged('photos', { resource: PHOTOS })).status).toBe(200);
    expect(refusal(await exchanged('photos', { resource: MAIL }))).toEqual([500, 'server_error']);
    expect(errors.splice(0).map(String)).toEqual([expect.stringContaining('returned a resource')]);
  });

  test('issues a refresh token if the handler and the client allow it, with the usual rotation', async () => {
    const { refresh_token } = (await exchanged('lasting')).json;
    const next = await flows.refreshed('gateway', String(refresh_token));
    expect(next).toMatchObject({ scope: 'profile content.read', refresh_token: expect.stringMatching(/^[\w-]{94}$/) });
    expect((await exchanged('whole')).json['refresh_token']).toBeUndefined();
    expect((await exchanged('lasting', {}, 'kiosk')).json['refresh_token']).toBeUndefined();
  });

  test('issues a token of the client itself if the handler returns no owner, but not to a public client', async () => {
    const { access_token } = (await exchanged('machine')).json;
    expect((await flows.introspect(String(access_token))).json['sub']).toBe('client:gateway');
    expect(refusal(await exchanged('machine', {}, 'kiosk'))).toEqual([500, 'server_error']);
    expect(errors.splice(0).map(String)).toEqual([
      expect.stringContaining('returned a token for a public client without a sub'),
    ]);
  });

  test.each<[string, readonly [number, string], Readonly<Record<string, string>>]>([
    ['a parameter is missing', [400, 'invalid_request'], { subject_token: '' }],
    ['a parameter has a control character', [400, 'invalid_request'], { subject_token: 'a\nb' }],
    ['the handler refuses', [400, 'invalid_grant'], { subject_token: 'unknown' }],
    ['the handler refuses, with another code', [400, 'invalid_request'], { subject_token_type: 'urn:x' }],
    ['the client may not ask for this scope', [400, 'invalid_scope'], { scope: 'highvolume' }],
    ['the scope is none', [400, 'invalid_scope'], { scope: 'profile  content.read' }],
    ['the resource is not known', [400, 'invalid_target'], { resource: 'https://x.example' }],
    ['the owner is no user any more', [400, 'invalid_grant'], { subject_token: 'gone' }],
    ['the host does not stand by it', [400, 'invalid_grant'], { subject_token: 'withdrawn' }],
  ])('is rejected if %s', async (_title, expected, more) => {
    events.length = 0;
    expect(refusal(await exchanged('whole', more))).toEqual(expected);
    // What cannot be read is refused before anything is known of the client.
    if (more['subject_token'] === 'a\nb') return;
    expect(events).toMatchObject([
      {
        type: 'token.refused',
        error: expected[1],
        reason: expect.any(String),
        grant_type: EXCHANGE,
        client_id: 'gateway',
      },
    ]);
  });

  test('is rejected if a parameter is repeated, and for another client', async () => {
    const form = new URLSearchParams({
      grant_type: EXCHANGE,
      subject_token: 'whole',
      subject_token_type: ACCESS_TOKEN,
    });
    const twice = `${form}&audience=a&audience=b&client_id=gateway&client_secret=gateway-secret`;
    expect(refusal(await flows.client.post('/oauth/token', twice))).toEqual([400, 'invalid_request']);
    expect(refusal(await exchanged('whole', {}, 'service'))).toEqual([400, 'unauthorized_client']);
    const wrong = `${form}&client_id=gateway&client_secret=wrong`;
    expect(refusal(await flows.client.post('/oauth/token', wrong))).toEqual([401, 'invalid_client']);
  });

  test('cannot be misused with parameters of other grants', async () => {
    expect(refusal(await flows.token('gateway', { grant_type: 'client_credentials' }))).toEqual([
      400,
      'unauthorized_client',
    ]);
    expect(refusal(await flows.token('gateway', { grant_type: VOUCHER }))).toEqual([400, 'unauthorized_client']);
    expect(refusal(await flows.token('gateway', { grant_type: 'urn:x:y' }))).toEqual([400, 'unsupported_grant_type']);
  });

  test.each(Object.entries(MISTAKES))('reports only to onError: %s', async (name, [, complaint]) => {
    expect(refusal(await exchanged(name))).toEqual([500, 'server_error']);
    expect(errors.splice(0).map(String)).toEqual([expect.stringMatching(complaint)]);
  });

  test('reports an error of the handler to onError', async () => {
    expect(refusal(await exchanged('bug'))).toEqual([500, 'server_error']);
    expect(errors.splice(0).map(String)).toEqual(['Error: a bug of the host']);
  });

  test('is in the metadata', async () => {
    const metadata = (await flows.client.get('/.well-known/openid-configuration')).json;
    expect(metadata['grant_types_supported']).toEqual(expect.arrayContaining([EXCHANGE, VOUCHER]));
  });
});

test('a handler that does not respond in time is 503, and onError receives its name', async () => {
  const { options, errors } = fixture({
    ...OPTIONS,
    features: [customGrant(EXCHANGE, { handle: () => new Promise<never>(() => undefined) })],
    // Of which the handler has 625 ms; the second itself does not pass here, however busy the machine is.
    timeout: 1000,
  });
  const [host] = oneHostEach;
  const flows = new Flows(await host.start({ options }), CLIENTS);
  expect(refusal(await flows.token('gateway', { grant_type: EXCHANGE }))).toEqual([503, 'temporarily_unavailable']);
  expect(errors.map(String)).toEqual([expect.stringContaining(`The handle of the grant "${EXCHANGE}"`)]);
});

test('a wrong grant is an error at the start, which names the feature and the field', () => {
  const handle = () => ({});
  return everyRow(
    [
      ['token_exchange', { handle }, /^feature token_exchange: grants: "token_exchange" is not an absolute URI/],
      ['urn:x y', { handle }, /^feature urn:x_y: grants: "urn:x y" is not an absolute URI/],
      [DEVICE_CODE, { handle }, /is built in\. Name it in options\.grants\.$/],
      ['urn:x:y', handle, /^feature urn:x:y: grants\["urn:x:y"\] must be an object/],
      ['urn:x:y', {}, /grants\["urn:x:y"\]\.handle is missing/],
      ['urn:x:y', { handle: 'x' }, /grants\["urn:x:y"\]\.handle must be a function/],
      ['urn:x:y', { handler: handle }, /grants\["urn:x:y"\]\.handler is unknown/],
      ['urn:x:y', { handle, parameters: ['token'] }, /\.parameters must be an object of parameters/],
      ['urn:x:y', { handle, parameters: { token: 'required' } }, /\.parameters\.token must be/],
      ['urn:x:y', { handle, parameters: { token: { require: true } } }, /\.parameters\.token\.require is unknown/],
      ['urn:x:y', { handle, parameters: { 'two words': {} } }, /is not a valid parameter name/],
      ['urn:x:y', { handle, parameters: { scope: {} } }, /\.parameters\.scope: the token endpoint already has/],
      ['urn:x:y', { handle, parameters: { client_secret: {} } }, /\.client_secret: the token endpoint already has/],
    ] as const,
    ([uri, grant, problem]) => {
      const { options } = fixture({ clients: [], features: [customGrant(uri, grant as never)] });
      expect(() => oauthQuery(options)).toThrow(problem);
    },
  );
});

test('a grant twice is an error that names it', () => {
  const grant = customGrant(VOUCHER, { handle: () => ({}) });
  const { options } = fixture({ clients: [], features: [grant, grant] });
  expect(() => oauthQuery(options)).toThrow(`two features named "${VOUCHER}"`);
});
