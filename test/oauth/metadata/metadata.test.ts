import { describe, expect, test } from 'vitest';
import { Client, type Host, hostFor, type HostOptions, type RunningHost, useHost } from '../../hosts.js';
import { DEVICE_CODE, fixture, SCOPES } from '../support/fixture.js';

/** RFC 8414 §3.1: the well-known path stands between the host and the path of the issuer. */
const addressOf = ({ origin, base }: RunningHost): string =>
  `/.well-known/oauth-authorization-server${base.slice(origin.length)}`;

describe.each(hostFor(import.meta.url))('metadata on $name', (host) => {
  const { options, errors } = fixture();

  const running = useHost(host, { options }, errors);
  const atRoot = new Client(() => running.origin);

  test('#100 the well-known document is 200 JSON with exactly the enabled features (RFC 8414 §3)', async () => {
    const answer = await atRoot.get(addressOf(running));
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    const { base } = running;
    expect(answer.json).toEqual({
      issuer: base,
      authorization_endpoint: `${base}/oauth/authorize`,
      token_endpoint: `${base}/oauth/token`,
      device_authorization_endpoint: `${base}/oauth/device`,
      introspection_endpoint: `${base}/oauth/introspect`,
      revocation_endpoint: `${base}/oauth/revoke`,
      scopes_supported: Object.keys(SCOPES),
      response_types_supported: ['code'],
      response_modes_supported: ['query', 'form_post'],
      grant_types_supported: ['authorization_code', 'client_credentials', 'refresh_token', DEVICE_CODE],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      ui_locales_supported: ['en'],
    });
  });

  test('#100 clients that append the well-known path to the issuer get the same document (RFC 8414 §5)', async () => {
    const { text } = await atRoot.get(addressOf(running));
    const path = running.base.slice(running.origin.length);
    expect((await atRoot.get(`${path}/.well-known/oauth-authorization-server`)).text).toBe(text);
  });

  test('M21 OpenID discovery has the further members that its parsers require, and the keys exist (OpenID Connect Discovery 1.0 §3)', async () => {
    const { json } = await atRoot.get(addressOf(running));
    const path = running.base.slice(running.origin.length);
    for (const address of [`${path}/.well-known/openid-configuration`, `/.well-known/openid-configuration${path}`]) {
      expect((await atRoot.get(address)).json).toEqual({
        ...json,
        jwks_uri: `${running.base}/oauth/jwks`,
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: [],
      });
    }
    expect((await atRoot.get(`${running.base}/oauth/jwks`)).json).toEqual({ keys: [] });
  });

  test('#100 every listed endpoint exists and responds', async () => {
    const { json } = await atRoot.get(addressOf(running));
    const endpoints = Object.entries(json).filter(([name]) => name.endsWith('_endpoint'));
    expect(endpoints).toHaveLength(5);
    for (const [name, url] of endpoints) {
      const answer = await atRoot.post(String(url), {});
      expect([name, answer.status === 404]).toEqual([name, false]);
      expect([400, 401]).toContain(answer.status);
    }
  });
});

describe.each(hostFor(import.meta.url))('metadata of other configurations on $name', (host) => {
  const documentOf = async (options: HostOptions): Promise<Record<string, unknown>> => {
    const running = await (host satisfies Host).start({ options });
    const { json } = await new Client(running.origin).get(addressOf(running));
    return json;
  };

  test('#100 disabled features are not listed', async () => {
    const { options } = fixture({ grants: ['client_credentials'] });
    const json = await documentOf({ ...options, clients: [{ client_id: 'service', client_secret: 'service-secret' }] });
    expect(json).toMatchObject({
      grant_types_supported: ['client_credentials'],
      response_types_supported: [],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    });
    expect(json).not.toHaveProperty('authorization_endpoint');
    expect(json).not.toHaveProperty('device_authorization_endpoint');
    expect(json).not.toHaveProperty('jwks_uri');
    // Without an authorization endpoint, nothing is said about it.
    for (const name of [
      'code_challenge_methods',
      'response_modes',
      'authorization_response_iss_parameter',
      'ui_locales',
    ])
      expect(json).not.toHaveProperty(`${name}_supported`);
  });

  test('#100 lists without elements are omitted, except the required one (RFC 8414 §3.2)', async () => {
    const { options } = fixture({ grants: ['device_code', 'client_credentials'] });
    const { scopes: _, ...rest } = options;
    const json = await documentOf({ ...rest, clients: [{ client_id: 'tv', grant_types: ['device_code'] }] });
    const empty = Object.keys(json).filter((name) => Array.isArray(json[name]) && json[name].length === 0);
    expect(empty).toEqual(['response_types_supported']);
    expect(json).not.toHaveProperty('scopes_supported');
    expect(json).not.toHaveProperty('code_challenge_methods_supported');
  });

  test('implicit alone has response modes, and no challenge methods', async () => {
    const { options } = fixture({ grants: ['implicit'] });
    const clients = [
      { client_id: 'old', redirect_uris: ['https://old.example/cb'], grant_types: ['implicit'] as const },
    ];
    const json = await documentOf({ ...options, clients });
    expect(json['response_modes_supported']).toEqual(['query', 'fragment', 'form_post']);
    expect(json['authorization_response_iss_parameter_supported']).toBe(true);
    expect(json).not.toHaveProperty('code_challenge_methods_supported');
  });

  test('protected_resources names the resources with metadata (RFC 9728 §4)', async () => {
    const { options } = fixture();
    expect(await documentOf({ ...options, resources: ['https://plain.example'] })).not.toHaveProperty(
      'protected_resources',
    );
    const resources = { 'https://one.example/mcp': { scopes: ['profile'] }, 'https://two.example': {} };
    expect((await documentOf({ ...options, resources }))['protected_resources']).toEqual(Object.keys(resources));
  });

  test('#100 enabled features are listed', async () => {
    const { options } = fixture({
      grants: ['authorization_code', 'implicit', 'password'],
      clients: [{ client_id: 'plain', redirect_uris: ['https://plain.example/cb'], code_challenge_methods: ['plain'] }],
    });
    expect(await documentOf(options)).toMatchObject({
      grant_types_supported: ['authorization_code', 'implicit', 'password'],
      response_types_supported: ['code', 'token'],
      response_modes_supported: ['query', 'fragment', 'form_post'],
      code_challenge_methods_supported: ['S256', 'plain'],
    });
  });

  test('options.metadata adds members', async () => {
    const metadata = {
      service_documentation: 'https://docs.example',
      example_tier: { name: 'free', seats: [1, null] },
    };
    expect(await documentOf(fixture({ metadata }).options)).toMatchObject(metadata);
  });

  test('#100 renamed paths are listed by their first name', async () => {
    const { options } = fixture({ paths: { token: ['/token', '/oauth/token'], revoke: '/sign-out' } });
    const json = await documentOf(options);
    expect(String(json['token_endpoint'])).toBe(`${String(json['issuer'])}/token`);
    expect(String(json['revocation_endpoint'])).toBe(`${String(json['issuer'])}/sign-out`);
  });
});
