import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bearer, Client } from '../hosts.js';
import { formOf } from '../hosts/form.js';
import { Application } from '../mcp/support/application.js';
import { SDKS } from '../mcp/support/sdks.js';
import { freePort } from '../stores/engines/daemon.js';
import { type Example, startExample } from './process.js';

const [sdk] = SDKS;
if (sdk === undefined) throw new Error('There is no SDK.');

/** Logs in at the application, and allows what the client asks for. */
const allow = async (base: string, address: URL): Promise<URL> => {
  const browser = new Client(base);
  const login = String((await browser.get(address.href)).headers.location);
  const signedIn = await browser.post(login, { username: 'alice', password: 'wonderland' });
  const page = (await browser.get(String(signedIn.headers.location))).text;
  expect(page).toContain('Read your notes');
  const consent = formOf(page, 'decision');
  const decided = await browser.post(consent.action, { ...consent.fields, decision: 'approve' });
  return new URL(String(decided.headers.location));
};

const start = async (file: string, environment: Readonly<Record<string, string>>): Promise<Example> => {
  const example = await startExample(`mcp/${file}.ts`, [], environment);
  await example.until(/Listening on/);
  return example;
};

/** Connects, calls both tools, and goes to the page again for the second. */
const useTools = async (mcp: string, login: string): Promise<Application> => {
  const application = new Application();
  const first = sdk.connect(mcp, application);
  await expect(first.open()).rejects.toThrow();
  await first.finish((await allow(login, application.sentTo!)).searchParams);
  await first.close();
  const second = sdk.connect(mcp, application);
  await second.open();
  expect(await second.call('list_notes')).toBe('Feed the rabbit');
  await expect(second.call('add_note', { note: 'Paint the roses' })).rejects.toThrow();
  expect(application.sentTo?.searchParams.get('scope')?.split(' ').toSorted()).toEqual(['notes.read', 'notes.write']);
  await second.finish((await allow(login, application.sentTo!)).searchParams);
  await second.close();
  const third = sdk.connect(mcp, application);
  await third.open();
  expect(await third.call('add_note', { note: 'Paint the roses' })).toBe('Added.');
  expect(await third.call('list_notes')).toBe('Feed the rabbit\nPaint the roses');
  await third.close();
  return application;
};

describe.each(['express', 'fastify', 'koa'])('examples/mcp/%s.ts', (framework) => {
  let example: Example;
  let base: string;
  beforeAll(async () => {
    const port = String(await freePort());
    base = `http://127.0.0.1:${port}`;
    example = await start(framework, { PORT: port });
  });
  afterAll(() => example.stop());

  test('signs users in for a client, which calls both tools', async () => {
    await useTools(`${base}/mcp`, base);
  });

  test('rejects requests without a token, names where to get one, and answers no GET', async () => {
    const refused = await new Client(base).get('/mcp');
    expect(refused.status).toBe(401);
    expect(refused.headers['www-authenticate']).toContain(
      `resource_metadata="${base}/.well-known/oauth-protected-resource/mcp"`,
    );
  });
});

describe('examples/mcp/resource-server.ts with examples/mcp/express.ts', () => {
  const examples: Example[] = [];
  afterAll(() => Promise.all(examples.map((example) => example.stop())));

  test('M17 accepts the tokens of the other process that are for it alone', async () => {
    const [port, otherPort] = [String(await freePort()), String(await freePort())];
    const [issuer, mcp] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${otherPort}/mcp`];
    examples.push(await start('express', { PORT: port, ELSEWHERE: mcp }));
    examples.push(await start('resource-server', { PORT: otherPort, ISSUER: issuer }));
    const { stored } = await useTools(mcp, issuer);
    expect((await new Client(issuer).get('/mcp', bearer(stored!.access_token))).status).toBe(401);
  });
});
