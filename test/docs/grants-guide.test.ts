import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { beforeEach, describe, expect, test } from 'vitest';
import { hostFor, type RunningHost } from '../hosts.js';
import { Browser, formOf } from '../oauth/support/browser.js';
import { fixture } from '../oauth/support/fixture.js';
import { Flows } from '../oauth/support/tokens.js';
import { ROOT, DOCUMENTS } from './documents.js';

const PHOTOS = {
  client_id: 'photos',
  client_name: 'Photos',
  client_secret: 'photos-secret',
  redirect_uris: ['https://photos.example/cb'],
} as const;
const EMPLOYEE = { username: 'bob', password: 'builder', sub: 'employee-17' } as const;
const USERS = [{ username: 'alice', password: 'wonderland' }, EMPLOYEE] as const;

/** The code below a heading of users-and-administrators.md. */
const codeBelow = (heading: string): string => {
  const lines = readFileSync(join(ROOT, 'docs/users-and-administrators.md'), 'utf8').split('\n');
  const from = lines.indexOf(`## ${heading}`) + 1;
  const to = lines.findIndex((line, at) => at >= from && line.startsWith('## '));
  const blocks = DOCUMENTS.flatMap(({ blocks: all }) => all).filter(
    ({ document, lang, line }) =>
      document === 'docs/users-and-administrators.md' && lang === 'ts' && line > from && line <= to,
  );
  expect(blocks.length, `code below ${heading}`).toBe(1);
  return blocks[0]?.code ?? '';
};

describe.each(hostFor(import.meta.url))('the guides in users-and-administrators.md work, on $name', ({ start }) => {
  const { options } = fixture({ clients: [PHOTOS], users: USERS, lifetimes: { rememberedConsent: 86_400 } });
  let host: RunningHost;
  let flows: Flows;
  let alice: string;
  let bob: string;
  beforeEach(async () => {
    host = await start({ options });
    flows = new Flows(host, [PHOTOS]);
    alice = (await flows.tokens('photos')).access_token;
    bob = (await flows.tokens('photos', {}, 'bob')).access_token;
    return async () => {
      await Promise.all(USERS.map(({ username }) => host.owners.erase(username)));
      await host.close();
    };
  });

  /** Runs the code, and gives what it has printed. */
  const run = async (heading: string): Promise<readonly string[]> => {
    const { code } = transformSync(codeBelow(heading), { loader: 'ts', supported: { 'top-level-await': true } });
    const printed: string[] = [];
    const console = { log: (...texts: readonly unknown[]) => printed.push(texts.join(' ')) };
    const text = `export default async (oauth, console) => {${code}};`;
    const module: unknown = await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(text)}`);
    const { default: body } = module as { default: (...given: readonly unknown[]) => Promise<void> }; // As the text says.
    await body(host, console);
    return printed;
  };
  const isSignedIn = async (username: 'alice' | 'bob'): Promise<boolean> =>
    !('password' in formOf(await flows.browser(username).open(`${host.base}/oauth/grants`)).fields);

  test('connected applications', async () => {
    expect(await run('List connected applications')).toEqual([
      expect.stringMatching(/^Photos profile content\S* .*\d$/),
    ]);
    expect(await flows.areActive(alice, bob)).toEqual([false, true]);
  });

  test('every grant, a page at a time', async () => {
    const printed = await run('Page through all grants');
    expect(printed.map((line) => line.split(' ')[1] ?? '').toSorted()).toEqual(['alice', 'employee-17']);
  });

  test('an employee leaves', async () => {
    expect(await run('When an employee leaves')).toEqual(['1 grants revoked']);
    expect(await flows.areActive(alice, bob)).toEqual([true, false]);
    expect([await isSignedIn('alice'), await isSignedIn('bob')]).toEqual([true, false]);
  });

  test('a user asks for their data', async () => {
    const records = (await run('When a user asks for their data')).join('\n').split('\n');
    expect(records.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ type: 'connection', client_id: 'photos' }),
      expect.objectContaining({ type: 'grant', sub: 'alice', client_id: 'photos', redeemed: true }),
      expect.objectContaining({ type: 'consent', client_id: 'photos' }),
    ]);
  });

  test("a user's data is erased", async () => {
    expect(await run('When a user asks to be forgotten')).toEqual(['1 grants and 1 approvals erased']);
    expect(await flows.areActive(alice, bob)).toEqual([false, true]);
    expect([await isSignedIn('alice'), await isSignedIn('bob')]).toEqual([false, true]);
    expect(await new Browser(host).open(`${host.base}/oauth/grants`)).toMatchObject({ status: 200 });
  });

  test("a client's secret leaked", async () => {
    expect(await run("When a client's secret leaks")).toEqual([]);
    expect(await flows.areActive(alice, bob)).toEqual([false, false]);
  });
});
