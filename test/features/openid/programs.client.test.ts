import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { mediaWikiProfile } from 'oauth-query/openid';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Answer, Client, oneHostEach, type RunningHost } from '../../hosts.js';
import { Browser, formOf, locationOf } from '../../oauth/support/browser.js';
import { describeEngine } from '../../stores/engines/availability.js';
import { findProgram, freePort } from '../../stores/engines/daemon.js';
import { ALICE, openIdFixture } from './support.js';

const scope = 'openid profile email';

const start = async (clients: readonly object[], more: object = {}): Promise<RunningHost> => {
  const [host] = oneHostEach;
  const { store: _store, ...options } = openIdFixture(
    {},
    { runtime: { clock: Date.now }, clients: clients as never, ...more },
  ).options;
  return host.start({ options });
};

/** Signs in, allows everything, and returns the response for the client. */
const allow = async (browser: Browser, address: string): Promise<Answer> => {
  let page = await browser.open(address);
  if (page.text.includes('type="password"')) page = await browser.signIn(page);
  return page.status === 200 ? browser.submit(page, { decision: 'approve' }) : page;
};

/** The same, and returns where the browser is sent. */
const follow = async (browser: Browser, address: string): Promise<string> => locationOf(await allow(browser, address));

const PYTHON = ['/usr/bin/python3', '/usr/local/bin/python3'].filter((path) => existsSync(path));

/** A Python that has a package, or why there is none. */
const pythonWith = (...packages: readonly string[]): { readonly program: string; readonly missing?: string } => {
  const program = PYTHON.find(
    (path) => spawnSync(path, ['-c', `import ${packages.join(', ')}`], { timeout: 30_000 }).status === 0,
  );
  return program === undefined
    ? { program: '', missing: `no python3 has the packages ${packages.join(' and ')}` }
    : { program };
};

/** Runs a script that prints the address for the browser, reads the address it is sent back to, and prints JSON. */
const converse = async (program: string, script: string, issuer: string): Promise<Record<string, unknown>> => {
  const child = spawn(program, ['-c', script, issuer], {
    env: { PATH: '/usr/bin:/bin', AUTHLIB_INSECURE_TRANSPORT: '1' },
  });
  const errors: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk.toString()));
  try {
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async (): Promise<string> => {
      const { value, done } = await lines.next();
      if (done === true) throw new Error(errors.join(''));
      return value;
    };
    child.stdin.write(`${await follow(new Browser(running), await next())}\n`);
    return JSON.parse(await next()) as Record<string, unknown>;
  } finally {
    child.kill();
  }
};

let running: RunningHost;

const AUTHLIB = `
import json, sys, requests
from authlib.integrations.requests_client import OAuth2Session
from authlib.jose import jwt, JsonWebKey
from authlib.oidc.core import CodeIDToken
issuer, verifier = sys.argv[1], 'v' * 48
found = requests.get(issuer + '/.well-known/openid-configuration').json()
session = OAuth2Session('rp', 'rp-secret', scope='openid profile email', redirect_uri='https://rp.example/cb', code_challenge_method='S256')
url, state = session.create_authorization_url(found['authorization_endpoint'], nonce='n-1', max_age=600, code_verifier=verifier)
print(url, flush=True)
token = session.fetch_token(found['token_endpoint'], authorization_response=sys.stdin.readline().strip(), code_verifier=verifier)
keys = JsonWebKey.import_key_set(requests.get(found['jwks_uri']).json())
claims = jwt.decode(token['id_token'], keys, claims_cls=CodeIDToken, claims_options={'iss': {'values': [issuer]}},
  claims_params={'nonce': 'n-1', 'client_id': 'rp', 'access_token': token['access_token'], 'max_age': 600})
claims.validate()
print(json.dumps({'claims': dict(claims), 'userinfo': session.get(found['userinfo_endpoint']).json()}), flush=True)
`;

const withAuthlib = pythonWith('authlib', 'requests');

describeEngine('Authlib, unmodified', withAuthlib.missing, () => {
  beforeAll(async () => {
    running = await start([]);
  });
  afterAll(() => running.close());

  test('discovery, PKCE, nonce, at_hash, max_age and userinfo', async () => {
    const { claims, userinfo } = await converse(withAuthlib.program, AUTHLIB, running.base);
    expect(claims).toMatchObject({ sub: 'alice', email: ALICE.email, nonce: 'n-1', auth_time: expect.any(Number) });
    expect(userinfo).toMatchObject({ sub: 'alice', name: ALICE.name });
  });
});

const ALLAUTH = `
import json, sys
from urllib.parse import urlsplit
import django
from django.conf import settings
base = sys.argv[1]
apps = ['django.contrib.' + name for name in ('auth', 'contenttypes', 'sessions', 'sites', 'messages')]
settings.configure(SECRET_KEY='x' * 50, ALLOWED_HOSTS=['*'], ROOT_URLCONF='site_urls', SITE_ID=1, USE_TZ=True, DEFAULT_AUTO_FIELD='django.db.models.AutoField',
  INSTALLED_APPS=apps + ['allauth', 'allauth.account', 'allauth.socialaccount', 'allauth.socialaccount.providers.mediawiki'],
  MIDDLEWARE=['django.contrib.sessions.middleware.SessionMiddleware', 'django.contrib.auth.middleware.AuthenticationMiddleware', 'django.contrib.messages.middleware.MessageMiddleware'],
  TEMPLATES=[{'BACKEND': 'django.template.backends.django.DjangoTemplates', 'APP_DIRS': True, 'OPTIONS': {'context_processors': ['django.template.context_processors.request', 'django.contrib.auth.context_processors.auth', 'django.contrib.messages.context_processors.messages']}}],
  DATABASES={'default': {'ENGINE': 'django.db.backends.sqlite3', 'NAME': ':memory:'}},
  AUTHENTICATION_BACKENDS=['allauth.account.auth_backends.AuthenticationBackend'], ACCOUNT_EMAIL_VERIFICATION='none', LOGIN_REDIRECT_URL='/done',
  SOCIALACCOUNT_PROVIDERS={'mediawiki': {'REST_API': base + '/rest.php', 'APP': {'client_id': 'wiki', 'secret': 'wiki-secret', 'key': ''}}})
import types
urls = types.ModuleType('site_urls')
sys.modules['site_urls'] = urls
django.setup()
from django.urls import include, path
urls.urlpatterns = [path('accounts/', include('allauth.urls'))]
from django.core.management import call_command
call_command('migrate', verbosity=0)
from django.test import Client
from django.contrib.auth import get_user_model
from allauth.socialaccount.models import SocialAccount
browser = Client(HTTP_HOST='127.0.0.1')
print(browser.post('/accounts/mediawiki/login/')['Location'], flush=True)
back = urlsplit(sys.stdin.readline().strip())
answer = browser.get(back.path + '?' + back.query)
print(json.dumps({'status': answer.status_code, 'to': answer.get('Location'), 'users': [user.username for user in get_user_model().objects.all()],
  'uids': [account.uid for account in SocialAccount.objects.all()]}), flush=True)
`;

const withAllauth = pythonWith('allauth', 'django');

describeEngine('django-allauth with its provider for MediaWiki, unmodified', withAllauth.missing, () => {
  beforeAll(async () => {
    const client = {
      ...{ client_id: 'wiki', client_secret: 'wiki-secret', scope: 'basic' },
      redirect_uris: ['http://127.0.0.1/accounts/mediawiki/login/callback/'],
    };
    running = await start([client], {
      scopes: { basic: 'Know your name' },
      features: [
        mediaWikiProfile({
          user: (sub) => ({ username: `User ${sub}`, confirmed_email: true, email: ALICE.email }),
        }),
      ],
      paths: {
        authorize: ['/oauth/authorize', '/rest.php/oauth2/authorize'],
        token: ['/oauth/token', '/rest.php/oauth2/access_token'],
      },
    });
  });
  afterAll(() => running.close());

  test('O69: signs in, and the account has the name of the wiki', async () => {
    expect(await converse(withAllauth.program, ALLAUTH, running.base)).toMatchObject({
      ...{ status: 302, to: '/done', uids: ['alice'] },
    });
  });
});

const APACHE = findProgram('apache2') ?? (existsSync('/usr/sbin/apache2') ? '/usr/sbin/apache2' : undefined);
const MODULES = '/usr/lib/apache2/modules';
const noApache =
  APACHE === undefined || !existsSync(`${MODULES}/mod_auth_openidc.so`)
    ? 'there is no apache2 with mod_auth_openidc'
    : undefined;

describeEngine("Apache's mod_auth_openidc, unmodified", noApache, () =>
  describe.each(['query', 'form_post'])('response mode %s', (mode) => {
    const folder = mkdtempSync(join(tmpdir(), 'oauth-query-apache-'));
    let apache: ChildProcess;
    let base: string;

    beforeAll(async () => {
      const port = await freePort();
      base = `http://127.0.0.1:${port}`;
      running = await start([
        {
          ...{ client_id: 'apache', client_secret: 'apache-secret', redirect_uris: [`${base}/me/cb`], scope },
          post_logout_redirect_uris: [`${base}/bye`],
          backchannel_logout_uri: `${base}/me/cb?logout=backchannel`,
        },
      ]);
      mkdirSync(join(folder, 'html/me'), { recursive: true });
      writeFileSync(join(folder, 'html/me/index.html'), 'Hello');
      const modules = ['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'dir', 'headers', 'auth_openidc'];
      writeFileSync(
        join(folder, 'apache.conf'),
        `ServerRoot ${folder}
ServerName 127.0.0.1
Listen 127.0.0.1:${port}
PidFile ${folder}/pid
ErrorLog ${folder}/error.log
Mutex file:${folder}
DefaultRuntimeDir ${folder}
${modules.map((name) => `LoadModule ${name}_module ${MODULES}/mod_${name}.so`).join('\n')}
${process.getuid?.() === 0 ? 'User www-data\nGroup www-data' : ''}
StartServers 1
DocumentRoot ${folder}/html
DirectoryIndex index.html
OIDCProviderMetadataURL ${running.base}/.well-known/openid-configuration
OIDCClientID apache
OIDCClientSecret apache-secret
OIDCRedirectURI ${base}/me/cb
OIDCCryptoPassphrase a-passphrase-of-this-test
OIDCScope "${scope}"
OIDCPKCEMethod S256
OIDCResponseMode ${mode}
OIDCUserInfoTokenMethod post_param
OIDCRemoteUserClaim sub
OIDCDefaultLoggedOutURL ${base}/bye
<Location /me>
AuthType openid-connect
Require valid-user
Header always set x-user "expr=%{REMOTE_USER}"
Header always set x-email "expr=%{req:OIDC_CLAIM_email}"
</Location>
`,
      );
      spawnSync('chmod', ['-R', 'a+rwX', folder]);
      apache = spawn(APACHE ?? '', ['-f', join(folder, 'apache.conf'), '-D', 'FOREGROUND'], { stdio: 'ignore' });
      await vi.waitFor(async () => expect((await new Client(base).get('/bye')).status).toBe(404), { timeout: 20_000 });
    });
    afterAll(async () => {
      apache.kill();
      await once(apache, 'exit');
      await running.close();
      rmSync(folder, { recursive: true, force: true });
    });

    const log = (): string => readFileSync(join(folder, 'error.log'), 'utf8');

    test('discovery, PKCE, nonce, userinfo by post, logging out there and, over the back channel, here', async () => {
      const [person, browser] = [new Client(base), new Browser(running)];
      // Only a browser is sent to sign in.
      const open = (path: string) => person.get(path, { accept: 'text/html' });
      const post = ({ action, fields }: ReturnType<typeof formOf>) =>
        person.post(action, fields, { accept: 'text/html' });
      const signIn = async (): Promise<void> => {
        const asked = await open('/me/');
        expect(asked.status, log()).toBe(302);
        const answer = await allow(browser, locationOf(asked));
        const done = await (mode === 'form_post' ? post(formOf(answer)) : open(locationOf(answer)));
        expect(done.status, log()).toBe(302);
      };
      await signIn();
      const page = await open('/me/');
      expect([page.status, page.headers['x-user'], page.headers['x-email']], log()).toEqual([
        200,
        'alice',
        ALICE.email,
      ]);
      // Its page for logging out goes through ours.
      const leaving = await open(`/me/cb?logout=${encodeURIComponent(`${base}/bye`)}`);
      const out = new URL(locationOf(leaving));
      expect(out.origin + out.pathname).toBe(`${running.base}/oauth/logout`);
      expect(locationOf(await browser.open(out.href))).toBe(`${base}/bye`);
      expect((await open('/me/')).status).toBe(302);
      await signIn();
      expect((await open('/me/')).status).toBe(200);
      // It finds its sessions by the sid, so it would not understand a logout token that only names the user.
      await browser.submit(await browser.open(`${running.base}/oauth/logout`));
      await vi.waitFor(async () => expect((await open('/me/')).status, log()).toBe(302), { timeout: 10_000 });
    });
  }),
);
