import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { oauthQuery } from 'oauth-query/fetch';
import { openStore } from 'oauth-query/stores/open';
import { expect, onTestFinished, test } from 'vitest';
import { bundleOf } from '../bundle.js';
import { sendRaw } from '../hosts/raw.js';
import { describeEngine } from '../stores/engines/availability.js';
import { noSqlite } from '../stores/engines/sqlite.js';
import { stillOptions } from './still-options.js';

const VERIFIER = 'v'.repeat(43);
const CALLBACK = 'https://app.example/cb';
/** Longer than any busy process is late. */
const STANDSTILL_MS = 5_200;

type Form = Readonly<Record<string, string>>;

const bodyOf = (form: Form): string => new URLSearchParams({ client_id: 'app', ...form }).toString();
const redemption = (code: string): Form => ({
  grant_type: 'authorization_code',
  code,
  redirect_uri: CALLBACK,
  code_verifier: VERIFIER,
});
const refresh = (refresh_token: string): Form => ({ grant_type: 'refresh_token', refresh_token });

/** Sends a form, and keeps the connection open until the server closes it. Resolves to the status. */
const statusAt = async (port: number, form: Form): Promise<number> => {
  const body = bodyOf(form);
  const head = `POST /oauth/token HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded`;
  const answer = await sendRaw(`http://127.0.0.1:${port}`, `${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  return Number(answer.slice('HTTP/1.1 '.length).slice(0, 3));
};

describeEngine('a process that stood still', noSqlite, () => {
  test('it judges no code and no refresh token that its clients have used elsewhere meanwhile, on every host', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'oauth-query-'));
    const file = join(directory, 'oauth.db');
    const child = spawn(process.execPath, [await bundleOf('test/adapters/still-process.ts'), file], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => {
      child.kill('SIGKILL');
      rmSync(directory, { recursive: true, force: true });
    });
    const [line] = await once(createInterface(child.stdout), 'line');
    const ports: readonly number[] = JSON.parse(String(line));

    const store = await openStore(`sqlite:${file}`);
    onTestFinished(() => store.close());
    const oauth = oauthQuery(stillOptions(store) as Parameters<typeof oauthQuery>[0]); // `owner` reads no request.
    const newCode = async (): Promise<string> => {
      const asked = new URLSearchParams({
        response_type: 'code',
        client_id: 'app',
        redirect_uri: CALLBACK,
        code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
        code_challenge_method: 'S256',
      });
      const { headers } = await oauth.handler(new Request(`http://127.0.0.1:9/oauth/authorize?${asked.toString()}`));
      return new URL(headers.get('location') ?? '').searchParams.get('code') ?? '';
    };
    const tokens = async (form: Form): Promise<{ access_token: string; refresh_token: string }> => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const answer = await oauth.handler(
        new Request('http://127.0.0.1:9/oauth/token', { method: 'POST', headers, body: bodyOf(form) }),
      );
      expect(answer.status).toBe(200);
      return answer.json();
    };

    const codes = await Promise.all(ports.map(newCode));
    const first = await Promise.all(ports.map(async () => tokens(redemption(await newCode()))));
    child.kill('SIGSTOP');
    const begin = performance.now();
    const late = ports.flatMap((port, n) => [
      statusAt(port, redemption(codes[n] ?? '')),
      statusAt(port, refresh(first[n]?.refresh_token ?? '')),
    ]);
    const held = await Promise.all(
      ports.flatMap((_, n) => [tokens(redemption(codes[n] ?? '')), tokens(refresh(first[n]?.refresh_token ?? ''))]),
    );
    await wait(STANDSTILL_MS - (performance.now() - begin)); // A standstill takes its time.
    child.kill('SIGCONT');

    expect(await Promise.all(late)).toEqual(late.map(() => 503));
    const isActive = async (token: string): Promise<boolean> =>
      (await oauth.check.any(token)).authorization !== undefined;
    const alive = (): Promise<boolean[]> => Promise.all(held.map(({ access_token }) => isActive(access_token)));
    expect(await alive()).toEqual(held.map(() => true));

    // A client that waits is judged, as ever.
    const again = (n: number): Promise<number> => statusAt(ports[n] ?? 0, redemption(codes[n] ?? ''));
    await expect
      .poll(() => Promise.all(ports.map((_, n) => again(n))), { timeout: 20_000, interval: 200 })
      .toEqual(ports.map(() => 400));
    expect(await alive()).toEqual(held.map((_, n) => n % 2 === 1));
  });
});
