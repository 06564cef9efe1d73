import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientDocuments } from '../../src/clients/index.js';
import { wordsOf } from '../oauth/support/browser.js';
import { Application } from './support/application.js';
import { type NotesServer, startNotes } from './support/notes-server.js';
import { Person } from './support/person.js';
import { type Sdk, SDKS } from './support/sdks.js';

const UNAUTHORIZED = /unauthorized/i;

/** The whole way from a refusal to a connection: the application is sent to the page, its owner allows it. */
const connected = async ({ connect }: Sdk, server: NotesServer, application: Application, person: Person) => {
  const first = connect(server.mcp, application);
  await expect(first.open()).rejects.toThrow(UNAUTHORIZED);
  await first.finish(await person.allowFor(application));
  await first.close();
  const second = connect(server.mcp, application);
  await second.open();
  return second;
};

describe.each(SDKS)('$name', (sdk) => {
  let server: NotesServer;
  let person: Person;

  beforeAll(async () => {
    server = await startNotes();
    person = new Person(server.base);
  });
  afterAll(() => server.close());

  test('M1 M9 M18 M40 gets from a 401 to a tool: discovery, registration, consent, code, call', async () => {
    const application = new Application({ client_name: 'Notes reader' });
    const from = server.requests.length;
    const connection = await connected(sdk, server, application, person);
    const requests = server.requests.slice(from);
    expect(requests[0]).toBe('POST /mcp');
    expect(requests).toContain('GET /.well-known/oauth-protected-resource/mcp');
    expect(requests).toContain('GET /.well-known/oauth-authorization-server');
    expect(requests).toContain('POST /oauth/register');
    expect(application.registered?.client_id).toMatch(/^reg\./);
    expect(await connection.call('list_notes')).toContain('Feed the rabbit');
    await connection.close();
  });

  test('M19 M22 requests the resource with S256 and the scopes of the challenge, and gets exactly those', async () => {
    const application = new Application();
    const connection = sdk.connect(server.mcp, application);
    await expect(connection.open()).rejects.toThrow(UNAUTHORIZED);
    const query = application.sentTo!.searchParams;
    expect(query.get('code_challenge_method')).toBe('S256');
    expect(query.get('resource')).toBe(server.mcp);
    const page = await person.open(application.sentTo!);
    expect(wordsOf(page)).toContain('Read your notes');
    await connection.finish(await person.allowFor(application));
    await connection.close();
    // The old one asks for the scopes of its own metadata alone; without any it gets what it may have.
    if (sdk.stepsUp !== 'never') expect(application.stored?.scope).toBe('notes.read');
  });

  test.each(['client_secret_post', 'client_secret_basic'])(
    'M40 registers with %s, gets none, and works without a secret',
    async (token_endpoint_auth_method) => {
      const application = new Application({ token_endpoint_auth_method });
      const connection = await connected(sdk, server, application, person);
      expect(application.registered).not.toHaveProperty('client_secret');
      expect(await connection.call('list_notes')).toContain('Feed the rabbit');
      application.stored = { ...application.stored!, access_token: 'expired' };
      expect(await connection.call('list_notes')).toContain('Feed the rabbit');
      await connection.close();
    },
  );

  test('M43 refreshes when its token is rejected, without its owner', async () => {
    const application = new Application();
    const connection = await connected(sdk, server, application, person);
    const { stored } = application;
    application.stored = { ...stored!, access_token: 'expired' };
    expect(await connection.call('list_notes')).toContain('Feed the rabbit');
    expect(application.sentTo).toBeUndefined();
    expect(application.stored.refresh_token).not.toBe(stored?.refresh_token);
    await connection.close();
  });

  test('M42 registers again if its client is no longer known', async () => {
    const application = new Application();
    const connection = await connected(sdk, server, application, person);
    await connection.close();
    application.registered = { ...application.registered!, client_id: `${application.registered!.client_id}AAAA` };
    application.stored = { ...application.stored!, access_token: 'expired' };
    const again = await connected(sdk, server, application, person);
    expect(application.registered?.client_id).not.toContain('AAAA');
    expect(await again.call('list_notes')).toContain('Feed the rabbit');
    await again.close();
  });

  test('sends its owner to the consent page again after a disconnect', async () => {
    const application = new Application();
    const connection = await connected(sdk, server, application, person);
    expect(await server.oauth.grants.revoke({ sub: 'alice', client_id: application.registered!.client_id })).toBe(1);
    await expect(connection.call('list_notes')).rejects.toThrow(UNAUTHORIZED);
    expect(application.sentTo?.pathname).toBe('/oauth/authorize');
    expect(application.invalidated).toContain('tokens');
    await connection.close();
  });

  test("M20 receives the owner's denial, with the issuer", async () => {
    const application = new Application();
    const connection = sdk.connect(server.mcp, application);
    await expect(connection.open()).rejects.toThrow(UNAUTHORIZED);
    const { searchParams } = await person.answer(application.sentTo!, 'deny');
    expect(searchParams.get('error')).toBe('access_denied');
    expect(searchParams.getAll('iss')).toEqual([server.base]);
    expect(searchParams.get('state')).toBe(application.expectedState);
    await connection.close();
  });

  // The old one knows no documents.
  if (sdk.stepsUp !== 'never')
    test('M28 M30 M43 uses its document if the server supports that, registers nothing, and refreshes', async () => {
      const address = 'https://app.example.org/client.json';
      const application = new Application();
      application.clientMetadataUrl = address;
      const fetched: string[] = [];
      const clients = clientDocuments({
        trust: ['app.example.org'],
        fetch: (asked) => {
          fetched.push(asked);
          return { client_id: address, ...application.clientMetadata };
        },
      });
      const documents = await startNotes({ clients });
      const connection = await connected(sdk, documents, application, new Person(documents.base));
      expect(await connection.call('list_notes')).toContain('Feed the rabbit');
      expect(application.registered?.client_id).toBe(address);
      expect(documents.requests).not.toContain('POST /oauth/register');
      application.stored = { ...application.stored!, access_token: 'expired' };
      expect(await connection.call('list_notes')).toContain('Feed the rabbit');
      expect(fetched).toEqual([address]);
      await connection.close();
      documents.close();
    });

  if (sdk.stepsUp !== 'never')
    test('M13 requests more scopes if a tool needs them, and keeps those it has', async () => {
      const application = new Application();
      const connection = await connected(sdk, server, application, person);
      if (sdk.stepsUp === 'without a refresh token') delete application.stored?.refresh_token;
      await expect(connection.call('add_note', { note: 'Paint the roses' })).rejects.toThrow();
      const scopes = application.sentTo?.searchParams.get('scope')?.split(' ').toSorted();
      expect(scopes).toEqual(['notes.read', 'notes.write']);
      expect(application.sentTo?.searchParams.get('client_id')).toBe(application.registered?.client_id);
      await connection.finish(await person.allowFor(application));
      await connection.close();
      const again = sdk.connect(server.mcp, application);
      await again.open();
      expect(await again.call('add_note', { note: 'Paint the roses' })).toBe('Added.');
      expect(await again.call('list_notes')).toContain('Paint the roses');
      await again.close();
    });

  if (sdk.stepsUp === 'without a refresh token')
    test('M13 reports missing scopes to its user after a refresh', async () => {
      const application = new Application();
      const connection = await connected(sdk, server, application, person);
      await expect(connection.call('add_note', { note: 'x' })).rejects.toThrow('403 after trying upscoping');
      expect(application.sentTo).toBeUndefined();
      expect(await connection.call('list_notes')).toContain('Feed the rabbit');
      await connection.close();
    });

  test('M24 connects to a server at the root, with or without the trailing slash', async () => {
    const root = await startNotes({}, '/');
    const application = new Application();
    const connection = await connected(sdk, root, application, new Person(root.base));
    expect(await connection.call('list_notes')).toContain('Feed the rabbit');
    await connection.close();
    root.close();
  });
});
