import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { bearer, Client } from '../hosts.js';
import { Application } from './support/application.js';
import { startNotes } from './support/notes-server.js';
import { Person } from './support/person.js';
import { SDKS } from './support/sdks.js';

const PROGRAM = fileURLToPath(new URL('support/refresh-once.mjs', import.meta.url));
const PROCESSES = 20;

interface Outcome {
  readonly result: string;
  readonly access_token: string;
  readonly refresh_token: string;
}

/** A process that waits for its start, and the lines that it prints. */
const waiting = async (parameters: readonly string[]) => {
  const child: ChildProcess = spawn(process.execPath, [PROGRAM, ...parameters], { stdio: ['pipe', 'pipe', 'ignore'] });
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe('ready');
  return async (): Promise<Outcome> => {
    const ended = once(child, 'close');
    child.stdin?.end('go\n');
    const { value } = await lines.next();
    await ended;
    return JSON.parse(String(value)) as Outcome;
  };
};

describe.each([
  ['@modelcontextprotocol/client', SDKS[0]],
  ['@modelcontextprotocol/sdk/client/auth.js', SDKS[1]],
])('%s', (module, sdk) => {
  test(`M44 ${PROCESSES} processes refresh one token at once, and all keep working`, async () => {
    const server = await startNotes();
    const application = new Application();
    const connection = sdk!.connect(server.mcp, application);
    await expect(connection.open()).rejects.toThrow();
    await connection.finish(await new Person(server.base).allowFor(application));
    await connection.close();
    const state = JSON.stringify({ client: application.registered, tokens: application.stored });
    const starts = await Promise.all(Array.from({ length: PROCESSES }, () => waiting([module, server.mcp, state])));
    const outcomes = await Promise.all(starts.map((start) => start()));
    expect(outcomes.map(({ result }) => result)).toEqual(Array.from({ length: PROCESSES }, () => 'AUTHORIZED'));
    expect(new Set(outcomes.map(({ refresh_token }) => refresh_token)).size).toBe(1);
    expect(outcomes[0]?.refresh_token).not.toBe(application.stored?.refresh_token);
    for (const { access_token } of outcomes) {
      const { status } = await new Client(server.base).get('/mcp', bearer(access_token));
      expect(status).toBe(405); // The guard let it pass; there is nothing to GET.
    }
    expect(server.events.filter(({ type }) => type === 'replay.detected')).toEqual([]);
    server.close();
  });
});
