import { personalTokens } from 'oauth-query/personal-tokens';
import { afterEach, describe, expect, test } from 'vitest';
import type { Store } from '../../../src/core/base/ports.js';
import { everyRow } from '../../rows.js';
import { type Node, Nodes } from '../support/nodes.js';
import { refusal, type TokenSet } from '../support/tokens.js';

/** A store whose commands of a process can be carried out again, as a driver sends them twice, or for the first time after the process gave up. */
class Late {
  readonly store: Store;
  readonly #sent: (readonly [what: string, command: () => Promise<unknown>])[] = [];
  #lost: string | undefined;

  constructor(store: Store) {
    const send = async <T>(what: string, command: () => Promise<T>): Promise<T> => {
      this.#sent.push([what, command]);
      if (this.#lost === undefined || !what.includes(this.#lost)) return command();
      this.#lost = undefined;
      throw new Error('The store did not answer in time.');
    };
    this.store = {
      ...store,
      add: (...given) => send(`add ${given[0]}`, () => store.add(...given)),
      swap: (...given) => send(`swap ${given[0]}`, () => store.swap(...given)),
      delete: (key) => send(`delete ${key}`, () => store.delete(key)),
    };
  }

  /** Does not carry out the next such command. */
  lose(what: string): void {
    this.#lost = what;
  }

  /** Carries out such commands of the past, the older ones first. @returns how many. */
  async again(what: string): Promise<number> {
    const matching = this.#sent.filter(([name]) => name.includes(what));
    for (const [, command] of matching) await command();
    return matching.length;
  }
}

describe('what has ended stays ended, whatever the store carries out late or twice', () => {
  let nodes: Nodes;
  const start = async () => {
    nodes = new Nodes({
      lifetimes: { rememberedConsent: 86_400 },
      features: [personalTokens({ scopes: ['profile'], maxDays: 90 })],
    });
    const late = new Late(nodes.shared.store);
    return { late, node: await nodes.start({ between: () => late.store }), other: await nodes.start() };
  };
  afterEach(() => nodes.close());

  const everything = ({ access_token, refresh_token }: TokenSet): readonly string[] => [access_token, refresh_token];

  const expectEnded = async ({ flows }: Node, tokens: readonly string[]): Promise<void> => {
    expect(await flows.areActive(...tokens)).toEqual(tokens.map(() => false));
    for (const token of tokens) {
      expect((await flows.guarded('profile', token)).status).toBe(401);
      expect(refusal(await flows.refresh('web', token))).toEqual([400, 'invalid_grant']);
    }
  };

  test('an access token that was revoked before the command that wrote it was carried out', async () => {
    const { late, node, other } = await start();
    const { refresh_token } = await other.flows.tokens('web');
    late.lose('add ne63eh6_x7kjtopdILn4ZI:token:');
    expect((await node.flows.refresh('web', refresh_token)).status).toBe(503);
    const next = await other.flows.refreshed('web', refresh_token);
    await other.flows.revoke('web', next.access_token);
    expect(await late.again(':token:')).toBeGreaterThan(0);
    await expectEnded(other, [next.access_token]);
    expect((await other.flows.refreshed('web', next.refresh_token)).access_token).not.toBe(next.access_token);
  });

  test('access tokens of an owner and of a client itself, written again until their end', async () => {
    const { late, node, other } = await start();
    const tokens = await node.flows.tokens('web');
    const own = await node.flows.ownTokens();
    await other.flows.revoke('web', tokens.access_token);
    await other.flows.revoke('service', own.access_token);
    for (let minutes = 0; minutes < 70; minutes += 10) {
      await late.again('add');
      await expectEnded(other, [tokens.access_token, own.access_token]);
      nodes.shared.advance(600);
    }
    expect(nodes.keysOf('token', tokens.access_token)).toEqual([]);
  });

  /** How an owner or a client ends a grant. */
  const ENDS: Readonly<Record<string, (other: Node, tokens: TokenSet) => Promise<unknown>>> = {
    'the client revokes its refresh token': (other, { refresh_token }) => other.flows.revoke('web', refresh_token),
    'the host revokes the grant': ({ host }, { access_token }) => host.grants.revoke(access_token.slice(0, 22)),
    'the host disconnects the application': ({ host }) => host.grants.revoke({ sub: 'alice', client_id: 'web' }),
    'the host revokes all grants of the owner': ({ host }) => host.grants.revoke({ sub: 'alice' }),
    'the host revokes all grants of the client': ({ host }) => host.grants.revoke({ client_id: 'web' }),
    'the owner is erased': ({ host }) => host.owners.erase('alice'),
  };

  test('a grant, whichever way it was ended, and whichever commands that wrote it come again', () =>
    everyRow(Object.entries(ENDS), async ([, end]) => {
      const { late, node, other } = await start();
      const code = await node.flows.code('web');
      const tokens = (await node.flows.redeem('web', code)).json as unknown as TokenSet; // Of a fresh code.
      await end(other, tokens);
      for (const what of [':connection:', ':grant:', ':chain:', 'add', 'swap']) {
        expect(await late.again(what)).toBeGreaterThan(0);
        await expectEnded(other, everything(tokens));
      }
      expect(refusal(await other.flows.redeem('web', code))).toEqual([400, 'invalid_grant']);
      expect((await other.host.grants.list({ sub: 'alice' })).grants).toEqual([]);
      expect(await other.host.grants.apps({ sub: 'alice' })).toEqual([]);
      nodes.shared.advance(100 * 86_400);
      await late.again('add');
      await expectEnded(other, everything(tokens));
    }));

  test('the command that disconnects an application ends nothing that was connected after it', async () => {
    const { late, node, other } = await start();
    const before = await other.flows.tokens('web');
    await node.host.grants.revoke({ sub: 'alice', client_id: 'web' });
    const after = await other.flows.tokens('web');
    expect(await late.again(':connection:')).toBeGreaterThan(0);
    expect(await other.flows.areActive(...everything(after))).toEqual([true, true]);
    await expectEnded(other, everything(before));
    expect(await other.host.grants.apps({ sub: 'alice' })).toHaveLength(1);
  });

  test('a form that created a personal token creates no second one after that was revoked', async () => {
    const { node } = await start();
    const browser = node.flows.browser('alice');
    await browser.device();
    const { text } = await browser.open('/oauth/tokens');
    const [, scope = ''] = /name="(scope_[^"]+)"/.exec(text) ?? [];
    const form = { text: text.slice(text.lastIndexOf('<form')) };
    const create = () => browser.submit(form, { name: 'backup', [scope]: '1', days: '30', decision: 'create' });
    await create();
    const [{ grant_id } = { grant_id: '' }] = (await node.host.grants.list({ sub: 'alice' })).grants;
    expect(await node.host.grants.revoke(grant_id)).toBe(1);
    const again = await create();
    expect(again.status).toBeLessThan(500);
    expect((await node.host.grants.list({ sub: 'alice' })).grants).toEqual([]);
    expect(node.errors).toEqual([]);
  });
});
