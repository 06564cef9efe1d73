import { type ClientDocument, clientDocuments } from 'oauth-query/clients';
import { oauthQuery } from 'oauth-query/express';
import type { Store } from 'oauth-query/store';
import { describe, expect, test } from 'vitest';
import { documentAddressProblem, readDocument } from '../../src/clients/documents/client-document.js';
import { basic } from '../hosts.js';
import { locationOf, responseOf, wordsOf } from '../oauth/support/browser.js';
import { refusal } from '../oauth/support/tokens.js';
import { everyRow } from '../rows.js';
import { APP, CALLBACK, DOCUMENT, DocumentServers, Publisher } from './support/publisher.js';

const typesOf = (servers: DocumentServers): readonly string[] => servers.shared.events.map(({ type }) => type);

describe('M29: a client_id is the URL of a document', () => {
  test('other client_ids are not URLs of documents', () =>
    everyRow(
      [
        ['http://app.example.org/c', 'https'],
        ['HTTPS://app.example.org/c', 'https'],
        ['https:app.example.org/c', 'https'],
        ['https://', 'https'],
        ['https://app.example.org/', 'has no path'],
        ['https://app.example.org', 'must be spelled'],
        ['https://app.example.org/?a', 'has no path'],
        ['https://app.example.org/c#', 'has a fragment'],
        ['https://app.example.org/c#a', 'has a fragment'],
        ['https://user@app.example.org/c', 'has a user name'],
        ['https://user:pass@app.example.org/c', 'has a user name'],
        ['https://:pass@app.example.org/c', 'has a user name'],
        ['https://@app.example.org/c', 'must be spelled'],
        ['https://app.example.org:8443/c', 'has a port'],
        ['https://app.example.org:443/c', 'must be spelled'],
        ['https://app.example.org/a/../c', 'must be spelled'],
        ['https://app.example.org/a/./c', 'must be spelled'],
        ['https://app.example.org/a/%2e%2E/c', 'must be spelled'],
        ['https://app.example.org/a/..', 'must be spelled'],
        ['https://App.example.org/c', 'must be spelled'],
        ['https://app.example.org\\c', 'must be spelled'],
        ['https://app.example.org/a b', 'must be spelled'],
        ['https://2130706433/c', 'must be spelled'],
        ['https://0x7f.1/c', 'must be spelled'],
        ['https://0177.0.0.1/c', 'must be spelled'],
        ['https://127.0.0.1/c', 'not a public name'],
        ['https://8.8.8.8/c', 'not a public name'],
        ['https://[::1]/c', 'not a public name'],
        ['https://[::ffff:7f00:1]/c', 'not a public name'],
        ['https://localhost/c', 'not a public name'],
        ['https://intranet/c', 'not a public name'],
        ['https://app.example.org./c', 'not a public name'],
        [`https://app.example.org/${'c'.repeat(500)}`, 'has more than 512 characters'],
      ],
      ([text, problem]) => {
        expect(documentAddressProblem(text)).toContain(problem);
      },
    ));

  test('https URLs with a path are URLs of documents', () =>
    everyRow(
      [
        'https://app.example.org/c',
        'https://app.example.org/c/',
        'https://app.example.org/a/b/client.json?version=2',
        'https://xn--bcher-kva.example/c',
        'https://a.b.c.example/%7Euser/client',
      ],
      (text) => {
        expect(documentAddressProblem(text)).toBeUndefined();
      },
    ));

  test('others are not fetched, and are unknown', async () => {
    const servers = new DocumentServers();
    const visitor = await servers.open();
    for (const client_id of ['https://127.0.0.1/c', 'https://app.example.org/a/../c', 'http://app.example.org/c']) {
      const page = await visitor.page({ client_id });
      expect([page.status, wordsOf(page)]).toEqual([400, expect.stringContaining('is not known')]);
    }
    expect(servers.publisher.asked).toEqual([]);
  });
});

describe('M30, M31: required members of a document', () => {
  const read = (changes: object): ClientDocument => readDocument(APP, { ...DOCUMENT, ...changes });
  const KEY = {
    kty: 'EC',
    crv: 'P-256',
    x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
    y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
  };
  const signs = { token_endpoint_auth_method: 'private_key_jwt' };

  test.each<readonly [what: string, changes: object, problem: string]>([
    ['another client_id', { client_id: `${APP}x` }, 'client_id is not the URL'],
    ['no client_id', { client_id: undefined }, 'client_id is not the URL'],
    ['no client_name', { client_name: undefined }, 'client_name is missing'],
    ['an empty client_name', { client_name: ' \u202e ' }, 'no visible character'],
    ['a long client_name', { client_name: 'a'.repeat(101) }, 'client_name must be a string'],
    ['a client_name that is no text', { client_name: { en: 'App' } }, 'client_name must be a string'],
    ['no redirect_uris', { redirect_uris: undefined }, '1 to 100 URIs'],
    ['no one in redirect_uris', { redirect_uris: [] }, '1 to 100 URIs'],
    ['redirect_uris that are no texts', { redirect_uris: [1] }, 'redirect_uris must be an array'],
    ['redirect_uris as one text', { redirect_uris: CALLBACK }, 'redirect_uris must be an array'],
    [
      'only unusable redirect_uris',
      { redirect_uris: ['javascript:alert(1)', 'http://a.example/'] },
      'scheme javascript',
    ],
    [
      'a redirect URI of 2,000 characters',
      { redirect_uris: [`${CALLBACK}/${'a'.repeat(2000)}`] },
      'has more than 1024 characters',
    ],
    ['101 redirect_uris', { redirect_uris: Array.from({ length: 101 }, () => CALLBACK) }, '1 to 100 URIs'],
    ['grant_types without codes', { grant_types: ['client_credentials'] }, 'grant_types must contain'],
    ['a secret', { client_secret: 's' }, 'It contains client_secret'],
    ['a secret that is null', { client_secret: null }, 'It contains client_secret'],
    ['the end of a secret', { client_secret_expires_at: 0 }, 'It contains client_secret_expires_at'],
    ['client_secret_basic', { token_endpoint_auth_method: 'client_secret_basic' }, 'cannot share a secret'],
    ['client_secret_post', { token_endpoint_auth_method: 'client_secret_post' }, 'cannot share a secret'],
    ['client_secret_jwt', { token_endpoint_auth_method: 'client_secret_jwt' }, 'cannot share a secret'],
    ['a symmetric choice', { token_endpoint_auth_methods_supported: ['none', 'client_secret_post'] }, 'share a secret'],
    ['a method that we lack', { token_endpoint_auth_method: 'tls_client_auth' }, 'neither of the methods'],
    ['a method that is no text', { token_endpoint_auth_method: 1 }, 'neither of the methods'],
    ['no keys to sign with', signs, 'jwks_uri is missing'],
    ['a jwks_uri without https', { ...signs, jwks_uri: 'http://app.example.org/jwks' }, 'https'],
    ['a jwks_uri on loopback', { ...signs, jwks_uri: 'https://127.0.0.1/jwks' }, 'not a public name'],
    ['keys twice', { ...signs, jwks: { keys: [KEY] }, jwks_uri: 'https://app.example.org/jwks' }, 'both'],
    ['no usable key', { ...signs, jwks: { keys: [{ ...KEY, crv: 'P-521' }] } }, 'no usable key'],
    ['a key for encryption', { ...signs, jwks: { keys: [{ ...KEY, use: 'enc' }] } }, 'no usable key'],
    ['a private key', { ...signs, jwks: { keys: [{ ...KEY, d: 'AAAA' }] } }, 'private or symmetric'],
    ['a private key together with none', { jwks: { keys: [{ ...KEY, d: 'AAAA' }] } }, 'private or symmetric'],
    ['a private RSA key', { jwks: { keys: [{ kty: 'RSA', n: 'AA', e: 'AQAB', p: 'AA' }] } }, 'private or symmetric'],
    ['a symmetric key', { jwks: { keys: [{ kty: 'oct', k: 'AAAA' }] } }, 'private or symmetric'],
    ['jwks without keys', { jwks: {} }, 'has no array of keys'],
    ['21 keys', { ...signs, jwks: { keys: Array.from({ length: 21 }, () => KEY) } }, 'more than 20 keys'],
    [
      'too much',
      { redirect_uris: Array.from({ length: 100 }, (_, n) => `${CALLBACK}/${'x'.repeat(40)}${n}`) },
      'longer',
    ],
  ])('%s is rejected', (_what, changes, problem) => {
    expect(() => read(changes)).toThrow(problem);
  });

  test('a body that is not a JSON object is not a document', () =>
    everyRow([[null], [[]], ['{}'], [1], [[DOCUMENT]]], (given) => {
      expect(() => readDocument(APP, given)).toThrow('It is not a JSON object');
    }));

  test('inherited properties are not members of the document', () => {
    const { client_name: _, ...rest } = DOCUMENT;
    const json: unknown = Object.assign(Object.create({ client_name: 'App' }) as object, rest);
    expect(() => readDocument(APP, json)).toThrow('client_name is missing');
  });

  test('unsupported members are ignored: metadata, grants, methods, redirect URIs that are never used', () => {
    const document = read({
      grant_types: [
        'authorization_code',
        'refresh_token',
        'urn:ietf:params:oauth:grant-type:jwt-bearer',
        'urn:ietf:params:oauth:grant-type:token-exchange',
      ],
      token_endpoint_auth_methods_supported: ['none', 'tls_client_auth'],
      redirect_uris: ['cursor://callback', CALLBACK, 'http://app.example.org/cb', 'http://127.0.0.1/cb'],
      logo_uri: 'javascript:alert(1)',
      application_type: 'web',
      scope: 'anything at all',
      client_name: ' The\u202e App\u0000 ',
    });
    expect(document).toEqual({
      client_id: APP,
      client_name: 'The App',
      redirect_uris: [CALLBACK, 'http://127.0.0.1/cb'],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['none'],
    });
  });

  test('a client without grant_types may refresh; one with only the code grant may not', () => {
    expect(read({ grant_types: undefined }).grant_types).toContain('refresh_token');
    expect(read({ grant_types: ['authorization_code'] }).grant_types).toEqual(['authorization_code']);
  });

  test('only the public members of keys are stored', () => {
    const { jwks } = read({ ...signs, jwks: { keys: [{ ...KEY, kid: 'a', x5c: ['AAAA'], use: 'sig' }] } });
    expect(jwks).toEqual({ keys: [{ ...KEY, kid: 'a' }] });
  });

  test('a client that offers private_key_jwt without a key is public if it also offers none', () => {
    expect(read({ ...signs, token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'] })).toMatchObject({
      token_endpoint_auth_methods_supported: ['none'],
    });
  });
});

describe('a client that publishes a document', () => {
  test('M28: is announced in the metadata together with none, and only if enabled', async () => {
    const visitor = await new DocumentServers().open();
    const { json } = await visitor.http.get('/.well-known/oauth-authorization-server');
    expect(json['client_id_metadata_document_supported']).toBe(true);
    expect(json['token_endpoint_auth_methods_supported']).toContain('none');
    const without = new DocumentServers(new Publisher(), {}, { clients: [] });
    const { json: plain } = await (await without.open()).http.get('/.well-known/oauth-authorization-server');
    expect(plain).not.toHaveProperty('client_id_metadata_document_supported');
  });

  test('M43, M44: signs in, gets rotating tokens, and several of its processes may refresh for a minute', async () => {
    const servers = new DocumentServers();
    const visitor = await servers.open();
    const tokens = await visitor.tokens();
    expect((await visitor.guarded(tokens.access_token)).status).toBe(200);
    const [first, second] = await Promise.all([
      visitor.refresh(tokens.refresh_token),
      visitor.refresh(tokens.refresh_token),
    ]);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.json['refresh_token']).toBe(first.json['refresh_token']);
    servers.shared.advance(59);
    const late = await visitor.refresh(tokens.refresh_token);
    expect(late.json['refresh_token']).toBe(first.json['refresh_token']);
    servers.shared.advance(2);
    expect(refusal(await visitor.refresh(tokens.refresh_token))).toEqual([400, 'invalid_grant']);
    expect(servers.shared.errors).toEqual([]);
    expect(visitor.node.errors).toEqual([]);
  });

  test('needs PKCE and a redirect URI of its document (M26, M32)', async () => {
    const visitor = await new DocumentServers().open();
    const plain = responseOf(await visitor.page({ code_challenge_method: 'plain' }));
    expect(plain['error']).toBe('invalid_request');
    const foreign = await visitor.page({ redirect_uri: 'https://evil.example/cb' });
    expect([foreign.status, foreign.headers.location]).toEqual([400, undefined]);
  });

  test('M27: may use any port on loopback; other redirect URIs match exactly', async () => {
    const servers = new DocumentServers(
      new Publisher({ ...DOCUMENT, redirect_uris: ['http://127.0.0.1/cb', CALLBACK] }),
    );
    const visitor = await servers.open();
    await visitor.tokens({ redirect_uri: 'http://127.0.0.1:49152/cb' });
    for (const redirect_uri of ['http://127.0.0.1:49152/other', `${CALLBACK}/`, `${CALLBACK}?a`])
      expect((await visitor.page({ redirect_uri })).status, redirect_uri).toBe(400);
  });

  test('M32: the page names the host of the document and the host of the redirect URI', async () => {
    // Nothing keeps a document from naming the address of another client.
    const visitor = await new DocumentServers(
      new Publisher({ ...DOCUMENT, redirect_uris: ['https://claude.ai/cb'] }),
    ).open();
    const page = await visitor.browser.signIn(await visitor.page({ redirect_uri: 'https://claude.ai/cb' }));
    expect(wordsOf(page)).toContain('described by a document at app.example.org . Its name is not verified.');
    expect(wordsOf(page)).toContain('you return to claude.ai .');
    expect(wordsOf(page)).not.toContain('on this computer');
    expect(page.text).not.toContain('<img');
  });

  test('M33: the page warns if all redirect URIs are on loopback', async () => {
    const redirect_uri = 'http://localhost/cb';
    const document = { ...DOCUMENT, redirect_uris: ['http://127.0.0.1/cb', redirect_uri] };
    const visitor = await new DocumentServers(new Publisher(document)).open();
    const page = await visitor.browser.signIn(await visitor.page({ redirect_uri }));
    expect(wordsOf(page)).toContain('Only allow this if you have just started the application on this computer.');
  });

  test('gets no token of its own and no device code, because no owner has approved it', async () => {
    const servers = new DocumentServers(
      new Publisher({ ...DOCUMENT, grant_types: ['authorization_code', 'client_credentials'] }),
    );
    const visitor = await servers.open();
    const own = await visitor.http.post('/oauth/token', { grant_type: 'client_credentials', client_id: APP });
    expect(refusal(own)).toEqual([400, 'unauthorized_client']);
    const device = await visitor.http.post('/oauth/device', { client_id: APP });
    expect(device.status).toBeGreaterThanOrEqual(400);
  });

  test('may request the configured scopes, never introspect', async () => {
    const servers = new DocumentServers(new Publisher(), { scopes: ['profile', 'content.read'] });
    const visitor = await servers.open();
    expect(responseOf(await visitor.page({ scope: 'content.write' }))['error']).toBe('invalid_scope');
    expect((await visitor.authorize({ scope: 'profile content.read' })).headers.location).toContain('code=');
    const all = await new DocumentServers().open();
    expect(responseOf(await all.page({ scope: 'introspect' }))['error']).toBe('invalid_scope');
    expect((await all.authorize({ scope: 'content.write' })).headers.location).toContain('code=');
  });

  test('works together with a list of clients and other registries', async () => {
    const publisher = new Publisher();
    const find = (client_id: string) =>
      client_id === 'row' ? { client_id, redirect_uris: ['https://row.example/cb'] } : undefined;
    const servers = new DocumentServers(publisher, {}, { clients: [publisher.registry(), { find }] });
    const visitor = await servers.open();
    expect((await visitor.page()).status).toBe(200);
    expect((await visitor.page({ client_id: 'row', redirect_uri: 'https://row.example/cb' })).status).toBe(200);
    const own = await visitor.http.post(
      '/oauth/token',
      'grant_type=client_credentials',
      basic('service', 'service-secret'),
    );
    expect(own.status).toBe(200);
    expect(publisher.asked).toEqual([APP]);
  });
});

describe('M38: trust decides on each document', () => {
  test('a function receives the document and its URL', async () => {
    const seen: unknown[] = [];
    const servers = new DocumentServers(new Publisher(), { trust: (...given) => (seen.push(given), true) });
    expect((await (await servers.open()).page()).status).toBe(200);
    const { response_types: _, token_endpoint_auth_method: __, ...used } = DOCUMENT;
    expect(seen).toEqual([[{ ...used, token_endpoint_auth_methods_supported: ['none'] }, APP]]);
  });

  test.each<readonly [what: string, trust: () => unknown]>([
    ['false', () => false],
    ['a promise of false', async () => false],
    ['nothing', () => undefined],
    ['what is only truthy', () => 1],
  ])('a function that answers %s causes an error page, and an error at the token endpoint', async (_what, answer) => {
    const servers = new DocumentServers(new Publisher(), { trust: answer as () => boolean });
    const visitor = await servers.open();
    const page = await visitor.page();
    expect([page.status, wordsOf(page)]).toEqual([400, expect.stringContaining('is not accepted by this server')]);
    expect(refusal(await visitor.redeem('made-up'))).toEqual([401, 'invalid_client']);
    expect(visitor.node.errors).toEqual([]);
  });

  test('a function that throws rejects the document, and onError receives the reason', async () => {
    const servers = new DocumentServers(new Publisher(), {
      trust: () => {
        throw new Error('no database');
      },
    });
    const visitor = await servers.open();
    expect((await visitor.page()).status).toBe(503);
    expect(refusal(await visitor.redeem('made-up'))).toEqual([503, 'temporarily_unavailable']);
    expect(visitor.node.errors.map((error) => (error as Error).message)).toEqual(['trust of clientDocuments failed.']);
  });

  test('with a list of hosts, no other host is contacted', async () => {
    const publisher = new Publisher();
    const servers = new DocumentServers(publisher, { trust: ['app.example.org'] });
    const visitor = await servers.open();
    expect((await visitor.page()).status).toBe(200);
    for (const host of ['evil.example', 'sub.app.example.org', 'app.example.org.evil.example'])
      expect((await visitor.page({ client_id: `https://${host}/oauth/client.json` })).status, host).toBe(400);
    expect(publisher.asked).toEqual([APP]);
  });

  test('a later no ends what was approved, as soon as a process reads the copy', async () => {
    let isTrusted = true;
    const servers = new DocumentServers(new Publisher(), { trust: () => isTrusted });
    const { access_token } = await (await servers.open()).tokens();
    expect((await (await servers.open()).guarded(access_token)).status).toBe(200);
    isTrusted = false;
    expect((await (await servers.open()).guarded(access_token)).status).toBe(401);
  });

  test.each<readonly [options: object, message: string]>([
    [{}, 'clientDocuments.trust is missing'],
    [{ trust: true }, 'clientDocuments.trust must be'],
    [{ trust: 'all' }, 'clientDocuments.trust must be'],
    [{ trust: ['https://claude.ai'] }, 'clientDocuments.trust[0] must be the name of a host'],
    [{ trust: ['localhost'] }, 'clientDocuments.trust[0] must be the name of a host'],
    [{ trust: 'any', refreshGrace: 60 }, 'clientDocuments.refreshGrace is unknown'],
    [{ trust: 'any', timeout: 1 }, 'clientDocuments.timeout must be'],
    [{ trust: 'any', fetch: {} }, 'clientDocuments.fetch must be a function'],
    [{ trust: 'any', trusts: 1 }, 'clientDocuments.trusts is unknown. Did you mean clientDocuments.trust?'],
  ])('%j is rejected at construction', (options, message) => {
    expect(() => clientDocuments(options as never)).toThrow(message);
  });

  test.each([
    ['nonsense', 'names "nonsense", which options.scopes does not have.'],
    ['introspect', 'names "introspect", which would let any client introspect every token. Leave it out.'],
  ])('a scope that such clients may not have is rejected at construction: %s', (scope, sentence) => {
    const clients = clientDocuments({ trust: 'any', scopes: ['profile', scope] });
    const scopes = { profile: 'See your name', introspect: 'Look at tokens' };
    expect(() => oauthQuery({ clients, scopes })).toThrow(`clientDocuments.scopes ${sentence}`);
  });

  test('without a server, no client is found', () => {
    expect(() => clientDocuments({ trust: 'any' }).find(APP)).toThrow('options.clients');
  });
});

describe('M35: a document is cached', () => {
  test('as long as it says, but at least a minute and at most a day', async () => {
    for (const [maxAge, seconds] of [
      [undefined, 300],
      [0, 60],
      [600, 600],
      [10_000_000, 86_400],
      [Number.NaN, 300],
    ] as const) {
      const publisher = new Publisher();
      publisher.maxAge = maxAge;
      const servers = new DocumentServers(publisher);
      const visitor = await servers.open();
      await visitor.page();
      servers.shared.advance(seconds - 1);
      await visitor.page();
      expect(publisher.asked, `max-age ${maxAge}`).toHaveLength(1);
      servers.shared.advance(1);
      await visitor.page();
      expect(publisher.asked, `max-age ${maxAge}`).toHaveLength(2);
    }
  });

  test('and simultaneous requests wait for one fetch', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const publisher = new Publisher(async () => {
      await held;
      return DOCUMENT;
    });
    const visitor = await new DocumentServers(publisher).open();
    const pages = Array.from({ length: 20 }, () => visitor.page());
    await expect.poll(() => publisher.asked.length).toBe(1);
    release();
    expect(new Set((await Promise.all(pages)).map(({ status }) => status))).toEqual(new Set([200]));
    expect(publisher.asked).toEqual([APP]);
  });

  test('but errors are not: a failed fetch is retried after 10 seconds, then 20, 40, 60', async () => {
    const publisher = new Publisher();
    publisher.fails();
    const servers = new DocumentServers(publisher);
    const visitor = await servers.open();
    let asked = 0;
    for (const pause of [10, 20, 40, 60, 60]) {
      expect((await visitor.page()).status).toBe(503);
      expect(publisher.asked).toHaveLength((asked += 1));
      servers.shared.advance(pause - 1);
      expect((await visitor.page()).status).toBe(503);
      expect(publisher.asked).toHaveLength(asked);
      servers.shared.advance(1);
    }
    publisher.published.set(APP, DOCUMENT);
    expect((await visitor.page()).status).toBe(200);
  });
});

describe('M37: if a document cannot be fetched', () => {
  test('the browser gets a page with a reference, never a redirect or a 500, and an event has the reason', async () => {
    const publisher = new Publisher();
    publisher.fails();
    const servers = new DocumentServers(publisher);
    const visitor = await servers.open();
    const page = await visitor.page();
    expect([page.status, page.headers.location, page.headers['retry-after']]).toEqual([503, undefined, '10']);
    expect(wordsOf(page)).toContain('cannot be checked at the moment Try again in a minute.');
    const [failed, refused] = servers.shared.events;
    expect(failed).toMatchObject({
      type: 'client.document_failed',
      outcome: 'failure',
      client_id: APP,
      address: APP,
      reason: 'unavailable',
      message: `${APP} cannot be used: connect ECONNREFUSED`,
      fallback: false,
    });
    expect(refused).toMatchObject({ type: 'authorization.refused', reason: 'client_unavailable', value: APP });
    expect(refused).toHaveProperty('reference', /Reference: (\S+)/.exec(wordsOf(page))?.[1]);
    expect(visitor.node.errors).toEqual([]);
  });

  test('the token endpoint responds with 503; only a document that was read and rejected is invalid_client', async () => {
    const publisher = new Publisher();
    publisher.fails();
    const servers = new DocumentServers(publisher);
    const visitor = await servers.open();
    const away = await visitor.redeem('made-up');
    expect([refusal(away), away.headers['retry-after']]).toEqual([[503, 'temporarily_unavailable'], '10']);
    publisher.published.set(APP, { ...DOCUMENT, client_secret: 'oops' });
    servers.shared.advance(10);
    expect(refusal(await visitor.redeem('made-up'))).toEqual([401, 'invalid_client']);
    const page = await visitor.page();
    expect([page.status, wordsOf(page)]).toEqual([400, expect.stringContaining('is not accepted')]);
    expect(visitor.node.errors).toEqual([]);
  });

  test.each<readonly [what: string, published: () => unknown]>([
    ['nothing', () => undefined],
    ['null', () => null],
    ['a rejection with nothing', () => Promise.reject(undefined)],
    ['an answer that never comes', () => new Promise(() => undefined)],
  ])('%s is a failed fetch', async (_what, published) => {
    const visitor = await new DocumentServers(new Publisher(published), { timeout: 100 }).open();
    expect((await visitor.page()).status).toBe(503);
  });

  test('the last valid document is used for a day, and the event says so', async () => {
    const servers = new DocumentServers();
    const visitor = await servers.open();
    await visitor.page();
    servers.publisher.fails();
    servers.shared.advance(86_399);
    expect((await visitor.page()).status).toBe(200);
    expect(servers.shared.events.at(-1)).toMatchObject({ type: 'client.document_failed', fallback: true });
    servers.shared.advance(1);
    expect((await visitor.page()).status).toBe(503);
  });

  test('but not if the new document was rejected', async () => {
    const servers = new DocumentServers();
    const visitor = await servers.open();
    await visitor.page();
    servers.publisher.published.set(APP, { ...DOCUMENT, client_id: `${APP}x` });
    servers.shared.advance(300);
    expect((await visitor.page()).status).toBe(400);
  });

  test('the copy in the store is used after an approval, in every process, as long as grants may live', async () => {
    const servers = new DocumentServers();
    await (await servers.open()).tokens();
    servers.publisher.fails();
    servers.shared.advance(89 * 86_400);
    const other = await servers.open();
    expect((await other.page()).status).toBe(200);
    expect(servers.publisher.asked).toHaveLength(2);
  });
});

describe('after an approval', () => {
  test('no guard, introspection or refresh of a public client fetches, in any process, while the publisher is unreachable', async () => {
    const servers = new DocumentServers();
    const first = await servers.open();
    let { access_token, refresh_token } = await first.tokens();
    expect(servers.publisher.asked).toEqual([APP]);
    servers.publisher.fails();
    for (let day = 0; day < 60; day += 10) {
      servers.shared.advance(10 * 86_400);
      const other = await servers.open();
      const answer = await other.refresh(refresh_token);
      expect(answer.status, `day ${day}`).toBe(200);
      ({ access_token, refresh_token } = answer.json as unknown as typeof answer.json &
        Record<'access_token' | 'refresh_token', string>);
      expect((await other.guarded(access_token)).status).toBe(200);
      const introspected = await other.http.post(
        '/oauth/introspect',
        { token: access_token },
        basic('api', 'api-secret'),
      );
      expect(introspected.json['active']).toBe(true);
      expect((await first.guarded(access_token)).status).toBe(200);
    }
    const revoked = await first.http.post('/oauth/revoke', { token: refresh_token, client_id: APP });
    expect(revoked.status).toBe(200);
    expect(servers.publisher.asked).toEqual([APP]);
    expect(servers.shared.errors).toEqual([]);
  });

  test('M42: a client without an approval is unknown at a refresh, without a fetch, so it signs in again', async () => {
    const servers = new DocumentServers();
    const visitor = await servers.open();
    const answer = await visitor.refresh('made-up');
    expect(refusal(answer)).toEqual([401, 'invalid_client']);
    expect(servers.publisher.asked).toEqual([]);
  });

  test('the store has at most 4 KiB of it; before that, unknown clients have written nothing', async () => {
    const servers = new DocumentServers(
      new Publisher({ ...DOCUMENT, logo_uri: `https://app.example.org/${'x'.repeat(50_000)}`, more: 'y'.repeat(5000) }),
    );
    const visitor = await servers.open();
    const isCopy = ([key]: readonly [string, ...unknown[]]): boolean => key.includes('client-document');
    await visitor.page();
    await visitor.redeem('made-up');
    expect([...servers.shared.store.entries()]).toEqual([]);
    await visitor.browser.signIn(await visitor.page());
    expect([...servers.shared.store.entries()].filter(isCopy)).toEqual([]);
    await visitor.authorize();
    const copies = [...servers.shared.store.entries()].filter(isCopy);
    expect(copies).toHaveLength(1);
    expect(JSON.stringify(copies).length).toBeLessThan(4096);
    // An approval more writes nothing more.
    await visitor.authorize();
    expect([...servers.shared.store.entries()].filter(isCopy)).toHaveLength(1);
  });

  test('a changed document replaces the copy, and there is always one', async () => {
    const servers = new DocumentServers();
    const visitor = await servers.open();
    const { access_token } = await visitor.tokens();
    servers.publisher.published.set(APP, { ...DOCUMENT, client_name: 'The New App' });
    servers.shared.advance(300);
    const watcher = await servers.open();
    let isOver = false;
    const watched = (async () => {
      const statuses = new Set<number>();
      while (!isOver) {
        servers.shared.advance(0);
        statuses.add((await (await servers.open()).guarded(access_token)).status);
      }
      return statuses;
    })();
    await visitor.authorize();
    isOver = true;
    expect(await watched).toEqual(new Set([200]));
    servers.publisher.fails();
    servers.shared.advance(300);
    const page = await watcher.browser.signIn(await watcher.page());
    expect(wordsOf(page)).toContain('The New App');
  });

  test('an approval at a process with an older document keeps the newer copy', async () => {
    const servers = new DocumentServers();
    const { publisher, shared } = servers;
    publisher.maxAge = 86_400;
    const behind = await servers.open();
    await behind.page();
    shared.advance(1);
    publisher.published.set(APP, { ...DOCUMENT, client_name: 'The New App' });
    await (await servers.open()).authorize();
    publisher.fails();
    await behind.authorize();
    const other = await servers.open();
    expect(wordsOf(await other.browser.signIn(await other.page()))).toContain('The New App');
  });

  test('no code is issued while the copy cannot be stored, because other processes would not know the client', async () => {
    const servers = new DocumentServers();
    const between = (store: Store): Store => ({
      ...store,
      add: (key, ...record) =>
        key.includes('client-document') ? Promise.reject(new Error('away')) : store.add(key, ...record),
    });
    const visitor = await servers.open({ between });
    const answer = responseOf(await visitor.authorize());
    expect([answer['code'], answer['error']]).toEqual([undefined, expect.any(String)]);
    expect(visitor.node.errors.map(String)).toEqual(['UnavailableError: The store could not add a record.']);
  });

  test('it is stored for as long as a grant made last may live, and rewritten when that is longer', async () => {
    const servers = new DocumentServers();
    const { shared } = servers;
    const visitor = await servers.open();
    const copies = () => [...shared.store.entries()].filter(([key]) => key.includes('client-document'));
    const [grant, spare] = [90 * 86_400, 180 * 86_400];
    await visitor.tokens();
    const [first] = copies();
    shared.advance(spare);
    await visitor.tokens();
    expect(copies(), 'long enough for this grant').toEqual([first]);
    shared.advance(1);
    await visitor.tokens();
    shared.advance(grant - 1);
    expect(copies()).toHaveLength(1);
    expect(copies()).not.toEqual([first]);
    shared.advance(spare + 1);
    expect(copies()).toEqual([]);
  });

  test('M39: changed redirect URIs end no grant, and an event reports them', async () => {
    const servers = new DocumentServers();
    const visitor = await servers.open();
    const tokens = await visitor.tokens();
    servers.publisher.published.set(APP, { ...DOCUMENT, redirect_uris: ['https://app.example.org/new'] });
    servers.shared.advance(300);
    expect((await visitor.page()).status).toBe(400);
    expect((await visitor.page({ redirect_uri: 'https://app.example.org/new' })).status).toBe(200);
    const changes = servers.shared.events.filter(({ type }) => type === 'client.document_changed');
    expect(changes).toMatchObject([{ client_id: APP, changed: ['redirect_uris'], outcome: 'success' }]);
    expect((await visitor.guarded(tokens.access_token)).status).toBe(200);
    expect((await visitor.refresh(tokens.refresh_token)).status).toBe(200);
  });

  test('is reported by events that name the request', async () => {
    const servers = new DocumentServers();
    await (await servers.open()).tokens();
    expect(typesOf(servers)).toEqual([
      'client.document_fetched',
      'owner.signed_in',
      'grant.created',
      'consent.decided',
      'token.issued',
    ]);
    expect(servers.shared.events[0]).toMatchObject({
      client_id: APP,
      address: APP,
      duration: expect.any(Number),
      outcome: 'success',
      ip: expect.stringContaining('127.0.0.1'),
      request_id: expect.any(String),
    });
  });
});

describe('unknown callers', () => {
  test('cause at most four fetches at once, and sixty per minute', async () => {
    let underWay = 0;
    let most = 0;
    const publisher = new Publisher();
    const fetch = async (address: string) => {
      publisher.asked.push(address);
      most = Math.max(most, (underWay += 1));
      await new Promise((resolve) => setImmediate(resolve));
      underWay -= 1;
      return { ...DOCUMENT, client_id: address };
    };
    const servers = new DocumentServers(publisher, { fetch });
    const visitor = await servers.open();
    const statuses = new Map<number, number>();
    for (let batch = 0; batch < 3; batch += 1) {
      const pages = Array.from({ length: 100 }, (_, n) =>
        visitor.page({ client_id: `https://app${n}.example.org/${batch}` }),
      );
      for (const { status } of await Promise.all(pages)) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect([...statuses.keys()].toSorted((a, b) => a - b)).toEqual([200, 503]);
    expect(statuses.get(200)).toBe(60);
    expect(publisher.asked).toHaveLength(60);
    expect(most).toBeLessThanOrEqual(4);
    expect(servers.shared.store.entries().next().done).toBe(true);
    servers.shared.advance(60);
    expect((await visitor.page()).status).toBe(200);
  }, 60_000);

  test('that keep connections open do not block others', async () => {
    const publisher = new Publisher();
    const open = new Set<() => void>();
    const fetch = (address: string) => {
      publisher.asked.push(address);
      if (!address.includes('slow')) return { ...DOCUMENT, client_id: address };
      return new Promise((_resolve, reject) => void open.add(() => reject(new Error('It took too long.'))));
    };
    const servers = new DocumentServers(publisher, { fetch, timeout: 30_000 });
    const visitor = await servers.open();
    const slow = Array.from({ length: 10 }, (_, n) => visitor.page({ client_id: `https://slow.example.org/${n}` }));
    await expect.poll(() => publisher.asked.length).toBe(4);
    // The address of the caller has used up what it may have under way; it has to wait for itself.
    expect((await visitor.page()).status).toBe(503);
    let ended = false;
    const statuses = Promise.all(slow).finally(() => (ended = true));
    await expect.poll(() => (open.forEach((close) => close()), ended)).toBe(true);
    expect(new Set((await statuses).map(({ status }) => status))).toEqual(new Set([503]));
    expect((await visitor.page()).status).toBe(200);
  });

  test('cannot distinguish known from unknown clients by fetches for a guard', async () => {
    const servers = new DocumentServers();
    const visitor = await servers.open();
    expect((await visitor.guarded('made-up')).status).toBe(401);
    expect(servers.publisher.asked).toEqual([]);
  });
});

test('the client receives a denial at its own redirect URI', async () => {
  const visitor = await new DocumentServers().open();
  const page = await visitor.browser.signIn(await visitor.page());
  const denied = await visitor.browser.submit(page, { decision: 'deny' });
  expect(locationOf(denied)).toContain(`${CALLBACK}?error=access_denied`);
});
