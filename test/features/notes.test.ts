import { feature, type OwnerRoute } from 'oauth-query/feature';
import { oauthQuery } from 'oauth-query/fetch';
import { german, type PageLanguage } from 'oauth-query/languages';
import { memoryStore } from 'oauth-query/stores/memory';
import { beforeAll, describe, expect, test } from 'vitest';
import { hostFor, useHost } from '../hosts.js';
import { Browser, isSignIn, locationOf, wordsOf } from '../oauth/support/browser.js';
import { fixture, USERS } from '../oauth/support/fixture.js';
import { notes } from './notes.js';

const [ALICE, BOB] = USERS;
const saved = new Map([['alice', 'a <b> "c"']]);
/** The proof in a query, as the page judges it. */
const proofs: (boolean | string)[] = [];
const proving = feature({
  name: 'proving',
  start: ({ ownerRoute }) => ({
    routes: [
      ownerRoute({
        path: '/oauth/proving',
        texts: {},
        fields: {},
        GET: ({ request, frame, proofOf, isProof }) => {
          const proof = new URLSearchParams(request.query).get('proof') ?? '';
          proofs.push(isProof(proof, ['a', 'b']), proofOf(['a', 'b']), isProof(proof, ['a', 'c']));
          return frame.respond({ title: 'x', body: frame.language.html('cancel') });
        },
        POST: ({ frame }) => frame.respond({ title: 'x', body: frame.language.html('cancel') }),
      } satisfies OwnerRoute<{}>),
    ],
  }),
});

const dutch: PageLanguage = {
  ...german,
  locale: 'nl',
  features: { notes: { note: 'Uw notitie', save: 'Opslaan' } },
};

describe.each(hostFor(import.meta.url))('the page of a feature on $name', ({ start }) => {
  const { options, errors } = fixture({ languages: [dutch, german] });
  const host = useHost({ start }, { options: { ...options, features: [notes(saved), proving] } }, errors);
  let alice: Browser;
  let path = '';
  beforeAll(async () => {
    path = `${host.base}/oauth/note`;
    alice = new Browser(host);
    await alice.signIn(await alice.open(path), ALICE);
  });

  const submit = (browser: Browser, fields: Readonly<Record<string, string>>) =>
    browser.submit({ text: `<form method="post" action="${new URL(path).pathname}"></form>` }, fields);
  const tokenOf = (text: string): string => / name="form_token" value="([^"]*)"/.exec(text)?.[1] ?? '';

  test('signs the user in, saves what this user sends, and signs out', async () => {
    const browser = new Browser(host);
    const signIn = await browser.open(path);
    expect(isSignIn(signIn)).toBe(true);
    const page = await browser.follow(await browser.signIn(signIn, ALICE));
    expect(page.text).toContain('value="a &lt;b&gt; &quot;c&quot;"');
    const form_token = tokenOf(page.text);
    const answer = await submit(browser, { form_token, note: 'tea' });
    expect([answer.status, locationOf(answer), saved.get('alice')]).toEqual([303, new URL(path).pathname, 'tea']);
    await submit(browser, { form_token, decision: 'sign_out' });
    expect(isSignIn(await browser.open(path))).toBe(true);
  });

  test('refuses forms of another session, another user and another page, and fields with control characters', async () => {
    const form_token = tokenOf((await alice.open(path)).text);
    const other = new Browser(host);
    await other.signIn(await other.open(path), ALICE);
    const bob = new Browser(host);
    await bob.signIn(await bob.open(path), BOB);
    const ofGrants = tokenOf((await alice.open(`${host.base}/oauth/grants`)).text);
    const before = saved.get('alice');
    for (const [browser, token] of [
      [other, form_token],
      [bob, form_token],
      [alice, ''],
      [alice, ofGrants],
    ] as const)
      expect((await submit(browser, { form_token: token, note: 'x' })).status).toBe(403);
    expect((await submit(alice, { form_token, note: 'a\u0000' })).status).toBe(400);
    expect([saved.get('alice'), saved.has('bob')]).toEqual([before, false]);
  });

  test('has its texts in the languages that have them under its name', async () => {
    expect(wordsOf(await alice.open(`${path}?ui_locales=nl`))).toContain('Uw notitie');
    expect(wordsOf(await alice.open(`${path}?ui_locales=de`))).toContain('Uw notitie');
  });

  test('a proof holds in its session, for its page and its words', async () => {
    const at = `${host.base}/oauth/proving`;
    await alice.open(at);
    const [, proof = ''] = proofs;
    const bob = new Browser(host);
    await bob.signIn(await bob.open(at), BOB);
    proofs.length = 0;
    await alice.open(`${at}?proof=${String(proof)}`);
    await bob.open(`${at}?proof=${String(proof)}`);
    expect([proofs[0], proofs[2], proofs[3]]).toEqual([true, false, false]);
  });
});

test('a form of one user is refused from another in the same browser, where the application signs users in', async () => {
  const issuer = 'http://127.0.0.1:3000';
  const oauth = oauthQuery({
    issuer,
    store: memoryStore(),
    owner: (request) => ({ sub: request.headers.get('x-user') ?? '' }),
    loginUrl: '/login',
    onWarning: () => undefined,
    features: [notes(saved)],
  });
  const url = `${issuer}/oauth/note`;
  const page = await oauth.fetch(new Request(url, { headers: { 'x-user': 'carol' } }));
  const cookie = page?.headers.get('set-cookie')?.split(';')[0] ?? '';
  const [, form_token = ''] = / name="form_token" value="([^"]*)"/.exec((await page?.text()) ?? '') ?? [];
  const send = (user: string) => {
    const body = new URLSearchParams({ form_token, note: user });
    return oauth.fetch(new Request(url, { method: 'POST', headers: { 'x-user': user, cookie }, body }));
  };
  expect([(await send('dave'))?.status, (await send('carol'))?.status]).toEqual([403, 303]);
  expect([saved.has('dave'), saved.get('carol')]).toEqual([false, 'carol']);
});

test('a language with wrong texts of a feature is an error at the start', () => {
  const { options } = fixture({ languages: [{ ...dutch, features: { notes: { note: 'Uw notitie' } } }] });
  const { start } = hostFor(import.meta.url)[0] ?? {};
  return expect(async () => start?.({ options: { ...options, features: [notes(saved)] } })).rejects.toThrow(
    'The language nl: features.notes lacks save',
  );
});
