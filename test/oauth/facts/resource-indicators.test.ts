import { describe, expect, onTestFinished, test } from 'vitest';
import { type Answer, basic, Client, hostFor, useHost } from '../../hosts.js';
import { everyRow } from '../../rows.js';
import { Browser, PKCE, responseOf } from '../support/browser.js';
import { fixture } from '../support/fixture.js';
import { refusal } from '../support/tokens.js';

const ONE = 'https://one.example/v1';
const TWO = 'urn:example:two';
const THREE = 'https://three.example';

const WEB = basic('web', 'web-secret');
const SERVICE = basic('service', 'service-secret');
const CALLER = basic('caller', 'caller-secret');

describe.each(hostFor(import.meta.url))('$name', ({ start }) => {
  const { options, errors } = fixture({
    resources: [ONE, TWO, THREE],
    clients: [{ client_id: 'caller', client_secret: 'caller-secret', grant_types: [], introspect: true }],
  });

  const host = useHost({ start }, { options }, errors);
  const client = new Client(() => host.base);

  const audienceOf = async (answer: Answer) => {
    expect(answer.status).toBe(200);
    return (await client.post('/oauth/introspect', { token: String(answer.json['access_token']) }, CALLER)).json['aud'];
  };

  /** A code for these resources. */
  const codeFor = async (...resource: readonly string[]): Promise<string> => {
    const request = { client_id: 'web', response_type: 'code', scope: 'profile', resource, ...PKCE.request };
    return responseOf(await new Browser(host).authorizeFor(request))['code'] ?? '';
  };
  const redeem = (code: string, ...resource: readonly string[]): Promise<Answer> =>
    client.post(
      '/oauth/token',
      { grant_type: 'authorization_code', code, code_verifier: PKCE.verifier, resource },
      WEB,
    );

  test('#111 an unknown or malformed resource is invalid_target at every endpoint (RFC 8707 §2)', () =>
    everyRow(
      [
        '/relative',
        'one.example',
        `${ONE}#x`,
        `${ONE}/`,
        'https://one.example/V1',
        'https://unknown.example',
        'x',
        'https://unknown.example/"\\',
        `https://unknown.example/${'x'.repeat(300)}`,
      ],
      async (resource) => {
        expect(
          refusal(await client.post('/oauth/token', { grant_type: 'client_credentials', resource }, SERVICE)),
        ).toEqual([400, 'invalid_target']);
        expect(
          refusal(
            await client.post('/oauth/token', { grant_type: 'client_credentials', resource: [ONE, resource] }, SERVICE),
          ),
        ).toEqual([400, 'invalid_target']);
        expect(refusal(await client.post('/oauth/device', { client_id: 'tv', resource }))).toEqual([
          400,
          'invalid_target',
        ]);
        const answer = await new Browser(host).authorize({
          client_id: 'web',
          response_type: 'code',
          state: 's',
          resource,
        });
        expect(responseOf(answer)).toMatchObject({ error: 'invalid_target', state: 's', iss: host.base });
        // RFC 6749 §4.1.2.1
        expect(responseOf(answer)['error_description']).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
      },
    ));

  test('the error names the unknown resource and the known ones', async () => {
    const messageFor = async (resource: string): Promise<unknown> =>
      (await client.post('/oauth/token', { grant_type: 'client_credentials', resource }, SERVICE)).json[
        'error_description'
      ];
    expect(await messageFor('https://unknown.example/x')).toContain(
      'The resource https://unknown.example/x is not known. The resources of this server: ',
    );
    for (const name of [ONE, TWO]) expect(await messageFor('https://unknown.example')).toContain(name);
    expect(String(await messageFor(`https://unknown.example/${'x'.repeat(5000)}`)).length).toBeLessThan(500);
  });

  test('M25 #111 the granted resource is the audience; without one it is the issuer (RFC 8707 §2.2)', async () => {
    const credentials = (...resource: readonly string[]) =>
      client.post('/oauth/token', { grant_type: 'client_credentials', resource }, SERVICE);
    expect(await audienceOf(await credentials())).toBe(host.base);
    expect(await audienceOf(await credentials(host.base))).toBe(host.base);
    expect(await audienceOf(await credentials(ONE))).toBe(ONE);
    expect(await audienceOf(await credentials(TWO, ONE, TWO))).toEqual([TWO, ONE]);
  });

  test('M23 #111 the token request can only narrow it, and a wrong one has no effect (RFC 8707 §2.2)', async () => {
    const code = await codeFor(ONE, TWO);
    expect(refusal(await redeem(code, THREE))).toEqual([400, 'invalid_target']);
    expect(refusal(await redeem(code, ONE, THREE))).toEqual([400, 'invalid_target']);
    expect(refusal(await redeem(code, host.base))).toEqual([400, 'invalid_target']);
    const narrowed = await redeem(code, TWO);
    expect(await audienceOf(narrowed)).toBe(TWO);

    const refresh = (...resource: readonly string[]) =>
      client.post(
        '/oauth/token',
        { grant_type: 'refresh_token', refresh_token: String(latest.json['refresh_token']), resource },
        WEB,
      );
    let latest = narrowed;
    expect(refusal(await refresh(THREE))).toEqual([400, 'invalid_target']);
    latest = await refresh(ONE);
    expect(await audienceOf(latest)).toBe(ONE);
    latest = await refresh();
    expect(await audienceOf(latest)).toEqual([ONE, TWO]);
  });

  test('#111 an approval that is remembered for a resource covers neither the issuer nor another resource', async () => {
    const remembering = await start({ options: { ...options, lifetimes: { rememberedConsent: 3600 } } });
    onTestFinished(() => remembering.close());
    const browser = new Browser(remembering);
    const request = { client_id: 'web', response_type: 'code', scope: 'profile', ...PKCE.request };
    await browser.authorizeFor({ ...request, resource: [ONE] });
    expect(responseOf(await browser.authorize({ ...request, resource: [ONE] }))['code']).toBeDefined();
    for (const resource of [[], [TWO], [ONE, TWO]])
      expect((await browser.authorize({ ...request, resource })).text).toContain('value="approve"');
  });

  test('#111 a grant without resources gets none later (RFC 8707 §2.2)', async () => {
    const code = await codeFor();
    expect(refusal(await redeem(code, ONE))).toEqual([400, 'invalid_target']);
    expect(await audienceOf(await redeem(code))).toBe(host.base);
  });
});
