import { Auth, skipCSRFCheck } from '@auth/core';
import express from 'express';
import { auth, requiresAuth } from 'express-openid-connect';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Client, oneHostEach, type RunningHost } from '../../hosts.js';
import { listen } from '../../hosts/listen.js';
import { Browser, formOf, locationOf } from '../../oauth/support/browser.js';
import { ALICE, openIdFixture } from './support.js';

const scope = 'openid profile email';

const MSAL: string = '@azure/msal-node';

/** What is used of it. */
interface MsalNode {
  readonly PublicClientApplication: new (options: object) => {
    acquireTokenInteractive(request: {
      readonly scopes: readonly string[];
      readonly openBrowser: (address: string) => Promise<void>;
    }): Promise<{ readonly idTokenClaims: object; readonly account: { readonly username: string } | null }>;
  };
}

/** MSAL only talks https: its requests go to the server of the test, whose issuer is this. */
const ISSUER = 'https://op.example';

const networkTo = (origin: string) => {
  const send = async (method: string, url: string, options?: { headers?: Record<string, string>; body?: string }) => {
    const { pathname, search } = new URL(url);
    const { headers = {}, body } = options ?? {};
    const response = await fetch(origin + pathname + search, { method, headers, ...(body !== undefined && { body }) });
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.json(),
    };
  };
  return {
    sendGetRequestAsync: (url: string, sent?: Parameters<typeof send>[2]) => send('GET', url, sent),
    sendPostRequestAsync: (url: string, sent?: Parameters<typeof send>[2]) => send('POST', url, sent),
  };
};

/** Auth.js is a function of requests, which listens nowhere. */
const AUTH_JS = 'https://auth-js.example';

/** Signs in, allows everything, and posts the form that comes back, as the script of the page does. */
const goThrough = async (
  browser: Browser,
  address: string,
  post: (form: ReturnType<typeof formOf>) => Promise<unknown>,
) => {
  const { pathname, search } = new URL(address);
  const consent = await browser.signIn(await browser.open(pathname + search));
  return post(formOf(await browser.submit(consent, { decision: 'approve' })));
};

describe.each(oneHostEach)('clients that ask for form_post, unmodified, on $name', (host) => {
  const { options, errors } = openIdFixture(
    {},
    {
      runtime: { clock: Date.now },
      allowLocalhostRedirects: true,
      clients: [
        { client_id: 'msal', redirect_uris: ['http://localhost'], refresh: 'rotating', scope },
        {
          client_id: 'authjs',
          client_secret: 'authjs-secret',
          redirect_uris: [`${AUTH_JS}/auth/callback/ours`],
          scope,
        },
        { client_id: 'eoc', client_secret: 'eoc-secret', redirect_uris: ['http://127.0.0.1/callback'], scope },
      ],
    },
  );
  const { store: _store, ...others } = options;
  let running: RunningHost;
  beforeAll(async () => {
    running = await host.start({ options: others });
  });
  afterAll(async () => {
    await running.close();
    expect(errors.splice(0)).toEqual([]);
  });

  test('@azure/msal-node signs in interactively', async () => {
    const { PublicClientApplication } = (await import(MSAL)) as MsalNode; // As its documentation describes it.
    const issuer = ISSUER + new URL(running.base).pathname.replace(/\/$/, '');
    const own = await host.start({ options: { ...others, issuer } });
    const browser = new Browser(own);
    const app = new PublicClientApplication({
      auth: { clientId: 'msal', authority: issuer, knownAuthorities: ['op.example'] },
      system: { networkClient: networkTo(own.origin), protocolMode: 'OIDC' },
    });
    let posted: unknown;
    const result = await app.acquireTokenInteractive({
      scopes: ['email'],
      openBrowser: async (address) => {
        expect(new URL(address).searchParams.get('response_mode')).toBe('form_post');
        posted = goThrough(browser, address, async ({ action, fields }) =>
          fetch(action, { method: 'POST', body: new URLSearchParams(fields) }),
        );
      },
    });
    await posted;
    expect(result.idTokenClaims).toMatchObject({ sub: 'alice', iss: issuer });
    expect(result.account?.username).toBe('alice');
  });

  test('express-openid-connect signs in with response_mode form_post', async () => {
    const { server, origin: base, close } = await listen();
    const app = express();
    app.use(
      auth({
        issuerBaseURL: running.base,
        baseURL: base,
        clientID: 'eoc',
        clientSecret: 'eoc-secret',
        secret: 'a secret of an application, long enough for cookies',
        authRequired: false,
        authorizationParams: { response_type: 'code', response_mode: 'form_post', scope },
      }),
    );
    app.get('/me', requiresAuth(), (req, res) => void res.json({ sub: req.oidc.user?.['sub'] }));
    server.on('request', app);
    const person = new Client(base);
    const start = await person.get('/me');
    const back = await goThrough(new Browser(running), locationOf(start), ({ action, fields }) =>
      person.post(action, fields),
    );
    expect((back as { status: number }).status).toBe(302);
    expect((await person.get('/me')).json).toEqual({ sub: 'alice' });
    close();
  });

  test('@auth/core signs in with response_mode form_post, and cookies that browsers send with it', async () => {
    const jar = new Map<string, { readonly value: string; readonly isSentByOthers: boolean }>();
    const none = { httpOnly: true, sameSite: 'none', path: '/', secure: true } as const;
    const call = async (path: string, form?: Readonly<Record<string, string>>) => {
      // A browser sends only cookies with SameSite=None with the form of another site.
      const sent = [...jar].filter(([, { isSentByOthers }]) => isSentByOthers || !path.includes('/callback/'));
      const request = new Request(new URL(path, AUTH_JS), {
        headers: { cookie: sent.map(([name, { value }]) => `${name}=${value}`).join('; ') },
        ...(form !== undefined && { method: 'POST', body: new URLSearchParams(form) }),
      });
      const response = await Auth(request, {
        ...{ skipCSRFCheck, trustHost: true, basePath: '/auth' },
        secret: 'a secret of an application, long enough for cookies',
        cookies: {
          state: { name: 'state', options: none },
          nonce: { name: 'nonce', options: none },
          pkceCodeVerifier: { name: 'pkce', options: none },
        },
        providers: [
          {
            ...{ id: 'ours', name: 'Ours', type: 'oidc', issuer: running.base, checks: ['pkce', 'state', 'nonce'] },
            ...{ clientId: 'authjs', clientSecret: 'authjs-secret' },
            authorization: { params: { scope, response_mode: 'form_post' } },
          },
        ],
      });
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        jar.set(name, { value, isSentByOthers: /; SameSite=None/i.test(line) });
      }
      return response;
    };
    const start = await call('/auth/signin/ours', {});
    const address = start.headers.get('location') ?? '';
    expect(new URL(address).searchParams.get('response_mode')).toBe('form_post');
    await goThrough(new Browser(running), address, ({ action, fields }) => call(action, fields));
    expect(await (await call('/auth/session')).json()).toMatchObject({
      user: { name: ALICE.name, email: ALICE.email },
    });
  });
});
