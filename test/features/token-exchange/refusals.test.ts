import { generateKeyPairSync } from 'node:crypto';
import { dpop } from 'oauth-query/dpop';
import { oauthQuery as fetchServer } from 'oauth-query/fetch';
import { openIdConnect } from 'oauth-query/openid';
import { tokenExchange } from 'oauth-query/token-exchange';
import { afterAll, describe, expect, test } from 'vitest';
import { oauthQuery } from '../../../src/adapters/node/index.js';
import { memoryStore } from '../../../src/stores/memory.js';
import { basic, hostFor } from '../../hosts.js';
import { fixture } from '../../oauth/support/fixture.js';
import { refusal } from '../../oauth/support/tokens.js';
import { everyRow } from '../../rows.js';
import { ProofMaker } from '../dpop/keys.js';
import { RSA } from '../openid/support.js';
import { ACCESS_TOKEN, at, EXCHANGE, exchangeFixture, ExchangeSite, service, TYPE, useExchange } from './support.js';

const [HOST] = hostFor(import.meta.url);
const KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();

/** The order of P-256. */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** The same signed token with another valid signature: anybody can compute it from the first. */
const rewritten = (token: string): string => {
  const [header, payload, signature = ''] = token.split('.');
  const bytes = Buffer.from(signature, 'base64url').toString('hex');
  const other = (ORDER - BigInt(`0x${bytes.slice(64)}`)).toString(16).padStart(64, '0');
  return [header, payload, Buffer.from(bytes.slice(0, 64) + other, 'hex').toString('base64url')].join('.');
};

describe('requests', () => {
  const site = useExchange(HOST, {
    clients: [
      { client_id: 'public', redirect_uris: ['https://public.example/cb'], grant_types: [EXCHANGE] },
      service('other', { grant_types: ['client_credentials'] }),
      service('strict', {
        ...{ audience: at('notes'), exchange_resources: [at('search')] },
        dpop_bound_access_tokens: true,
      }),
    ],
    claims: { names: ['may_act'], of: ({ scope }) => (scope === 'profile' ? { may_act: MAY_ACT.now } : {}) },
  });
  const MAY_ACT: { now: unknown } = { now: undefined };
  afterAll(() => expect(site.fixture.errors).toEqual([]));

  test('of tokens that are unknown, dead or foreign get one answer', async () => {
    const token = await site.ofAlice('notes');
    const revoked = await site.ofAlice('notes');
    await site.flows.revoke('web', revoked);
    const answers = await Promise.all(
      [
        'x',
        'A'.repeat(65),
        revoked,
        await site.ofAlice('search'),
        await site.ofAlice(),
        await site.ofService('notes'),
        (await site.flows.tokens('web', { resource: at('notes') })).refresh_token,
        await site.exchanged('notes', token, 'search'),
      ].map((text) => site.exchange('notes', text, { resource: at('search') })),
    );
    for (const { status, text } of answers) {
      expect(status).toBe(400);
      expect(text).toBe(answers[0]?.text);
    }
    const reasons = site.fixture.events.flatMap((event) => (event.type === 'exchange.refused' ? [event.reason] : []));
    expect(reasons.toSorted()).toEqual([...Array(4).fill('foreign'), ...Array(4).fill('subject')]);
    expect(JSON.stringify(site.fixture.events)).not.toContain(token);
  });

  test('that lack something, or ask for what is not there, are refused', async () => {
    const subject_token = await site.ofAlice('notes');
    const own = await site.ofService('notes');
    const good = { grant_type: EXCHANGE, subject_token, subject_token_type: ACCESS_TOKEN, resource: at('search') };
    const actor = { actor_token: own, actor_token_type: ACCESS_TOKEN };
    // It was issued to the client, and stands for another.
    const ofAnother = await site.exchanged('notes', await site.ofService('mail', 'notes'), 'search');
    const before = site.fixture.store.size;
    await everyRow(
      [
        [{ subject_token: '' }, 'invalid_request'],
        [{ subject_token_type: '' }, 'invalid_request'],
        [{ subject_token_type: 'access_token' }, 'invalid_request'],
        [{ subject_token_type: `${TYPE}saml1` }, 'invalid_request'],
        [{ subject_token_type: `${TYPE}id-jag` }, 'invalid_request'],
        [{ subject_token_type: `${TYPE}jwt` }, 'invalid_request'],
        [{ requested_token_type: `${TYPE}jwt` }, 'invalid_request'],
        [{ requested_token_type: `${TYPE}refresh_token` }, 'invalid_request'],
        [{ requested_token_type: `${TYPE}id-jag` }, 'invalid_request'],
        [{ actor_token: own }, 'invalid_request'],
        [{ actor_token_type: ACCESS_TOKEN }, 'invalid_request'],
        [{ ...actor, actor_token: subject_token }, 'invalid_request'],
        [{ ...actor, actor_token: await site.ofService('search') }, 'invalid_request'],
        [{ ...actor, actor_token: 'x' }, 'invalid_request'],
        [{ ...actor, actor_token: ofAnother }, 'invalid_request'],
        [{ ...actor, actor_token_type: `${TYPE}id_token` }, 'invalid_request'],
        [{ ...actor, actor_token: await site.ofService('notes', undefined, new ProofMaker()) }, 'invalid_request'],
        [{ resource: '' }, 'invalid_target'],
        [{ resource: at('nowhere') }, 'invalid_target'],
        [{ resource: at('notes') }, 'invalid_target'],
        [{ resource: '', audience: at('notes') }, 'invalid_target'],
        [{ resource: '', audience: 'search' }, 'invalid_target'],
        [{ audience: at('mail') }, 'invalid_target'],
        [{ scope: 'profile' }, 'invalid_scope'],
        [{ scope: 'highvolume' }, 'invalid_scope'],
        [{ scope: 'a  b' }, 'invalid_scope'],
      ] as const,
      async ([change, error]) => {
        const form = Object.fromEntries(Object.entries({ ...good, ...change }).filter(([, one]) => one !== ''));
        site.fixture.advance(2);
        expect(refusal(await site.token('notes', form))).toEqual([400, error]);
      },
    );
    const twice = new URLSearchParams([...Object.entries(good), ['resource', at('mail')]]);
    expect(refusal(await site.token('notes', twice))).toEqual([400, 'invalid_target']);
    const repeated = new URLSearchParams([...Object.entries(good), ['subject_token', own]]);
    expect(refusal(await site.token('notes', repeated))).toEqual([400, 'invalid_request']);
    expect(site.fixture.store.size).toBeLessThanOrEqual(before + 2); // The two tokens of the rows.
    expect((await site.token('notes', { ...good, ...actor })).status).toBe(200);
  });

  test('of clients that are not listed, that lack the grant, or that are public are refused', async () => {
    const token = await site.ofAlice('notes');
    expect(refusal(await site.exchange('stranger', token))).toEqual([400, 'unauthorized_client']);
    expect(refusal(await site.exchange('other', token))).toEqual([400, 'unauthorized_client']);
    const form = { grant_type: EXCHANGE, subject_token: token, subject_token_type: ACCESS_TOKEN, client_id: 'public' };
    expect(refusal(await site.client.post('/oauth/token', form))).toEqual([400, 'unauthorized_client']);
  });

  test('of a public client in a row of a registry are refused, whatever the row says', async () => {
    const page = { client_id: 'page', redirect_uris: ['https://page.example/cb'], grant_types: [EXCHANGE] };
    const row = { ...page, audience: at('notes'), exchange_resources: [at('search')] } as const;
    const all = exchangeFixture();
    const registry = { find: (client_id: string) => (client_id === 'page' ? row : undefined) };
    const clients = [...(all.options.clients as readonly []), registry];
    const other = new ExchangeSite(await HOST.start({ options: { ...all.options, clients } }), all);
    const form = { grant_type: EXCHANGE, subject_token_type: ACCESS_TOKEN, client_id: 'page', resource: at('search') };
    const answer = await other.client.post('/oauth/token', { ...form, subject_token: await other.ofAlice('notes') });
    expect(refusal(answer)).toEqual([400, 'unauthorized_client']);
    expect(answer.text).toMatch(/may not exchange tokens/);
  });

  test('against may_act are refused', async () => {
    const tokenFor = async (may_act: unknown) => {
      MAY_ACT.now = may_act;
      return site.ofAlice('notes', 'profile');
    };
    await everyRow(
      [
        [{ sub: 'client:notes' }, 'invalid_scope'],
        [{ client_id: 'notes' }, 'invalid_scope'],
        [{ client_id: 'notes', sub: 'client:notes' }, 'invalid_scope'],
        [{ sub: 'notes' }, 'invalid_request'],
        [{ client_id: 'search' }, 'invalid_request'],
        [{ client_id: 'notes', sub: 'client:search' }, 'invalid_request'],
        [{}, 'invalid_request'],
        ['notes', 'invalid_request'],
        [null, 'invalid_request'],
      ] as const,
      // The scope is looked at later, so that is how it passes.
      async ([may_act, error]) => {
        const answer = await site.exchange('notes', await tokenFor(may_act), { resource: at('search') });
        expect(refusal(answer)).toEqual([400, error]);
      },
    );
  });

  test('that repeat one exchange too often get 429', async () => {
    const token = await site.ofAlice('notes');
    const statuses = new Map<number, number>();
    const target = { resource: at('search') };
    site.fixture.advance(60);
    for (let count = 0; count < 70; count += 1) {
      const { status } = await site.exchange('notes', token, target);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect([...statuses]).toEqual([
      [200, 60],
      [429, 10],
    ]);
    expect((await site.exchange('notes', await site.ofAlice('notes'), target)).status).toBe(200);
    site.fixture.advance(60);
    expect((await site.exchange('notes', token, target)).status).toBe(200);
  });

  test('that fail do not count for the limit', async () => {
    const token = await site.ofAlice('notes', 'content.read');
    site.fixture.advance(60);
    for (let count = 0; count < 61; count += 1) {
      const answer = await site.exchange('notes', token, { resource: at('search'), scope: 'content.write' });
      expect(refusal(answer)).toEqual([400, 'invalid_scope']);
    }
    expect((await site.exchange('notes', token, { resource: at('search') })).status).toBe(200);
  });

  test('of a client whose tokens must be bound need a proof of its key, and no other', async () => {
    const answer = await site.exchange('strict', await site.ofAlice('notes'), { resource: at('search') });
    expect(answer.status).toBe(400);
    const key = new ProofMaker();
    const bound = await site.boundOfAlice(new ProofMaker(), 'notes');
    const { json, status } = await site.exchange('strict', bound, { resource: at('search') }, key);
    expect(status).toBe(200);
    expect(await site.introspect(String(json['access_token']))).toMatchObject({ cnf: { jkt: key.jkt } });
  });

  test('reach the limit once', () => {
    expect(site.fixture.events.filter(({ type }) => type === 'limit.reached')).toHaveLength(1);
  });
});

describe('the limit of exchanges', () => {
  const authorization = basic('notes', 'notes-secret');
  const start = (jwt: object = {}) => {
    const all = exchangeFixture(jwt);
    const oauth = fetchServer({ ...all.options, issuer: 'https://auth.example' });
    const ask = async (subject_token: string): Promise<number> => {
      const form = { grant_type: EXCHANGE, subject_token, subject_token_type: ACCESS_TOKEN, resource: at('search') };
      const init = { method: 'POST', headers: authorization, body: new URLSearchParams(form) };
      return (await oauth.handler(new Request('https://auth.example/oauth/token', init))).status;
    };
    const tokenOf = async () =>
      (await oauth.issue({ sub: 'alice', client_id: 'web', scope: ['content.read'] as never, resource: at('notes') }))
        .access_token;
    return { ask, tokenOf };
  };

  test('is not forgotten for a flood of texts that are no tokens', async () => {
    const { ask, tokenOf } = start();
    const token = await tokenOf();
    for (let count = 0; count < 60; count += 1) expect(await ask(token)).toBe(200);
    expect(await ask(token)).toBe(429);
    for (let count = 0; count < 10_001; count += 1) expect(await ask(`invented ${count}`)).toBe(400);
    expect(await ask(token)).toBe(429);
  });

  test('counts a signed token once, however its signature is written', async () => {
    const { ask, tokenOf } = start({ jwt: [{ key: KEY }] });
    const token = await tokenOf();
    for (let count = 0; count < 60; count += 1) expect(await ask(token)).toBe(200);
    expect(await ask(token)).toBe(429);
    expect(await ask(rewritten(token))).toBe(429);
  });
});

test('without the feature, the grant is unsupported, and nothing announces it', async () => {
  const all = fixture();
  const other = new ExchangeSite(await HOST.start({ options: all.options }), all);
  const form = { grant_type: EXCHANGE, subject_token: 'x', subject_token_type: ACCESS_TOKEN };
  const asked = await other.client.post('/oauth/token', form, basic('service', 'service-secret'));
  expect(refusal(asked)).toEqual([400, 'unsupported_grant_type']);
  expect((await other.client.get('/.well-known/oauth-authorization-server')).text).not.toContain('exchange');
});

describe('with OpenID Connect', () => {
  const WIDE = 'openid profile email content.read';
  const site = useExchange(HOST, {
    clients: [
      service('all', { redirect_uris: ['https://all.example/cb'], scope: WIDE }),
      service('wide', { audience: at('notes'), exchange_resources: [at('search')], scope: WIDE }),
    ],
    features: [openIdConnect({ keys: [{ key: RSA }] })],
  });

  test('scopes that tell who somebody is fall away, and no ID token comes', async () => {
    const { access_token } = await site.running.issue({
      ...{ sub: 'alice', client_id: 'all', resource: at('notes') },
      scope: WIDE.split(' ') as never, // Names of the server.
    });
    const { json, status } = await site.exchange('wide', access_token, { resource: at('search') });
    expect([status, json['scope'], json['id_token']]).toEqual([200, 'content.read', undefined]);
  });
});

describe('a start with a mistake', () => {
  const SECRET = 'a secret of the test that has 32 characters';
  const start = (options: object, more: object = {}, client: object = {}) =>
    oauthQuery({
      issuer: 'https://example.org',
      secret: SECRET,
      store: memoryStore(),
      scopes: { read: 'Read', write: 'Write' },
      resources: { [at('notes')]: { name: 'Notes' }, [at('search')]: { name: 'Search' } },
      clients: [{ ...service('notes'), scope: 'read', default_scope: 'read', ...client } as never],
      features: [dpop(), tokenExchange(options as never)],
      onWarning: () => undefined,
      ...more,
    });
  const to = (more: object) => ({ from: { notes: { resources: [at('search')], ...more } } });

  test('says which option, and what to do', () =>
    everyRow(
      [
        [{}, /options\.from is missing/],
        [{ from: {} }, /options\.from is missing/],
        [{ from: { notes: [] } }, /empty list/],
        [{ from: { notes: at('search') } }, /from\.notes must be/],
        [{ from: { notes: ['https://nowhere.example'] } }, /options\.resources does not have/],
        [{ from: { nobody: [at('search')] } }, /"nobody"\] is no client/],
        [{ form: {} }, /form is unknown.*Did you mean/],
        [{ from: undefined }, /from is undefined/],
        [{ ...to({}), depth: 0 }, /depth must be a whole number from 1 to 8/],
        [{ ...to({}), depth: 9 }, /depth must be/],
        [to({ own: 'yes' }), /own must be true or false/],
        [to({ translate: { read: ['delete'] } }), /"delete", which options\.scopes does not have/],
        [to({ translate: { gone: ['read'] } }), /"gone", which options\.scopes does not have/],
        [to({ translate: { read: [] } }), /empty list/],
        [to({}), /add urn:.*token-exchange to its grant_types/, { grant_types: ['client_credentials'] }],
        [to({}), /no token. None is meant for it/, { audience: null }],
        [{}, /exchange_resources names "https:\/\/gone/, { exchange_resources: ['https://gone.example'] }],
      ] as readonly (readonly [object, RegExp, object?])[],
      ([options, sentence, client]) => {
        const { audience, ...rest } = { audience: at('notes'), ...client } as { audience: string | null };
        const own = audience === null ? { ...rest, audience: undefined } : { ...rest, audience };
        expect(() => start(options, {}, own)).toThrow(sentence);
      },
    ));

  test('a public client, and impersonation', () => {
    const pub = { client_id: 'notes', redirect_uris: ['https://notes.example/cb'], grant_types: [EXCHANGE] };
    expect(() => start(to({}), { clients: [pub] })).toThrow(/is public/);
    const warnings: unknown[] = [];
    start(to({ impersonate: true }), { onWarning: (sentence: string) => void warnings.push(sentence) });
    expect(warnings.filter((one) => /impersonate is set/.test(String(one)))).toHaveLength(1);
    expect(() => start(to({}))).not.toThrow();
    expect(() => start(to({ own: true }), {}, { audience: undefined })).not.toThrow();
  });
});
