import { describe, expect, test } from 'vitest';
import { type Answer, everyHost, useHost } from '../../hosts.js';
import { everyRow } from '../../rows.js';
import { Browser, formOf, locationOf, PKCE, wordsOf } from '../support/browser.js';
import { fixture } from '../support/fixture.js';
import { Flows } from '../support/tokens.js';

const CALLBACK = 'https://form.example/cb?keep=1';

/** Markup in all places where text of a request could end up. */
const HOSTILE = `"><script>alert(1)</script><input name='code' value="x`;

const CLIENTS = [
  { client_id: 'form', client_secret: 'form-secret', redirect_uris: [CALLBACK], scope: 'content.read' },
  {
    client_id: 'native-app',
    redirect_uris: ['com.example.app:/cb', 'http://127.0.0.1/cb', 'http://[::1]/cb'],
    scope: 'content.read',
  },
  {
    client_id: 'implicit',
    redirect_uris: ['https://implicit.example/cb'],
    grant_types: ['implicit'],
    scope: 'content.read',
  },
] as const;

const REQUEST = {
  response_type: 'code',
  response_mode: 'form_post',
  client_id: 'form',
  redirect_uri: CALLBACK,
  scope: 'content.read',
  state: HOSTILE,
  ...PKCE.request,
} as const;

const directivesOf = ({ headers }: Answer): readonly string[] => String(headers['content-security-policy']).split('; ');

// Whatever the host does with forms, headers and redirects.
describe.each(everyHost.filter(({ mount }) => mount !== 'parser'))('response_mode=form_post on $name', (host) => {
  const { options, errors, events } = fixture({
    clients: CLIENTS,
    grants: ['authorization_code', 'implicit', 'refresh_token', 'client_credentials', 'device_code'],
  });
  const running = useHost(host, { options }, errors);

  test('the code comes in a form that is posted to the redirect URI, with state and iss, and works once', async () => {
    const page = await new Browser(running).authorizeFor(REQUEST);
    const { action, method, fields } = formOf(page);
    expect([page.status, action, method]).toEqual([200, CALLBACK, 'post']);
    expect(Object.keys(fields)).toEqual(['code', 'state', 'iss']);
    expect(fields).toMatchObject({ state: HOSTILE, iss: running.base });
    expect(page.headers).toMatchObject({ 'cache-control': 'no-store', 'x-frame-options': 'DENY' });
    expect(page.headers.location).toBeUndefined();
    const flows = new Flows(running, CLIENTS);
    const redeem = () =>
      flows.token('form', {
        grant_type: 'authorization_code',
        code: fields['code'] ?? '',
        redirect_uri: CALLBACK,
        code_verifier: PKCE.verifier,
      });
    expect((await redeem()).status).toBe(200);
    expect((await redeem()).json).toMatchObject({ error: 'invalid_grant' });
  });

  test('no text of a request becomes markup; only the script of the page may run, and a button does the same', async () => {
    const page = await new Browser(running).authorizeFor(REQUEST);
    expect(page.text.match(/<script>/g)).toHaveLength(1);
    expect(page.text.match(/<form /g)).toHaveLength(1);
    expect(page.text).toMatch(/<button>Continue<\/button>/);
    expect(wordsOf(page)).toContain('Back to form.example');
    const policy = directivesOf(page);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy.filter((directive) => directive.startsWith('script-src'))).toEqual([
      expect.stringMatching(/^script-src 'sha256-[A-Za-z0-9+/=]+'$/),
    ]);
    // Some browsers apply it to the redirects of the client too.
    expect(policy.some((directive) => directive.startsWith('form-action'))).toBe(false);
  });

  test('errors come in a form too, and are reported as ever', async () => {
    const seen = events.length;
    const [denied, scope] = [
      await new Browser(running).authorizeFor(REQUEST, { decision: 'deny' }),
      await new Browser(running).authorize({ ...REQUEST, scope: 'highvolume' }),
    ];
    expect(formOf(denied).fields).toMatchObject({ error: 'access_denied', state: HOSTILE, iss: running.base });
    expect(formOf(scope)).toMatchObject({ action: CALLBACK, fields: { error: 'invalid_scope', state: HOSTILE } });
    expect(events.slice(seen)).toContainEqual(expect.objectContaining({ type: 'authorization.refused' }));
  });

  test('what is no redirect URI of the client gets a page, and no form', async () => {
    const page = await new Browser(running).authorize({ ...REQUEST, redirect_uri: 'https://evil.example/cb' });
    expect([page.status, page.text.includes('<form')]).toEqual([400, false]);
  });

  test('only an https or loopback redirect URI can take a form; for others the error comes in the query', async () => {
    const native = { ...REQUEST, client_id: 'native-app', state: 's' };
    await everyRow(['http://127.0.0.1:4711/cb', 'http://[::1]:4711/cb'], async (redirect_uri) => {
      expect(formOf(await new Browser(running).authorizeFor({ ...native, redirect_uri })).action).toBe(redirect_uri);
    });
    const refused = await new Browser(running).authorize({ ...native, redirect_uri: 'com.example.app:/cb' });
    expect(locationOf(refused)).toMatch(/^com\.example\.app:\/cb\?error=invalid_request&/);
  });

  test('the implicit grant posts its token; without form_post, responses are redirects as before', async () => {
    const implicit = { response_type: 'token', client_id: 'implicit', scope: 'content.read', state: 's' };
    const page = await new Browser(running).authorizeFor({ ...implicit, response_mode: 'form_post' });
    expect(formOf(page)).toMatchObject({
      action: 'https://implicit.example/cb',
      fields: { token_type: 'Bearer', state: 's', access_token: expect.any(String) },
    });
    expect(locationOf(await new Browser(running).authorizeFor(implicit))).toMatch(/#access_token=/);
    const { response_mode: _, ...plain } = REQUEST;
    expect(locationOf(await new Browser(running).authorizeFor(plain))).toMatch(/&code=/);
    expect(locationOf(await new Browser(running).authorizeFor({ ...REQUEST, response_mode: 'other' }))).toMatch(
      /&code=/,
    );
  });
});
