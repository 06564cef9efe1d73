import { authInfo, introspectionVerifier, onBehalfOf } from 'oauth-query/guard';
import { afterAll, describe, expect, test } from 'vitest';
import { at, useExchange } from '../features/token-exchange/support.js';
import { hostFor } from '../hosts.js';
import { listen } from '../hosts/listen.js';

const [HOST] = hostFor(import.meta.url);

describe('onBehalfOf', () => {
  const site = useExchange(HOST);
  const credentials = (name: string) => ({ client_id: name, client_secret: `${name}-secret` });
  const made: { close(): void }[] = [];
  const of = (name: string, more: object = {}) => {
    const one = onBehalfOf({
      issuer: site.running.base,
      credentials: credentials(name),
      clock: site.fixture.clock,
      ...more,
    });
    made.push(one);
    return one;
  };
  const guardOf = (name: string) => {
    const one = introspectionVerifier({
      issuer: site.running.base,
      audience: at(name),
      credentials: { client_id: 'api', client_secret: 'api-secret' },
      clock: site.fixture.clock,
      cacheSeconds: 0,
    });
    made.push(one);
    return one;
  };
  afterAll(() => {
    for (const one of made) one.close();
    expect(site.fixture.errors).toEqual([]);
  });

  /** A request that the guard of a service has let pass. */
  const arrived = async (name: string, token: string) => {
    const { authorization: auth } = await guardOf(name).check(token, { scope: 'content.read' });
    return { auth: auth ?? expect.fail(`${name} refuses the token.`), headers: { authorization: `Bearer ${token}` } };
  };
  const exchanges = () =>
    site.fixture.events.filter((event) => event.type === 'token.issued' && /exchange/.test(event.grant_type)).length;

  test('two services and a third: each gets a token that is meant for it', async () => {
    const atNotes = await arrived('notes', await site.ofAlice('notes'));
    const forSearch = await of('notes')(atNotes, at('search'));
    // Tools of an MCP server get this object.
    const atSearch = authInfo(await arrived('search', forSearch));
    const forFiles = await of('search')(atSearch, at('files'), 'content.read');
    const { auth } = await arrived('files', forFiles);
    expect(auth).toMatchObject({ sub: 'alice', client_id: 'search', scope: 'content.read' });
    expect(auth.act).toEqual({
      ...{ sub: 'client:search', client_id: 'search' },
      act: { sub: 'client:notes', client_id: 'notes' },
    });
  });

  test('simultaneous callers share an exchange, which is kept until half a minute before its end', async () => {
    const tokenFor = of('notes');
    const request = await arrived('notes', await site.ofAlice('notes'));
    const before = exchanges();
    const all = await Promise.all(Array.from({ length: 20 }, () => tokenFor(request, at('search'))));
    expect(new Set(all).size).toBe(1);
    expect(exchanges() - before).toBe(1);
    expect(await tokenFor(request, at('search'))).toBe(all[0]);
    expect(await tokenFor(request, at('mail'))).not.toBe(all[0]);
    expect(await tokenFor(request, at('search'), 'content.read')).not.toBe(all[0]);
    expect(exchanges() - before).toBe(3);
    site.fixture.advance(3600 - 31);
    expect(await tokenFor(request, at('search'))).toBe(all[0]);
    site.fixture.advance(2);
    expect(await tokenFor(request, at('search'))).not.toBe(all[0]);
    const another = await arrived('notes', await site.ofAlice('notes'));
    expect(await tokenFor(another, at('search'))).not.toBe(all[0]);
  });

  test('what the server refuses is an OAuthError, and what this service gets wrong is not', async () => {
    const request = await arrived('notes', await site.ofAlice('notes'));
    await expect(of('notes')(request, at('notes'))).rejects.toMatchObject({ code: 'invalid_target' });
    await expect(of('notes')(request, at('search'), 'profile')).rejects.toMatchObject({ code: 'invalid_scope' });
    await expect(of('search')(request, at('mail'))).rejects.toMatchObject({ code: 'invalid_request' });
    const wrong = { credentials: { client_id: 'notes', client_secret: 'wrong' } };
    await expect(of('notes', wrong)(request, at('search'))).rejects.toThrow(/401.*Check options\.credentials/);
    await expect(of('stranger')(request, at('search'))).rejects.toThrow(/400 unauthorized_client/);
    await expect(of('notes')({ auth: undefined, headers: {} }, at('search'))).rejects.toThrow(/Put a guard in front/);
    const nowhere = await listen();
    nowhere.close();
    await expect(of('notes', { issuer: nowhere.origin })(request, at('search'))).rejects.toThrow(/cannot be reached/);
  });

  test('a token endpoint that cannot be reached is looked for again', async () => {
    const gone = await listen();
    gone.close();
    let tokenEndpoint = `${gone.origin}/token`;
    const server = await listen((req, res) => {
      const answer = req.url?.startsWith('/.well-known/')
        ? { issuer: server.origin, token_endpoint: tokenEndpoint }
        : { access_token: 'exchanged', token_type: 'Bearer', expires_in: 60 };
      res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
    const tokenFor = of('notes', { issuer: server.origin });
    await expect(tokenFor({ token: 'given' }, at('search'))).rejects.toThrow(/cannot be reached/);
    tokenEndpoint = `${server.origin}/token`;
    expect(await tokenFor({ token: 'given' }, at('search'))).toBe('exchanged');
  });

  test('a wrong option is an error', () => {
    expect(() => of('notes', { issuer: undefined })).toThrow(/onBehalfOf: options\.issuer/);
    expect(() => of('notes', { credentials: { client_id: 'notes', client_secret: undefined } })).toThrow(
      /client_secret/,
    );
    expect(() => of('notes', { cache: 1 })).toThrow(/cache is unknown/);
  });
});
