import { readFileSync } from 'node:fs';
import { personalTokens } from 'oauth-query/personal-tokens';
import { describe, expect, test } from 'vitest';
import type { Store } from '../../../src/core/base/ports.js';
import { type ExpiringRecord, Records, type Shape } from '../../../src/core/base/records.js';
import { KINDS } from '../../../src/core/server/capabilities.js';
import { memoryStore } from '../../../src/stores/memory.js';
import type { Answer } from '../../hosts.js';
import { everyRow } from '../../rows.js';
import { formOf, wordsOf } from '../support/browser.js';
import { START } from '../support/fixture.js';
import { type Node, Nodes } from '../support/nodes.js';
import { type DeviceCodes, type TokenSet } from '../support/tokens.js';

/** What the clients and the browser of a version held, when it was replaced. */
interface Held {
  readonly refreshed: TokenSet;
  readonly current: TokenSet;
  readonly code: string;
  readonly revoked: string;
  readonly own: string;
  readonly waiting: DeviceCodes;
  readonly approved: DeviceCodes;
  readonly cookie: string;
}

type Row = readonly [key: string, value: { readonly exp: number }, groups: readonly string[]];

/**
 * What a version left in the store of `fixture`, in a run of its own: alice has signed in to web, refreshed once, and come back; her token of spa is
 * revoked. One device of hers waits, the other is allowed. Bob is signed out in his browser, dave everywhere.
 */
const writtenBy = (version: string): { readonly held: Held; readonly rows: readonly Row[] } => {
  const text = readFileSync(new URL(`written-by-${version}.jsonl`, import.meta.url), 'utf8');
  const [held, ...rows] = text
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
  return { held: held as Held, rows: rows as readonly Row[] }; // As the run wrote them.
};

const kindOf = ([key]: Row): keyof typeof KINDS => (key.split(':')[1] ?? '') as keyof typeof KINDS; // Some are of 0.2 only.

/** What a later version might write in place of everything that gives access. */
const unknownOf = ([key, { exp }, groups]: Row): Row => [key, { exp, ...{ shape: 'of a later version' } }, groups];

const VERSIONS = {
  '0.2': writtenBy('0.2'),
  '0.3': writtenBy('0.3'),
  unknown: {
    held: writtenBy('0.3').held,
    rows: writtenBy('0.3').rows.map((row) => (KINDS[kindOf(row)][0] === 'gives' ? unknownOf(row) : row)),
  },
};

const isFailure = (result: unknown): boolean => {
  if (typeof result !== 'object' || result === null || !('status' in result)) return false;
  const { status, headers, text } = result as Answer; // Only answers have a status.
  return status >= 500 || `${headers['location'] ?? ''} ${text}`.includes('server_error');
};

const filled = async (rows: readonly Row[]): Promise<{ readonly nodes: Nodes; readonly node: Node }> => {
  const nodes = new Nodes({
    lifetimes: { rememberedConsent: 86_400 },
    features: [personalTokens({ scopes: ['profile'], maxDays: 90 })],
  });
  for (const [key, value, groups] of rows) await nodes.shared.store.add(key, value, value.exp * 1000, groups);
  return { nodes, node: await nodes.start() };
};

const WHOLE = [200, true, [200, 200, 200, 200]] as const;

describe('records of another version', () => {
  test.each([
    ['0.2', [401, false, [400, 400, 400, 400]]],
    ['0.3', WHOLE],
    ['unknown', [401, false, [400, 400, 400, 400]]],
  ] as const)('%s: tokens work or get a clear answer', async (version, expected) => {
    const { held, rows } = VERSIONS[version];
    const { nodes, node } = await filled(rows);
    const { flows } = node;
    const { access_token, refresh_token } = held.current;
    const grants = [
      () => flows.refresh('web', refresh_token),
      () => flows.redeem('web', held.code),
      () => flows.poll('box', held.approved.device_code),
      () => flows.poll('tv', held.waiting.device_code),
    ];
    expect((await flows.guarded('profile', access_token)).status).toBe(expected[0]);
    expect(await flows.areActive(access_token)).toEqual([expected[1]]);
    const browser = flows.browser('alice');
    await flows.authorize('web'); // Signs in.
    const page = await browser.open(`/oauth/device?user_code=${held.waiting.user_code}`);
    const asked = await browser.submit(page);
    if (formOf(asked).buttons.includes('decision=approve')) await browser.submit(asked, { decision: 'approve' });
    const answers = [];
    for (const grant of grants) answers.push(await grant());
    expect(answers.map(({ status }) => status)).toEqual(expected[2]);
    for (const { status, json } of answers) if (status === 400) expect(json['error']).toBe('invalid_grant');
    expect(await flows.isActive(held.revoked)).toBe(false);
    expect(await flows.isActive(held.own)).toBe(version !== 'unknown');
    expect(node.errors).toEqual([]);
    await nodes.close();
  });

  test.each(Object.entries(VERSIONS))('%s: no endpoint and no function fails', async (_version, { held, rows }) => {
    const { nodes, node } = await filled(rows);
    const { flows, host } = node;
    const alice = { sub: 'alice' } as const;
    const texts = [held.current.access_token, held.current.refresh_token, held.refreshed.refresh_token, held.own];
    const browser = flows.browser('alice');
    const exported: unknown[] = [];
    const steps: Readonly<Record<string, () => Promise<unknown>>> = {
      list: () => host.grants.list(alice),
      'list of a client': () => host.grants.list({ client_id: 'web' }),
      apps: () => host.grants.apps(alice),
      export: async () => {
        for await (const record of host.owners.export('alice')) exported.push(record);
      },
      'an old cookie': async () => flows.client.get('/oauth/grants', { cookie: held.cookie }),
      'authorize, after an approval that was remembered': () => flows.authorize('web'),
      'authorize, which remembers one': () => flows.authorize('web'),
      'authorize again': async () => {
        const { headers } = await browser.authorize({
          response_type: 'code',
          client_id: 'web',
          redirect_uri: 'https://app.example/cb',
          code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
          code_challenge_method: 'S256',
        });
        expect(headers['location'], 'without a question').toContain('code=');
      },
      'page of applications': () => browser.open('/oauth/grants'),
      'page of tokens': () => browser.open('/oauth/tokens'),
      introspection: () => Promise.all(texts.map((text) => flows.introspect(text))),
      'a used refresh token': () => flows.refresh('web', held.refreshed.refresh_token),
      revocation: () => Promise.all(texts.map((text) => flows.revoke('web', text))),
      polls: async () => [
        await flows.poll('tv', held.waiting.device_code),
        await flows.poll('tv', held.waiting.device_code),
      ],
      'sign-in of an owner who was signed out': () => flows.authorize('web', {}, 'dave'),
      'sign-out': () => host.owners.signOut('alice'),
      forgetConsent: () => host.grants.forgetConsent({ ...alice, client_id: 'web' }),
      revoke: () => host.grants.revoke({ ...alice, client_id: 'web' }),
      'revoke of a client': () => host.grants.revoke({ client_id: 'spa' }),
      'revoke of an owner': () => host.grants.revoke(alice),
      erase: () => host.owners.erase('alice'),
    };
    const failed: unknown[] = [];
    for (const [name, step] of Object.entries(steps)) {
      try {
        for (const answer of [await step()].flat()) if (isFailure(answer)) failed.push([name, answer]);
      } catch (error) {
        failed.push([name, error]);
      }
    }
    expect(failed).toEqual([]);
    expect(node.errors).toEqual([]);
    const left = [...nodes.shared.store.entries()].filter(([, value]) => JSON.stringify(value).includes('alice'));
    expect(left, 'after the erasure').toEqual([]);
    await nodes.close();
  });

  /** Replaces every record of a kind. */
  const replace = async ({ shared: { store } }: Nodes, kind: string, change: (value: object) => object) => {
    const found = [...store.entries()].filter(([key]) => key.includes(`:${kind}:`));
    for (const [key, value] of found) {
      const { exp } = value as { readonly exp: number }; // As every record.
      await store.delete(key);
      await store.add(key, change({ ...value }), exp * 1000);
    }
    expect(found.length, kind).toBeGreaterThan(0);
  };
  const begun = async () => {
    const nodes = new Nodes();
    const node = await nodes.start();
    const browser = node.flows.browser('alice');
    await node.flows.authorize('web'); // Signs in.
    const isSignedIn = async () => !('password' in formOf(await browser.open('/oauth/grants')).fields);
    expect(await isSignedIn()).toBe(true);
    const ask = () =>
      browser.authorize({
        response_type: 'code',
        client_id: 'web',
        redirect_uri: 'https://app.example/cb',
        code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
        code_challenge_method: 'S256',
      });
    return { nodes, node, browser, ask, isSignedIn };
  };

  test('a sign-out of which only the revision can be read: its owner is signed out, and can sign in', async () => {
    const { nodes, node, isSignedIn } = await begun();
    const { flows } = node;
    await node.host.owners.signOut('alice');
    await replace(nodes, 'signed-out', (value) => ({ exp: Reflect.get(value, 'exp'), rev: Reflect.get(value, 'rev') }));
    expect(await isSignedIn(), 'the old session').toBe(false);
    expect((await flows.tokens('web')).access_token).toEqual(expect.any(String));
    await node.host.owners.signOut('alice');
    expect(node.errors).toEqual([]);
    await nodes.close();
  });

  test('a sign-out of which nothing can be read: its owner is signed out, and can sign in after owners.signOut', async () => {
    const { nodes, node, isSignedIn } = await begun();
    const { flows } = node;
    await node.host.owners.signOut('alice');
    await replace(nodes, 'signed-out', (value) => ({ exp: Reflect.get(value, 'exp'), damaged: true }));
    expect(await isSignedIn(), 'the old session').toBe(false);
    await expect(flows.code('web')).rejects.toThrow();
    expect(node.errors.splice(0).map(String)).toContainEqual(expect.stringContaining('Call owners.signOut'));
    await node.host.owners.signOut('alice');
    expect(await isSignedIn(), 'the old session').toBe(false);
    expect((await flows.tokens('web')).access_token).toEqual(expect.any(String));
    expect(node.errors).toEqual([]);
    await nodes.close();
  });

  test('the pace of a device: it begins again', async () => {
    const { nodes, node } = await begun();
    const { flows } = node;
    const { device_code } = await flows.device('tv');
    const poll = async () => (await flows.poll('tv', device_code)).json['error'];
    expect(await poll()).toBe('authorization_pending');
    await replace(nodes, 'pace', (value) => ({ exp: Reflect.get(value, 'exp'), damaged: true }));
    expect([await poll(), await poll()]).toEqual(['authorization_pending', 'slow_down']);
    expect(node.errors).toEqual([]);
    await nodes.close();
  });

  test('a decision about an application: it was made, and the next one can be', async () => {
    const { nodes, node, browser, ask } = await begun();
    const page = await ask();
    expect((await browser.submit(page, { decision: 'approve' })).headers['location']).toContain('code=');
    await replace(nodes, 'consent-decision', (value) => ({ exp: Reflect.get(value, 'exp'), damaged: true }));
    const again = await browser.submit(page, { decision: 'approve' });
    expect([again.status, again.headers['location']]).toEqual([400, undefined]);
    expect(wordsOf(again)).toContain('already');
    expect((await browser.submit(await ask(), { decision: 'approve' })).headers['location']).toContain('code=');
    expect(node.errors).toEqual([]);
    await nodes.close();
  });

  test('a damaged part of a chain: its grant and the others are listed, and it can be revoked', async () => {
    const nodes = new Nodes();
    const node = await nodes.start();
    const { flows, host } = node;
    const { refresh_token } = await flows.refreshed('native', (await flows.tokens('native')).refresh_token);
    await flows.tokens('web');
    await replace(nodes, 'chain', (value) => {
      const last: unknown = Reflect.get(value, 'last');
      return typeof last === 'string' ? { ...value, last: last.slice(0, 50) } : value;
    });
    const { grants } = await host.grants.list({ sub: 'alice' });
    expect(new Map(grants.map(({ client_id, last_refreshed }) => [client_id, last_refreshed]))).toEqual(
      new Map([
        ['native', undefined],
        ['web', undefined],
      ]),
    );
    expect((await host.grants.apps({ sub: 'alice' })).map(({ client_id }) => client_id).toSorted()).toEqual([
      'native',
      'web',
    ]);
    expect(await host.grants.revoke({ sub: 'alice', client_id: 'native' })).toBe(1);
    expect(await flows.isActive(refresh_token)).toBe(false);
    expect((await host.grants.list({ sub: 'alice' })).grants.map(({ client_id }) => client_id)).toEqual(['web']);
    expect(node.errors).toEqual([]);
    await nodes.close();
  });

  test('the table: what gives access is missing and makes way, what takes it away is there', async () => {
    const clock = (): number => START;
    const exp = START / 1000 + 60;
    const known = new Set(VERSIONS['0.3'].rows.map(kindOf));
    await everyRow(Object.entries(KINDS), async ([kind, [effect, of]]) => {
      const shape: Shape<ExpiringRecord> = of;
      const store: Store = memoryStore({ clock });
      const records = new Records(store, clock, '', KINDS);
      const key = `${kind}:{x}`;
      await records.add(key, { exp, later: true });
      const isMark = Object.keys(shape).join() === 'exp';
      if (effect === 'gives') {
        expect(await records.get(key, shape)).toBeUndefined();
        expect(await records.getMany([key], shape)).toEqual([undefined]);
      } else if (isMark) expect(await records.get(key, shape)).toEqual({ exp, later: true });
      else await expect(records.get(key, shape)).rejects.toThrow(`invalid record for ${kind}`);
      expect(await records.add(key, { exp }), 'a new one').toBe(effect === 'gives');
      if (!['assertion', 'proof', 'limit'].includes(kind)) expect(known, 'the data above').toContain(kind);
    });
  });
});
