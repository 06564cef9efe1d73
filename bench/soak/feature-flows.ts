import { createHash, randomBytes } from 'node:crypto';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { ProofMaker } from '../../test/features/dpop/keys.js';
import { formOf } from '../../test/hosts/form.js';
import type { Flow } from './flow.js';
import type { Answer } from './pool.js';
import {
  anyOwner,
  expectDead,
  expectError,
  expectTokens,
  get,
  post,
  publicClient,
  redeem,
  signIn,
  textOf,
  visit,
  WEB,
} from './requests.js';
import { ADMIN, DOCUMENT, ISSUER, REDIRECT_URI } from './site.js';
import { expectThat, type Visitor, Wrong } from './visitor.js';

/** The path of an address that a document names, for the processes behind the load balancer. */
const pathIn = (document: Answer, name: string): string => new URL(textOf(document, name)).pathname;

const openId: Flow = {
  name: 'OpenID Connect: an ID token and userinfo',
  weight: 6,
  run: async (visitor) => {
    const nonce = randomBytes(8).toString('base64url');
    const scope = 'openid profile';
    const returned = await visit(visitor, 'web', { parameters: { scope, nonce } });
    const answer = await redeem(visitor, WEB, returned);
    expectTokens(answer, scope, true);
    const document = await visitor.ask('discovery', { path: '/.well-known/openid-configuration' });
    const keys = await visitor.ask('keys', { path: pathIn(document, 'jwks_uri') });
    const keySet = createLocalJWKSet(keys.json as unknown as JSONWebKeySet); // It checks the shape itself.
    const { payload } = await jwtVerify(textOf(answer, 'id_token'), keySet, { issuer: ISSUER, audience: 'web' });
    if (payload['nonce'] !== nonce || payload.sub !== returned.sub) throw new Wrong('An ID token must name its owner');
    const info = await get(visitor, pathIn(document, 'userinfo_endpoint'), textOf(answer, 'access_token'));
    const isRight = info.json['sub'] === returned.sub && info.json['name'] === `Name of ${returned.sub}`;
    expectThat(info.status === 200 && isRight, 'Userinfo must describe the owner', info);
  },
};

const boundTokens: Flow = {
  name: 'a pushed request, and tokens bound to a key',
  weight: 6,
  run: async (visitor) => {
    const key = new ProofMaker();
    const proof = (method: string, path: string, token?: string): string =>
      key.proof({
        method,
        url: ISSUER + path,
        iat: Math.floor(Date.now() / 1000),
        ...(token !== undefined && { token }),
      });
    const withProof = (path: string) => ({ ...publicClient('bound'), headers: { dpop: proof('POST', path) } });
    const returned = await visit(visitor, 'bound', {
      push: async (parameters) => {
        const pushed = await post(visitor, 'pushed request', '/oauth/par', withProof('/oauth/par'), parameters);
        expectThat(pushed.status === 201, 'A request must be taken', pushed);
        return { client_id: 'bound', request_uri: textOf(pushed, 'request_uri') };
      },
    });
    const first = await redeem(visitor, withProof('/oauth/token'), returned);
    const refreshed = await post(visitor, 'token: refresh', '/oauth/token', withProof('/oauth/token'), {
      grant_type: 'refresh_token',
      refresh_token: textOf(first, 'refresh_token'),
    });
    for (const answer of [first, refreshed]) {
      expectThat(answer.status === 200 && answer.json['token_type'] === 'DPoP', 'A token must be bound', answer);
      const token = textOf(answer, 'access_token');
      const headers = { authorization: `DPoP ${token}`, dpop: proof('GET', '/me', token) };
      const me = await visitor.ask('guarded GET with a proof', { path: '/me', headers });
      expectThat(me.status === 200 && me.json['sub'] === returned.sub, 'A bound token must open /me', me);
      const stolen = await get(visitor, '/me', token);
      expectThat(stolen.status === 401, 'A bound token must be refused without its key', stolen);
    }
    const without = await post(visitor, 'token: refresh', '/oauth/token', publicClient('bound'), {
      grant_type: 'refresh_token',
      refresh_token: textOf(refreshed, 'refresh_token'),
    });
    expectError(without, 400, 'invalid_dpop_proof', 'A refresh needs a proof');
  },
};

const personalToken: Flow = {
  name: 'a personal token, created, used and revoked',
  weight: 4,
  run: async (visitor) => {
    const page = await signIn(visitor, '/oauth/tokens', anyOwner());
    const name = `Script ${randomBytes(6).toString('hex')}`;
    const created = await visitor.submit(
      'personal token: create',
      page,
      { name, days: '7', decision: 'create' },
      'value="create"',
    );
    const token = /<p class="code"[^>]*>([^<]*)</.exec(created.text)?.[1] ?? '';
    expectThat(token !== '', 'A personal token must be shown', created);
    const content = await get(visitor, '/content', token);
    expectThat(content.status === 200, 'A personal token must open /content', content);
    const list = await visitor.ask('personal token: list', { path: '/oauth/tokens' });
    const at = new RegExp(`id="token-(\\d+)"><bdi>${name}<`).exec(list.text)?.[1] ?? '';
    const revoke = new RegExp(`value="([^"]*)"[^>]* id="end-${at}"`).exec(list.text)?.[1] ?? '';
    const question = await visitor.submit('personal token: revoke', list, { revoke }, 'name="revoke"');
    const done = await visitor.submit('personal token: revoke', question, {});
    expectThat(done.status === 303, 'A personal token must be revoked', done);
    await expectDead(visitor, token, 'a revoked personal token');
  },
};

const callTool = (visitor: Visitor, token: string): Promise<Answer> =>
  visitor.ask('tool', {
    path: '/mcp',
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'search', arguments: { query: 'rope', limit: 5 } },
    },
  });

const tools: Flow = {
  name: 'an assistant, known by its document, calls a tool',
  weight: 6,
  run: async (visitor) => {
    const resource = `${ISSUER}/mcp`;
    const { client_id } = DOCUMENT;
    const returned = await visit(visitor, client_id, { parameters: { scope: 'content.read', resource } });
    const answer = await redeem(visitor, publicClient(client_id), returned);
    expectTokens(answer, 'content.read', true);
    const token = textOf(answer, 'access_token');
    for (let n = 0; n < 3; n += 1) {
      const called = await callTool(visitor, token);
      expectThat(called.status === 200 && called.text.includes('Page '), 'A search must find pages', called);
    }
    const refused = await callTool(visitor, 'x'.repeat(43));
    expectThat(refused.status === 401, 'A tool must require a token', refused);
  },
};

const registration: Flow = {
  name: 'an application registers itself',
  weight: 1,
  pause: 2_000,
  run: async (visitor) => {
    const registered = await visitor.ask('register', {
      path: '/oauth/register',
      body: { client_name: 'A new application', redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' },
    });
    expectThat(registered.status === 201, 'An application must register', registered);
    const returned = await visit(visitor, textOf(registered, 'client_id'), { parameters: { scope: 'content.read' } });
    expectThat(returned.parameters.has('code'), 'A new application must get a code', registered);
  },
};

/** The name of a box in the form for a client. */
const boxOf = (kind: 'grant' | 'scope', name: string): string =>
  `${kind}_${createHash('sha256').update(name).digest('base64url').slice(0, 12)}`;

const administration: Flow = {
  name: 'an administrator adds a client, and removes it',
  weight: 1,
  pause: 2_000,
  run: async (visitor) => {
    const client_id = `client-${randomBytes(6).toString('hex')}`;
    const path = `/oauth/admin?client=${client_id}`;
    await signIn(visitor, '/oauth/admin', ADMIN);
    const form = await visitor.ask('admin: form', { path: '/oauth/admin?new=1' });
    const { action, fields } = formOf(form.text, 'value="add"');
    // A browser sends the boxes that are checked, and the form has all of them.
    const own = Object.entries(fields).filter(
      ([field]) => !/^(?:grant|scope)_|^(?:all_scopes|introspect)$/.test(field),
    );
    const chosen = { [boxOf('grant', 'authorization_code')]: '1', [boxOf('scope', 'content.read')]: '1' };
    const typed = { client_id, kind: 'public', redirect_uris: REDIRECT_URI, act: 'add', ...chosen };
    const added = await visitor.ask('admin: add', { path: action, form: { ...Object.fromEntries(own), ...typed } });
    expectThat(added.status === 200 || added.status === 303, 'A client must be added', added);
    const page = await visitor.ask('admin: client', { path });
    const question = await visitor.submit('admin: remove', page, { act: 'remove' }, 'value="remove"');
    const removed = await visitor.submit('admin: remove', question, { act: 'remove' }, 'value="remove"');
    expectThat(removed.status === 303, 'A client must be removed', removed);
    const gone = await visitor.ask('admin: client', { path });
    expectThat(gone.status === 404 || !gone.text.includes('value="remove"'), 'A client must be gone', gone);
  },
};

export const FEATURE_FLOWS: readonly Flow[] = [openId, boundTokens, personalToken, tools, registration, administration];
