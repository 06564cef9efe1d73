import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The maximum size of the unpacked package in bytes, without its guides. */
const MAX_UNPACKED = 2_550_000;

/** The maximum bytes before the message about an invalid option: the line that threw, and its position. */
const MAX_BEFORE_SENTENCE = 1024;

/** The length of a long line. Texts and lists of imports can be longer, but in minified code nearly all lines are. */
const LONG = 200;
const MAX_LONG_LINES = 0.05;

/** Code that programs import, whose lines appear in their stack traces. The command line shows none. */
const isOurs = (path: string): boolean => path.endsWith('.js') && !path.startsWith('dist/cli/');

/**
 * Checks that the package can be read: its size, the lines of its files, and the first screen after an invalid option.
 *
 * @param installed - A folder in which the package is installed.
 */
export const checkReadable = (
  installed: string,
  packed: {
    readonly unpackedSize: number;
    readonly files: readonly { readonly path: string; readonly size: number }[];
  },
): void => {
  const code = packed.files.filter(({ path }) => !path.startsWith('docs/') && !path.endsWith('.md'));
  const bytes = code.reduce((sum, { size }) => sum + size, 0);
  assert.ok(bytes <= MAX_UNPACKED, `the package has ${bytes} bytes without its guides, and may have ${MAX_UNPACKED}`);
  for (const { path } of packed.files.filter((file) => isOurs(file.path))) {
    const text = readFileSync(join(installed, 'node_modules', 'oauth-query', path), 'utf8');
    assert.ok(!text.includes('sourceMappingURL'), `${path} names a source map`);
    const lines = text.split('\n').filter((line) => !/^(import|export) /.test(line));
    const long = lines.filter(({ length }) => length > LONG).length;
    assert.ok(long <= lines.length * MAX_LONG_LINES, `${path} is minified: ${long} of ${lines.length} lines are long`);
  }
  checkWrongOption(installed);
  console.log(
    `  ${Math.round(packed.unpackedSize / 1024)} KiB unpacked, readable; a wrong option gets its sentence first`,
  );
};

const checkWrongOption = (installed: string): void => {
  const program = "import { oauthQuery } from 'oauth-query/express';\noauthQuery({ clientz: [] });\n";
  writeFileSync(join(installed, 'wrong.mjs'), program);
  const { status, stderr } = spawnSync(process.execPath, ['wrong.mjs'], { cwd: installed, encoding: 'utf8' });
  const sentence = stderr.indexOf('TypeError: options.clientz ');
  assert.ok(status === 1 && sentence >= 0, `a wrong option is not named:\n${stderr}`);
  assert.ok(sentence <= MAX_BEFORE_SENTENCE, `${sentence} bytes stand in front of the sentence about a wrong option`);
};
