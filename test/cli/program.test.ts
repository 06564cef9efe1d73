import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { everyRow } from '../rows.js';
import { oauthQueryInProcess, oauthQueryProgram } from './program.js';

const manifest: { version: string } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

const COMMANDS = ['secret', 'client', 'serve', 'doctor'];

describe('oauth-query', () => {
  test.each([['--help'], ['-h'], ['help']])('%s lists the commands', async (word) => {
    const { code, stdout, stderr } = await oauthQueryInProcess([word]);
    expect([code, stderr]).toEqual([0, '']);
    for (const command of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
  });

  test.each(COMMANDS)('%s --help prints its usage', async (command) => {
    const { code, stdout, stderr } = await oauthQueryInProcess([command, '--help']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.startsWith(`oauth-query ${command}: `)).toBe(true);
    expect(stdout).toContain(`\n  oauth-query ${command}`);
    // It is read in terminals of 100 columns.
    expect(stdout.split('\n').filter((line) => line.length > 100)).toEqual([]);
    expect(await oauthQueryInProcess(['help', command])).toEqual({ code, stdout, stderr });
  });

  test('--version prints the version of the package', async () => {
    expect(await oauthQueryProgram(['--version'])).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: '' });
  });

  test('without a command, it prints its help to standard error and fails', async () => {
    const { code, stdout, stderr } = await oauthQueryProgram([]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('oauth-query <command>');
  });

  test('wrong arguments end with one sentence and exit code 2', () =>
    everyRow(
      [
        [
          ['toString'],
          'Unknown command "toString". Commands: new, secret, key, client, serve, doctor. See: oauth-query --help',
        ],
        [['secret', '--colour'], "Unknown option '--colour'. See: oauth-query secret --help"],
        [['secret', 'hunter2'], 'Unexpected argument "hunter2". See: oauth-query secret --help'],
        [['secret', '--hash', 'md5'], '--hash must be sha256 or scrypt, not "md5". See: oauth-query secret --help'],
        [['secret', '--hash'], "Option '--hash <value>' argument missing. See: oauth-query secret --help"],
        [['secret', '--json=no'], "Option '--json' does not take an argument. See: oauth-query secret --help"],
      ],
      async ([args, sentence]) => {
        expect(await oauthQueryInProcess(args)).toEqual({ code: 2, stdout: '', stderr: `${sentence}\n` });
      },
    ));
});
