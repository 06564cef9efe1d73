import { FEATURE_FLOWS } from './feature-flows.js';
import type { Flow } from './flow.js';
import type { Answer } from './pool.js';
import {
  anyOwner,
  API,
  expectDead,
  expectError,
  expectOwner,
  expectTokens,
  get,
  NATIVE,
  post,
  publicClient,
  redeem,
  SCOPE,
  SERVICE,
  signIn,
  textOf,
  visit,
  WEB,
} from './requests.js';
import { ISSUER } from './site.js';
import { expectThat, type Visitor, Wrong } from './visitor.js';

const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code';

const clientCredentials: Flow = {
  name: 'client credentials, introspection, revocation',
  weight: 25,
  run: async (visitor) => {
    const answer = await post(visitor, 'token: client credentials', '/oauth/token', SERVICE, {
      grant_type: 'client_credentials',
    });
    expectTokens(answer, 'content.read', false);
    const token = textOf(answer, 'access_token');
    for (let n = 0; n < 3; n += 1) {
      const content = await get(visitor, '/content', token);
      expectThat(content.status === 200 && content.text === '{"ok":true}', 'A live token must open /content', content);
    }
    const me = await get(visitor, '/me', token);
    expectError(me, 403, 'insufficient_scope', 'A token without the scope must not open /me');
    const inspected = await post(visitor, 'introspect', '/oauth/introspect', API, { token });
    const { json } = inspected;
    expectThat(
      json['active'] === true &&
        json['sub'] === 'client:service' &&
        json['client_id'] === 'service' &&
        json['iss'] === ISSUER,
      'Introspection must return a live token as active',
      inspected,
    );
    const revoked = await post(visitor, 'revoke', '/oauth/revoke', SERVICE, { token });
    expectThat(revoked.status === 200, 'Revocation must succeed', revoked);
    await expectDead(visitor, token, 'a revoked token');
  },
};

const codeReplay: Flow = {
  name: 'code with PKCE, then the same code again',
  weight: 10,
  run: async (visitor) => {
    const returned = await visit(visitor, 'web');
    const answer = await redeem(visitor, WEB, returned);
    expectTokens(answer, SCOPE, true);
    const token = textOf(answer, 'access_token');
    await expectOwner(visitor, token, returned.sub, 'web');
    expectError(await redeem(visitor, WEB, returned), 400, 'invalid_grant', 'A used code must be refused');
    await expectDead(visitor, token, 'a token whose code was used twice');
  },
};

const denial: Flow = {
  name: 'the owner denies access',
  weight: 3,
  run: async (visitor) => {
    const { parameters } = await visit(visitor, 'native', { decision: 'deny' });
    if (parameters.get('error') !== 'access_denied' || parameters.has('code'))
      throw new Wrong(`A denial must be access_denied: got ${parameters.toString()}`);
  },
};

const CHAIN = 6;

const refreshChain: Flow = {
  name: 'code with PKCE, a chain of refreshes, a replay',
  weight: 10,
  run: async (visitor) => {
    const [client_id, client] = Math.random() < 0.5 ? (['web', WEB] as const) : (['native', NATIVE] as const);
    const returned = await visit(visitor, client_id);
    const refresh = (refresh_token: string): Promise<Answer> =>
      post(visitor, 'token: refresh', '/oauth/token', client, { grant_type: 'refresh_token', refresh_token });
    let answer = await redeem(visitor, client, returned);
    expectTokens(answer, SCOPE, true);
    const first = textOf(answer, 'refresh_token');
    for (let n = 0; n < CHAIN; n += 1) {
      const presented = textOf(answer, 'refresh_token');
      answer = await refresh(presented);
      expectTokens(answer, SCOPE, true);
      const again = await refresh(presented);
      const isSame =
        again.json['access_token'] === answer.json['access_token'] &&
        again.json['refresh_token'] === answer.json['refresh_token'];
      expectThat(isSame, 'Within the grace a refresh must be repeated', again);
      await expectOwner(visitor, textOf(answer, 'access_token'), returned.sub, client_id);
    }
    expectError(await refresh(first), 400, 'invalid_grant', 'A rotated refresh token must be refused');
    await expectDead(visitor, textOf(answer, 'access_token'), 'a token of a family with a replay');
    expectError(
      await refresh(textOf(answer, 'refresh_token')),
      400,
      'invalid_grant',
      'A revoked family must stay revoked',
    );
  },
};

const device: Flow = {
  name: 'a device and its owner',
  weight: 10,
  pause: 1_000,
  run: async (visitor) => {
    const owner = anyOwner();
    const tv = publicClient('tv');
    const started = await post(visitor, 'device: start', '/oauth/device', tv, { scope: SCOPE });
    expectThat(
      started.status === 200 && started.json['verification_uri'] === `${ISSUER}/oauth/device`,
      'A device must get its codes',
      started,
    );
    const device_code = textOf(started, 'device_code');
    const poll = (): Promise<Answer> =>
      post(visitor, 'device: poll', '/oauth/token', tv, { grant_type: DEVICE_CODE, device_code });
    expectError(await poll(), 400, 'authorization_pending', 'An undecided device must wait');
    const page = await signIn(visitor, '/oauth/device', owner);
    const shown = await visitor.submit('device: user code', page, { user_code: textOf(started, 'user_code') });
    expectThat(shown.status === 200 && shown.text.includes('A television'), 'A user code must show its device', shown);
    const done = await visitor.submit('device: decision', shown, { decision: 'approve' });
    expectThat(done.status === 200 && done.text.includes('connected'), 'A device must be allowed', done);
    const answer = await poll();
    expectTokens(answer, SCOPE, true);
    await expectOwner(visitor, textOf(answer, 'access_token'), owner.username, 'tv');
    expectError(await poll(), 400, 'invalid_grant', 'A used device code must be refused');
  },
};

const ask = (visitor: Visitor, query: string, token?: string): Promise<Answer> =>
  visitor.ask('query', {
    path: `/api?action=query&format=json&formatversion=2&${query}`,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });

const query: Flow = {
  name: 'queries with and without a token',
  weight: 25,
  run: async (visitor) => {
    const list = await ask(visitor, 'list=allpages&aplimit=5');
    const { allpages } = Object(list.json['query']) as { allpages?: unknown };
    expectThat(
      list.status === 200 && Array.isArray(allpages) && allpages.length === 5,
      'allpages must list five pages',
      list,
    );
    const search = await ask(visitor, 'generator=search&gsrsearch=rope&prop=extracts&exintro&explaintext');
    const { pages } = Object(search.json['query']) as { pages?: unknown };
    expectThat(search.status === 200 && Array.isArray(pages) && pages.length > 0, 'A search must find pages', search);
    const answer = await post(visitor, 'token: client credentials', '/oauth/token', SERVICE, {
      grant_type: 'client_credentials',
    });
    const info = await ask(visitor, 'meta=userinfo|siteinfo', textOf(answer, 'access_token'));
    const { userinfo } = Object(info.json['query']) as { userinfo?: { name?: unknown; anon?: unknown } };
    expectThat(
      info.status === 200 && userinfo !== undefined && userinfo.anon === undefined,
      'A token must name its user',
      info,
    );
    const stranger = await ask(visitor, 'meta=userinfo', 'x'.repeat(43));
    expectThat(
      Object(stranger.json['error'])['code'] === 'mwoauth-invalid-authorization',
      'A wrong token must be refused',
      stranger,
    );
  },
};

export const FLOWS: readonly Flow[] = [
  clientCredentials,
  codeReplay,
  denial,
  refreshChain,
  device,
  query,
  ...FEATURE_FLOWS,
];
