import express5, { type Express } from 'express';
import { describe, expect, test } from 'vitest';
import { oauthQuery } from '../../../src/adapters/express/index.js';
import { storedClients } from '../../../src/clients/index.js';
import { hashSecret } from '../../../src/core/oauth/clients/slow-hash.js';
import type { ServerOptions } from '../../../src/core/server/options/server-options.js';
import { arabic, english, german, spanish } from '../../../src/languages/index.js';
import { memoryStore } from '../../../src/stores/memory.js';
import { listen } from '../../hosts/listen.js';

const SECRET = 'a secret of the test that has 32 characters';
const LONG = 'x'.repeat(22);
const web = { client_id: 'web', client_secret: LONG, redirect_uris: ['https://app.example/cb'] };
const TOKEN = { method: 'POST', body: new URLSearchParams({ grant_type: 'client_credentials' }) };

interface Site {
  readonly warnings: readonly string[];
  fetch(path: string, init?: RequestInit): Promise<Response>;
}

/** An application with this server in it, and what it has warned about since it was made. */
const start = async (
  options: Partial<ServerOptions>,
  mount: (app: Express, oauth: ReturnType<typeof oauthQuery>) => void = (app, oauth) => app.use(oauth),
): Promise<Site> => {
  const warnings: string[] = [];
  const app = express5();
  const { origin: base } = await listen(app);
  const oauth = oauthQuery({
    issuer: 'https://example.org',
    secret: SECRET,
    clients: [],
    store: memoryStore(),
    onError: () => undefined,
    ...options,
    // The tests' own host is not that of the issuer.
    onWarning: (sentence, code) => code !== 'OQ304' && warnings.push(sentence),
  });
  mount(app, oauth);
  return { warnings, fetch: (path, init) => fetch(base + path, { redirect: 'manual', ...init }) };
};

describe('deployment problems that no check of options can detect are reported once', () => {
  test('issuer and mount path differ', async () => {
    const site = await start({ issuer: 'https://example.org/auth' }, (app, oauth) =>
      app.use(oauth).use(oauth.wellKnown),
    );
    await site.fetch('/oauth/token', TOKEN);
    await site.fetch('/oauth/token', TOKEN);
    expect(site.warnings).toEqual([
      expect.stringMatching(/^options\.issuer has the path "\/auth", but .* at "".* \(OQ301\)$/),
    ]);
    const other = await start({}, (app, oauth) => app.use('/auth', oauth));
    await other.fetch('/auth/oauth/token', TOKEN);
    expect(other.warnings).toEqual([
      expect.stringMatching(/^options\.issuer has the path "", but .* at "\/auth".* \(OQ301\)$/),
    ]);
  });

  test('no warning if they match, or if a proxy removes the path', async () => {
    const issuer = 'https://example.org/auth';
    const same = await start({ issuer }, (app, oauth) => app.use('/auth', oauth).use(oauth.wellKnown));
    await same.fetch('/auth/oauth/token', TOKEN);
    const proxied = await start({ issuer }, (app, oauth) => app.set('trust proxy', true).use(oauth));
    await proxied.fetch('/oauth/token', { ...TOKEN, headers: { 'x-forwarded-for': '192.0.2.1' } });
    expect([...same.warnings, ...proxied.warnings]).toEqual([]);
  });

  test('forwarded headers without a trusted proxy', async () => {
    const headers = { 'x-forwarded-for': '192.0.2.1' };
    const site = await start({});
    await site.fetch('/oauth/token', { ...TOKEN, headers });
    await site.fetch('/oauth/token', { ...TOKEN, headers });
    expect(site.warnings).toEqual([expect.stringMatching(/^Requests carry X-Forwarded-For, .* trust.* \(OQ305\)$/)]);
    const trusting = await start({}, (app, oauth) => app.set('trust proxy', 1).use(oauth));
    await trusting.fetch('/oauth/token', { ...TOKEN, headers });
    expect(trusting.warnings).toEqual([]);
  });

  test('a browser of another origin without CORS, with a preflight or without', async () => {
    const headers = { origin: 'https://spa.example' };
    for (const init of [{ method: 'OPTIONS' }, TOKEN]) {
      const site = await start({});
      await site.fetch('/oauth/token', { ...init, headers });
      await site.fetch('/oauth/token', { ...init, headers });
      expect(site.warnings).toEqual([
        expect.stringMatching(/^A script from "https:\/\/spa\.example" .* options\.cors.* \(OQ306\)$/),
      ]);
    }
    const quiet = await start({});
    await quiet.fetch('/oauth/token', { ...TOKEN, headers: { origin: 'https://example.org' } });
    const open = await start({ cors: ['https://spa.example'] });
    await open.fetch('/oauth/token', { ...TOKEN, headers });
    expect([...quiet.warnings, ...open.warnings]).toEqual([]);
  });
});

describe('an owner that is never signed in', () => {
  const request = `/oauth/authorize?${new URLSearchParams({ response_type: 'code', client_id: 'web', redirect_uri: 'https://app.example/cb', scope: 'read', state: 'x' })}`;
  const options = { clients: [web], scopes: { read: 'Read' }, loginUrl: '/login' };

  /** The browser is sent to sign in, does so, and comes back. */
  const comeBack = async (site: Site, path: string): Promise<string> => {
    const location = (await site.fetch(path)).headers.get('location') ?? '';
    return new URL(location, 'https://example.org').searchParams.get('return_to') ?? '';
  };

  test('is a loop after the third return of the same browser', async () => {
    const site = await start({ ...options, owner: () => undefined });
    let path = await comeBack(site, request);
    for (let returns = 0; returns < 2; returns += 1) path = await comeBack(site, path);
    expect(site.warnings).toEqual([]);
    await comeBack(site, path);
    expect(site.warnings).toHaveLength(1);
    await comeBack(site, path);
    expect(site.warnings).toEqual([
      expect.stringMatching(/^A browser came back .* session middleware before.* \(OQ307\)$/),
    ]);
  });

  test('is none for first visits, or if owners were signed in before', async () => {
    let owner: { sub: string } | undefined;
    const site = await start({ ...options, owner: () => owner });
    for (let asked = 0; asked < 5; asked += 1) await comeBack(site, request);
    owner = { sub: 'alice' };
    await site.fetch(request);
    owner = undefined;
    let path = await comeBack(site, request);
    for (let returns = 0; returns < 5; returns += 1) path = await comeBack(site, path);
    expect(site.warnings).toEqual([]);
  });

  test('because there is no session middleware: the warning says where to mount it', async () => {
    const owner = (req: unknown) => (req as { session: { user: { sub: string } } }).session.user; // As users write it.
    const site = await start({ ...options, owner });
    await site.fetch(request);
    await site.fetch(request);
    expect(site.warnings).toEqual([
      expect.stringMatching(
        /^options\.owner failed: .*'user'.* mount the session middleware before this one\. \(OQ308\)$/,
      ),
    ]);
  });

  test('is reported at startup if users cannot sign in at all', async () => {
    const site = await start({ clients: [web] });
    expect(site.warnings).toEqual([
      expect.stringMatching(/^Client "web" uses authorization_code, .*options\.users.*options\.owner.* \(OQ203\)$/),
    ]);
    const program = { client_id: 'x', client_secret: LONG, grant_types: ['client_credentials'] } as const;
    expect((await start({ clients: [program] })).warnings).toEqual([]);
  });
});

describe('client secrets that can be guessed', () => {
  const SHORT = 'x'.repeat(21);
  const clients = [
    { client_id: 'random', client_secret: LONG },
    { client_id: 'hashed', client_secret: { sha256: 'A'.repeat(43) } },
    { client_id: 'short', client_secret: SHORT },
    { client_id: 'rotated', client_secret: [LONG, { value: SHORT }] },
    { find: () => undefined },
  ];

  test('are reported at startup, with their clients', async () => {
    expect((await start({ clients })).warnings).toEqual([
      expect.stringMatching(
        /^The client_secret of "short", "rotated" has fewer than 22 characters.* oauth-query secret.* \(OQ204\)$/,
      ),
    ]);
    expect((await start({ clients: clients.slice(0, 2) })).warnings).toEqual([]);
  });

  test('are accepted on loopback', async () => {
    expect((await start({ clients, issuer: 'http://127.0.0.1:3000' })).warnings).toEqual([]);
  });
});

describe('passwords in the options', () => {
  const hash = { scrypt: hashSecret('wonderland') };

  test('that are plain text are reported at startup, without the password', async () => {
    const { warnings } = await start({ users: [{ username: 'alice', password: 'wonderland' }] });
    expect(warnings).toEqual([
      expect.stringMatching(
        /^options\.users contains the password of "alice" as plain text.*hashSecret.*npx oauth-query secret --stdin.* \(OQ210\)$/,
      ),
    ]);
    expect(warnings.join()).not.toContain('wonderland');
    const several = [
      { username: 'carol', password: hash },
      { username: 'alice', password: 'wonderland' },
      { username: 'bob', password: 'builder' },
    ];
    expect((await start({ users: several })).warnings).toEqual([
      expect.stringMatching(/^options\.users contains 2 passwords, such as that of "alice" as plain text/),
    ]);
  });

  test('are accepted on loopback, as hashes, and in a directory of the application', async () => {
    const users = [{ username: 'alice', password: 'wonderland' }];
    expect((await start({ users, issuer: 'http://127.0.0.1:3000' })).warnings).toEqual([]);
    expect((await start({ users: [{ username: 'carol', password: hash }] })).warnings).toEqual([]);
    expect((await start({ users: { authenticate: () => undefined } })).warnings).toEqual([]);
  });
});

describe('credentials that Basic changes', () => {
  const job = { client_id: 'job', grant_types: ['client_credentials'] } as const;
  const changed = (client: object) =>
    start({ clients: [{ ...job, ...client } as never], issuer: 'http://127.0.0.1:3000' });
  const PLUS = `${LONG}a+b`;

  test('are reported at startup, without the secret', async () => {
    for (const client of [
      { client_secret: PLUS },
      { client_secret: `${LONG}50%off` },
      { client_secret: `${LONG}%41` },
      { client_secret: [LONG, { value: PLUS }] },
      { client_secret: PLUS, token_endpoint_auth_method: 'client_secret_basic' },
      { client_id: 'job+1', client_secret: { sha256: 'A'.repeat(43) } },
    ]) {
      const { warnings } = await changed(client);
      expect(warnings).toEqual([
        expect.stringMatching(
          /^The client_id or client_secret of "job(?:\+1)?" contains \+ or %.*curl -u.* \(OQ211\)$/,
        ),
      ]);
      expect(warnings.join()).not.toContain(LONG);
    }
  });

  test('what is reported is refused as curl sends it, and what is not is accepted', async () => {
    for (const [client_secret, status] of [
      [PLUS, 401],
      [`${LONG}%41`, 401],
      [`${LONG}:/=-_.~!*'()&"é`, 200],
    ] as const) {
      const site = await changed({ client_secret });
      const authorization = `Basic ${Buffer.from(`job:${client_secret}`).toString('base64')}`;
      expect((await site.fetch('/oauth/token', { ...TOKEN, headers: { authorization } })).status).toBe(status);
      expect(site.warnings).toHaveLength(status === 200 ? 0 : 1);
    }
  });

  test('are accepted from clients that do not use Basic, and as hashes', async () => {
    for (const client of [
      { client_secret: PLUS, token_endpoint_auth_method: 'client_secret_post' },
      { client_secret: { sha256: 'A'.repeat(43) } },
      { client_id: 'job+1', redirect_uris: ['https://app.example/cb'], grant_types: ['authorization_code'] },
    ])
      expect((await changed(client)).warnings.filter((sentence) => sentence.includes('OQ211'))).toEqual([]);
  });

  test('are reported for clients of a table once', async () => {
    const find = (client_id: string) => ({ ...job, client_id, client_secret: PLUS });
    const site = await start({ clients: { find } });
    for (const name of ['one', 'two'])
      await site.fetch('/oauth/token', {
        ...TOKEN,
        headers: { authorization: `Basic ${Buffer.from(`${name}:${PLUS}`).toString('base64')}` },
      });
    expect(site.warnings).toEqual([
      expect.stringMatching(/^clients\.find: The client_id or client_secret of "one" contains \+ or %/),
    ]);
  });

  test('secrets that this package generates contain neither', async () => {
    const clients = storedClients(memoryStore());
    for (let n = 0; n < 200; n += 1) {
      const { client_secret = '' } = await clients.add({ ...job, client_id: `job-${n}` }, { generateSecret: true });
      expect(client_secret).toMatch(/^[\w-]{43}$/);
    }
  });
});

describe('scopes on pages in several languages', () => {
  const translated = async (translations: Record<string, string>, languages?: ServerOptions['languages']) => {
    const scopes = { photos: { description: 'See your photos', translations }, videos: 'See your videos' };
    return (await start({ scopes, ...(languages !== undefined && { languages }) })).warnings;
  };

  const all = [english, german, spanish, arabic];

  test('a translation is missing: the languages that share the description are reported', async () => {
    expect(await translated({ de: 'Ihre Fotos sehen' }, all)).toEqual([
      expect.stringMatching(
        /^options\.scopes\["photos"\]\.translations lacks en, es, ar:.*options\.languages.* \(OQ206\)$/,
      ),
    ]);
    expect(await translated({ de: 'Ihre Fotos sehen' }, [german, english])).toEqual([]);
    expect(await translated({ de: 'Fotos', es: 'Fotos', ar: 'صور' }, all)).toEqual([]);
    expect(await translated({})).toEqual([]);
  });

  test('a translation is into a language that is not offered', async () => {
    expect(await translated({ de: 'Fotos', 'de-AT': 'Fotos' }, [english, german])).toEqual([
      expect.stringMatching(/^options\.scopes\["photos"\]\.translations has de-AT, but .* offered in en, de:/),
    ]);
  });
});

describe('guard', () => {
  test('with an undeclared scope causes a warning with the closest declared one', async () => {
    const site = await start({ scopes: { 'photos.read': 'Photos' } }, (_app, oauth) => {
      oauth.guard('photos.read introspect');
      oauth.guard('phtos.read');
      oauth.guard(['photos.write']);
    });
    expect(site.warnings).toEqual([
      expect.stringMatching(
        /^guard\("phtos\.read"\) refuses every request: .* Did you mean "photos\.read"\? \(OQ208\)$/,
      ),
      expect.stringMatching(/^guard\("photos\.write"\) refuses every request/),
    ]);
  });

  test('called with a wrong argument is rejected with the correct call', () =>
    start({}, (_app, oauth) => {
      for (const wrong of [{ scope: 'a' }, 5, [5], null])
        expect(() => oauth.guard(wrong as unknown as string)).toThrow(/^guard\(scope\) takes a scope such as/);
      expect(() => oauth.guard.any({ audience: 5 } as object)).toThrow(/audience must be a resource/);
    }));
});
