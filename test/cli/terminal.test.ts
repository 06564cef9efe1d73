import { expect, test } from 'vitest';
import { terminalOf } from '../../src/cli/terminal.js';

/** A process whose outputs are terminals, as far as it is looked at. */
const fakeProcess = () => {
  const written: string[] = [];
  const stdout = { isTTY: true, write: (text: string) => written.push(text) };
  return { written, process: { env: {}, stdin: undefined, stdout, stderr: stdout } as unknown as NodeJS.Process };
};

test('a terminal obeys our line breaks and styles, and nothing that comes from outside', () => {
  const { written, process } = fakeProcess();
  const terminal = terminalOf(process);
  terminal.print('two\n\u001b[1mlines\u001b[22m');
  terminal.print('a\u001b]0;title\u0007\u009b2J\u202e\u200b\r\u{e0041}');
  terminal.tell('b\u001b[1m\u001b[2J\u0085');
  expect(written).toEqual([
    'two\n\u001b[1mlines\u001b[22m\n',
    String.raw`a\u001b]0;title\u0007\u009b2J\u202e\u200b\u000d\udb40\udc41` + '\n',
    String.raw`b\u001b[1m\u001b[2J\u0085` + '\n',
  ]);
});

test('JSON stays the same JSON', () => {
  const { written, process } = fakeProcess();
  const value = { name: 'a\u009b\u202e\u{e0041}\n"\\' };
  terminalOf(process).print(JSON.stringify(value));
  expect(written[0]).toMatch(/^[\x20-\x7e]+\n$/);
  expect(JSON.parse(written[0] ?? '')).toEqual(value);
});
