import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import {
  auth,
  Client as McpClient,
  CrossAppAccessProvider,
  discoverAndRequestJwtAuthGrant,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import express from 'express';
import { exportPKCS8 } from 'jose';
import { type AssertionIssuer, assertions } from 'oauth-query/assertions';
import { dpop } from 'oauth-query/dpop';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listen } from '../../hosts/listen.js';
import { type NotesServer, startNotes } from '../../mcp/support/notes-server.js';
import { describeEngine } from '../../stores/engines/availability.js';
import { ID_JAG, JWT_BEARER, Signer } from './support.js';

const SECRET = 'a secret of the tests, with 32 characters';
const CLIENTS = [
  { client_id: 'assistant', client_secret: SECRET, grant_types: [JWT_BEARER], scope: 'notes.read' },
  { client_id: 'job', token_endpoint_auth_method: 'private_key_jwt', grant_types: [JWT_BEARER], scope: 'notes.read' },
  { client_id: 'other-job', token_endpoint_auth_method: 'private_key_jwt', scope: 'notes.read' },
] as const;

/** The identity provider of a company: it exchanges its ID token for an assertion (RFC 8693). */
const startProvider = async () => {
  const app = express();
  const { origin, close } = await listen(app);
  const signer = await Signer.make(origin, 'RS256');
  app.use(express.urlencoded());
  app.get('/.well-known/openid-configuration', (_req, res) => {
    const endpoints = { authorization_endpoint: `${origin}/authorize`, token_endpoint: `${origin}/token` };
    const supported = { response_types_supported: ['code'], subject_types_supported: ['public'] };
    const algorithms = { id_token_signing_alg_values_supported: ['RS256'], jwks_uri: `${origin}/keys` };
    res.json({ issuer: origin, ...endpoints, ...supported, ...algorithms });
  });
  app.get('/keys', (_req, res) => void res.json({ keys: [signer.jwk] }));
  app.post('/token', (req, res, next) => {
    const { audience, resource, subject_token, requested_token_type } = req.body as Record<string, string>;
    if (subject_token !== 'the ID token of alice' || !requested_token_type?.endsWith(':id-jag')) {
      res.status(400).json({ error: 'invalid_grant' });
      return;
    }
    const claims = { ...signer.claims(String(audience)), sub: 'employee 17', client_id: 'assistant', resource };
    signer.sign(claims, { typ: ID_JAG }).then((access_token) => {
      res.json({ access_token, issued_token_type: requested_token_type, token_type: 'N_A', expires_in: 300 });
    }, next);
  });
  const keys = async () => (await fetch(`${origin}/keys`)).json() as Promise<NonNullable<AssertionIssuer['jwks']>>;
  return { origin, keys, signer, close };
};

let provider: Awaited<ReturnType<typeof startProvider>>;
let cluster: Signer;
let account: Signer;
let server: NotesServer;

beforeAll(async () => {
  provider = await startProvider();
  cluster = await Signer.make('https://cluster.example', 'ES256');
  account = await Signer.make('job@project.example', 'RS256');
  server = await startNotes({
    clients: CLIENTS,
    features: [
      dpop(),
      assertions({
        issuers: [
          {
            issuer: provider.origin,
            kind: 'id-jag',
            keys: provider.keys,
            owner: ({ sub }) => (sub === 'employee 17' ? { sub: 'alice' } : undefined),
          },
          cluster.entry({ kind: 'workload', clients: { job: 'job', 'other job': 'other-job' } }),
          account.entry({ clients: { 'job@project.example': 'job' }, use: 'untilExpiry' }),
        ],
      }),
    ],
  });
});

afterAll(() => {
  server.close();
  provider.close();
});

const tokenRequests = (): number => server.requests.filter((one) => one === 'POST /oauth/token').length;

const callTool = async (authProvider: OAuthClientProvider): Promise<unknown> => {
  const client = new McpClient({ name: 'test', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(server.mcp), { authProvider }));
  const result = await client.callTool({ name: 'list_notes', arguments: {} });
  await client.close();
  return result.content;
};

describe('@modelcontextprotocol/client with an identity provider (Enterprise-Managed Authorization)', () => {
  const companyApp = (idToken: string) =>
    new CrossAppAccessProvider({
      clientId: 'assistant',
      clientSecret: SECRET,
      expectedIssuer: server.base,
      assertion: async ({ authorizationServerUrl, resourceUrl, scope, fetchFn }) => {
        const asked = { idpUrl: provider.origin, audience: authorizationServerUrl, resource: resourceUrl, idToken };
        const all = { ...asked, clientId: 'at the provider', fetchFn, ...(scope !== undefined && { scope }) };
        return (await discoverAndRequestJwtAuthGrant(all)).jwtAuthGrant;
      },
    } as ConstructorParameters<typeof CrossAppAccessProvider>[0]);

  test('calls a tool for the person, without a page, and gets a new assertion when its token has ended', async () => {
    const app = companyApp('the ID token of alice');
    const before = tokenRequests();
    expect(await callTool(app)).toMatchObject([{ text: 'Feed the rabbit' }]);
    await server.oauth.grants.revoke({ issuer: 'https://nobody.example' });
    app.saveTokens({ access_token: 'ended', token_type: 'Bearer' });
    expect(await callTool(app)).toMatchObject([{ text: 'Feed the rabbit' }]);
    expect(tokenRequests() - before).toBe(2);
    const { grants } = await server.oauth.grants.list({ issuer: provider.origin });
    expect(grants).toMatchObject([{ sub: 'alice' }, { sub: 'alice' }]);
  });

  test('gets nothing for whom the provider vouches not', async () => {
    await expect(callTool(companyApp('another'))).rejects.toThrow('Token exchange failed: invalid_grant');
  });
});

/** A program with an assertion of its platform, on the interface that the SDK has for grants of its own. */
class Job implements OAuthClientProvider {
  readonly #assertion: string | undefined;
  readonly #scope: string | undefined;
  #tokens: ReturnType<OAuthClientProvider['tokens']>;

  constructor(assertion: string | undefined, scope?: string) {
    this.#assertion = assertion;
    this.#scope = scope;
  }

  get redirectUrl(): undefined {
    return undefined;
  }

  get clientMetadata() {
    return { redirect_uris: [], grant_types: [JWT_BEARER], token_endpoint_auth_method: 'none' };
  }

  clientInformation() {
    return { client_id: 'job', issuer: server.base };
  }

  tokens() {
    return this.#tokens;
  }

  saveTokens(tokens: Awaited<ReturnType<OAuthClientProvider['tokens']>>): void {
    this.#tokens = tokens;
  }

  redirectToAuthorization(): void {
    throw new Error('A job has no browser.');
  }

  saveCodeVerifier(): void {}

  codeVerifier(): string {
    throw new Error('A job has no code.');
  }

  prepareTokenRequest(): URLSearchParams {
    const given = { grant_type: JWT_BEARER, assertion: this.#assertion, scope: this.#scope };
    return new URLSearchParams(
      Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
  }
}

describe('@modelcontextprotocol/client with an assertion of its platform (Workload Identity Federation)', () => {
  const made = (claims: Record<string, unknown> = {}) =>
    cluster.sign({ ...cluster.claims(server.base), sub: 'job', ...claims });

  test('has the token of the client, with client_id alone beside the assertion', async () => {
    const job = new Job(await made());
    expect(await auth(job, { serverUrl: server.mcp })).toBe('AUTHORIZED');
    const token = String((await job.tokens())?.access_token);
    const { authorization } = await server.oauth.check(token, { scope: 'notes.read', resource: server.mcp });
    expect(authorization).toMatchObject({ sub: 'client:job', client_id: 'job' });
    // Alice's notes are not those of a job.
    expect(await callTool(job)).toMatchObject([{ text: '' }]);
  });

  const past = Math.floor(Date.now() / 1000) - 600;
  test.each([
    ['a wrong audience', { aud: 'https://wrong.example' }, undefined, 'invalid_grant'],
    ['an assertion that has expired', { iat: past, exp: past + 300 }, undefined, 'invalid_grant'],
    ['a scope that the client may not have', {}, 'notes.write', 'invalid_scope'],
  ])('is refused for %s', async (_name, claims, scope, error) => {
    const refused = await auth(new Job(await made(claims), scope), { serverUrl: server.mcp }).catch(
      (one: unknown) => one,
    );
    expect(refused).toMatchObject({ code: error });
  });

  test('is refused without an assertion, and for a client without the grant', async () => {
    const refused = async (job: Job) => auth(job, { serverUrl: server.mcp }).catch((one: unknown) => one);
    expect(await refused(new Job(undefined))).toMatchObject({ code: 'invalid_request' });
    const other = new Job(await made({ sub: 'other job' }));
    other.clientInformation = () => ({ client_id: 'other-job', issuer: server.base });
    expect(await refused(other)).toMatchObject({ code: 'unauthorized_client' });
  });
});

describe('generic grants', () => {
  const insecure = { [oauth.allowInsecureRequests]: true } as const;
  const assertion = () => cluster.sign({ ...cluster.claims(server.base), sub: 'job' });

  test('of oauth4webapi, with a key', async () => {
    const issuer = new URL(server.base);
    const found = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
    const as = await oauth.processDiscoveryResponse(issuer, found);
    const client = { client_id: 'job' };
    const DPoP = oauth.DPoP({}, await oauth.generateKeyPair('ES256'));
    const parameters = { assertion: await assertion(), resource: server.mcp };
    const ask = () =>
      oauth.genericTokenEndpointRequest(as, client, oauth.None(), JWT_BEARER, parameters, { DPoP, ...insecure });
    const tokens = await oauth.processGenericTokenEndpointResponse(as, client, await ask());
    expect(tokens).toMatchObject({ token_type: 'dpop', scope: 'notes.read', expires_in: 900 });
    expect(tokens.refresh_token).toBeUndefined();
  });

  test('of openid-client', async () => {
    const options = { execute: [openid.allowInsecureRequests], algorithm: 'oauth2' as const };
    const config = await openid.discovery(new URL(server.base), 'job', {}, openid.None(), options);
    const tokens = await openid.genericGrantRequest(config, JWT_BEARER, { assertion: await assertion() });
    expect(tokens).toMatchObject({ token_type: 'bearer', scope: 'notes.read' });
  });
});

/** A Python with google-auth, such as `PYTHON=/tmp/venv/bin/python`. */
const PYTHON = process.env['PYTHON'] ?? 'python3';
const run = promisify(execFile);
const hasGoogle = await run(PYTHON, ['-c', 'import google.oauth2.service_account, requests']).then(
  () => undefined,
  () => `${PYTHON} has no google-auth: pip install google-auth requests, and name that Python in PYTHON`,
);

describe('libraries of service accounts, which sign for themselves', () => {
  /** As golang.org/x/oauth2/jwt and google-auth do: for the token endpoint, without jti, an hour, and no client authentication. */
  test('send the assertion alone', async () => {
    const iat = Math.floor(Date.now() / 1000);
    const about = { iss: account.issuer, sub: account.issuer, aud: `${server.base}/oauth/token`, scope: 'notes.read' };
    const statement = await account.sign({ ...about, iat, exp: iat + 3600 }, { typ: 'JWT' });
    const body = new URLSearchParams({ grant_type: JWT_BEARER, assertion: statement });
    for (let count = 0; count < 2; count += 1) {
      const answer = await fetch(`${server.base}/oauth/token`, { method: 'POST', body });
      expect([answer.status, await answer.json()]).toMatchObject([200, { scope: 'notes.read' }]);
    }
  });
});

describeEngine('google-auth of Python, unmodified', hasGoogle, () => {
  test('gets a token of the client', async () => {
    const info = {
      client_email: account.issuer,
      token_uri: `${server.base}/oauth/token`,
      private_key: await exportPKCS8(account.key),
      private_key_id: account.jwk.kid,
    };
    const program = [
      'import json, sys',
      'from google.oauth2 import service_account',
      'from google.auth.transport.requests import Request',
      'info = json.load(sys.stdin)',
      // It names the endpoint of Google, and no subject, unless told.
      "more = dict(subject=info['client_email'], additional_claims={'aud': info['token_uri']})",
      "c = service_account.Credentials.from_service_account_info(info, scopes=['notes.read'], **more)",
      'c.refresh(Request())',
      'print(c.token)',
    ].join('\n');
    const running = run(PYTHON, ['-c', program]);
    running.child.stdin?.end(JSON.stringify(info));
    const { stdout } = await running;
    const { authorization } = await server.oauth.check(stdout.trim(), { scope: 'notes.read' });
    expect(authorization).toMatchObject({ sub: 'client:job' });
  });
});
