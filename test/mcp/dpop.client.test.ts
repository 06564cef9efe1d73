import { DpopSession } from '@modelcontextprotocol/client';
import { dpop } from 'oauth-query/dpop';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Client } from '../hosts.js';
import { Application } from './support/application.js';
import { type NotesServer, startNotes } from './support/notes-server.js';
import { Person } from './support/person.js';
import { SDKS } from './support/sdks.js';

/** An application that has a key. */
class KeyHolder extends Application {
  readonly #session = DpopSession.create();

  dpop(): Promise<DpopSession> {
    return this.#session;
  }
}

const [current, ...older] = SDKS;

describe.each(['offered', 'required'] as const)('@modelcontextprotocol/client 2 with a key, nonces %s', (nonce) => {
  let server: NotesServer;
  let person: Person;
  beforeAll(async () => {
    server = await startNotes({ features: [dpop({ nonce })] });
    person = new Person(server.base);
  });
  afterAll(() => server.close());

  const connected = async (sdk: (typeof SDKS)[number] | undefined, application: Application) => {
    if (sdk === undefined) throw new Error('no SDK');
    const first = sdk.connect(server.mcp, application);
    await expect(first.open()).rejects.toThrow(/unauthorized/i);
    await first.finish(await person.allowFor(application));
    await first.close();
    const second = sdk.connect(server.mcp, application);
    await second.open();
    return second;
  };

  const ask = (headers: Readonly<Record<string, string>>) =>
    new Client(server.origin).request('/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    });

  test('DP3, DP27, DP32 gets bound tokens, proves each request, answers nonces and refreshes', async () => {
    const application = new KeyHolder({ dpop_bound_access_tokens: true } as never);
    const connection = await connected(current, application);
    expect(application.stored?.token_type).toBe('DPoP');
    expect(await connection.call('list_notes')).toContain('Feed the rabbit');
    const stolen = application.stored?.access_token ?? '';
    expect((await ask({ authorization: `Bearer ${stolen}` })).status).toBe(401);
    expect((await ask({ authorization: `DPoP ${stolen}` })).status).toBe(401);
    const form = {
      grant_type: 'refresh_token',
      refresh_token: application.stored?.refresh_token ?? '',
      client_id: application.registered?.client_id ?? '',
    };
    expect((await new Client(server.origin).post('/oauth/token', form)).status).toBe(400);
    // What a thief tried has ended nothing.
    expect(await connection.call('list_notes')).toContain('Feed the rabbit');
    application.stored = { ...application.stored!, access_token: 'expired' };
    expect(await connection.call('list_notes')).toContain('Feed the rabbit');
    expect([application.sentTo, application.stored?.token_type]).toEqual([undefined, 'DPoP']);
    await connection.close();
  });

  test.each(older)('DP4 $name beside it goes on with a bearer token', async (sdk) => {
    const application = new Application();
    const connection = await connected(sdk, application);
    expect(application.stored?.token_type).toBe('Bearer');
    expect(await connection.call('list_notes')).toContain('Feed the rabbit');
    await connection.close();
  });
});
