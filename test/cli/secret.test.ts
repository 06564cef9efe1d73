import { describe, expect, test } from 'vitest';
import type { ClientSecret } from '../../src/core/oauth/clients/client.js';
import { basic, Client, hostFor } from '../hosts.js';
import { fixture } from '../oauth/support/fixture.js';
import { oauthQueryInProcess } from './program.js';

interface Made {
  readonly secret?: string;
  readonly client_secret: ClientSecret;
}

const made = async (args: readonly string[], input = ''): Promise<Made> => {
  const { code, stdout, stderr } = await oauthQueryInProcess(['secret', '--json', ...args], { input });
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
};

describe.each(hostFor(import.meta.url))('a server on $name', ({ start }) => {
  const statusOf = async (client_secret: ClientSecret, secret: string): Promise<number> => {
    const { options } = fixture({ clients: [{ client_id: 'made', client_secret, scope: 'profile' }] });
    const host = await start({ options });
    try {
      const form = { grant_type: 'client_credentials' };
      return (await new Client(host.base).post('/oauth/token', form, basic('made', secret))).status;
    } finally {
      await host.close();
    }
  };

  test('that is configured with the printed hash accepts the printed secret and no other', async () => {
    const { secret = '', client_secret } = await made([]);
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(JSON.stringify(client_secret)).not.toContain(secret);
    expect(await statusOf(client_secret, secret)).toBe(200);
    expect(await statusOf(client_secret, `${secret}x`)).toBe(401);
  });

  test('accepts an existing secret by the hash that --stdin printed', async () => {
    const { client_secret, ...rest } = await made(['--stdin'], 'chosen: by %a person\n');
    expect([Object.keys(client_secret), rest]).toEqual([['scrypt'], {}]);
    expect(await statusOf(client_secret, 'chosen: by %a person')).toBe(200);
    expect(await statusOf(client_secret, 'chosen: by %a person\n')).toBe(401);
  });
});

test('every secret is different', async () => {
  const [one, two] = await Promise.all([made([]), made([])]);
  expect(one.secret).not.toBe(two.secret);
});

test('prints the secret once, and the registration to copy', async () => {
  const { stdout } = await oauthQueryInProcess(['secret']);
  const [secret = ''] = /^ {2}[\w-]{43}$/m.exec(stdout) ?? [];
  expect(stdout.split(secret.trim())).toHaveLength(2);
  expect(stdout).toMatch(/^ {2}client_secret: \{ sha256: '[\w-]{43}' \}$/m);
  // Not a terminal, so there are no escape sequences.
  expect(stdout).not.toContain('\u001b');
});

test('--stdin never prints the secret', async () => {
  const input = 'a-random-secret-of-enough-characters';
  const { stdout, stderr } = await oauthQueryInProcess(['secret', '--stdin', '--hash', 'sha256'], { input });
  expect(stdout + stderr).not.toContain(input);
  expect(stdout).toMatch(/sha256: '[\w-]{43}'/);
});

test.each([
  [['--stdin'], '', 'Standard input is empty. Pipe the secret into this command.'],
  [['--stdin'], '\n', 'Standard input is empty. Pipe the secret into this command.'],
  [['--stdin'], 'one\ntwo\n', 'Standard input has several lines or control characters.'],
  [['--stdin', '--hash', 'sha256'], 'hunter2', 'The secret has fewer than 22 characters, too few for sha256'],
])('%j with %j fails with a sentence', async (args, input, sentence) => {
  const { code, stdout, stderr } = await oauthQueryInProcess(['secret', ...args], { input });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr.startsWith(sentence)).toBe(true);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
});
