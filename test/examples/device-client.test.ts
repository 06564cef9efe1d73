import { afterEach, describe, expect, test } from 'vitest';
import { authorizeDevice, type Invitation } from '../../examples/device-client/device-flow.js';
import { bearer, Client, oneHostEach, type RunningHost } from '../hosts.js';
import { formOf } from '../hosts/form.js';
import { startExample } from './process.js';

const running: RunningHost[] = [];
afterEach(async () => {
  for (const host of running.splice(0)) await host.close();
});

/** Types the code and decides, like a person with a browser; checks that both screens show the same. */
const decide = async (
  base: string,
  { address, userCode, fingerprint }: Invitation,
  decision: 'approve' | 'deny',
): Promise<void> => {
  expect(address).toBe(`${base}/oauth/device`);
  const browser = new Client(base);
  const origin = new Client(new URL(base).origin);
  const post = async (html: string, wanted: string, fields: Readonly<Record<string, string>>) => {
    const form = formOf(html, wanted);
    return browser.post(new URL(form.action, base).href, { ...form.fields, ...fields });
  };
  expect(origin.cookies.size).toBe(0);
  const login = await browser.get(address);
  const signedIn = await post(login.text, 'password', { username: 'alice', password: 'wonderland' });
  const codePage = await browser.get(new URL(String(signedIn.headers.location), base).href);
  const consentPage = await post(codePage.text, 'user_code', { user_code: userCode.toLowerCase() });
  expect(consentPage.text).toContain(fingerprint);
  const done = await post(consentPage.text, 'decision', { decision });
  expect(done.status).toBe(200);
};

describe.each(oneHostEach)('the device client against $name', ({ start }) => {
  let now = Date.UTC(2030, 0, 1);

  const startHost = async (): Promise<RunningHost> => {
    const host = await start({
      options: {
        secret: 'a secret for tests that is long enough',
        runtime: { clock: () => now },
        clients: [{ client_id: 'tv', grant_types: ['device_code'] }],
        scopes: { profile: 'Your profile' },
        users: [{ username: 'alice', password: 'wonderland' }],
      },
    });
    running.push(host);
    return host;
  };

  /** Runs the client against a clock that moves when it waits; `events` happen during its first, second, … wait. */
  const run = async (host: RunningHost, events: readonly ((invitation: Invitation) => void | Promise<void>)[]) => {
    const waits: number[] = [];
    let invitation: Invitation | undefined;
    const result = authorizeDevice({
      issuer: host.base,
      client_id: 'tv',
      show: (shown) => {
        invitation = shown;
      },
      wait: async (seconds) => {
        now += seconds * 1000;
        waits.push(seconds);
        if (invitation === undefined) throw new Error('It waits before it has shown anything.');
        await events[waits.length - 1]?.(invitation);
      },
    });
    return { waits, result };
  };

  test('gets a token after the owner has approved', async () => {
    const host = await startHost();
    const { waits, result } = await run(host, [
      () => undefined,
      (invitation) => decide(host.base, invitation, 'approve'),
    ]);
    const token = await result;
    expect(waits).toEqual([5, 5]);
    const { json } = await new Client(host.origin).get('/guarded/profile', bearer(token));
    expect(json).toMatchObject({ auth: { sub: 'alice', client_id: 'tv' } });
  });

  test('waits longer after slow_down', async () => {
    const host = await startHost();
    const hurry = (): void => {
      now -= 5000; // For the server no time has passed since the last question.
    };
    const { waits, result } = await run(host, [
      () => undefined,
      hurry,
      (invitation) => decide(host.base, invitation, 'approve'),
    ]);
    await result;
    expect(waits).toEqual([5, 5, 10]);
  });

  test('stops if the owner denies access', async () => {
    const host = await startHost();
    const { result } = await run(host, [(invitation) => decide(host.base, invitation, 'deny')]);
    await expect(result).rejects.toThrow('The person said no.');
  });

  test('stops if the code is not entered in time', async () => {
    const host = await startHost();
    const { waits, result } = await run(host, []);
    await expect(result).rejects.toThrow('Nobody typed the code in time.');
    expect(waits).toHaveLength(120);
  });

  test('polls less often while the server is unreachable', async () => {
    const host = await startHost();
    const { waits, result } = await run(host, [
      () => host.close(),
      () => undefined,
      () => undefined,
      () => Promise.reject(new Error('enough')),
    ]);
    await expect(result).rejects.toThrow('enough');
    expect(waits).toEqual([5, 10, 20, 40]);
  });
});

test('prints code, URL and fingerprint, and then who approved', async () => {
  const [host] = oneHostEach;
  const server = await host.start({
    options: {
      secret: 'a secret for tests that is long enough',
      clients: [{ client_id: 'tv', grant_types: ['device_code'] }],
      scopes: { profile: 'Your profile' },
      users: [{ username: 'alice', password: 'wonderland' }],
    },
  });
  running.push(server);
  const program = await startExample(
    'device-client/main.ts',
    [server.base, 'tv', `${server.origin}/guarded/profile`],
    {},
  );
  const [, address = '', userCode = '', fingerprint = ''] = await program.until(
    /Open (\S+) and type (\S+)\nBoth screens have to show (\S+)/,
  );
  await decide(server.base, { address, userCode, fingerprint }, 'approve');
  expect(await program.exit).toBe(0);
  expect(program.output).toMatch(/\n\{"auth":\{"sub":"alice",.*\}\n$/);

  const unknown = await startExample('device-client/main.ts', [server.base, 'nobody'], {});
  expect(await unknown.exit).toBe(1);
  expect(unknown.output).toBe('The server refused: invalid_client\n');
});
