import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from './documents.js';

/** The sources, with the parts of each text joined. */
const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(join(ROOT, 'src', name), 'utf8').replaceAll(/(['`"])\s*\+\s*\1/g, ''))
  .join('\n');

/** The codes and messages at the beginning of items and paragraphs. */
const quoted = readFileSync(join(ROOT, 'docs/troubleshooting.md'), 'utf8')
  .split('\n')
  .flatMap((line) =>
    [
      ...(/^(?:- )?(?:\d+ )?(?:`[^`]+`(?:: |, | with |, status \d+: )?)+/.exec(line)?.[0] ?? '').matchAll(/`([^`]+)`/g),
    ].map(([, text = '']) => text),
  );

/** The parts of a message between its values; the path of an option is a value too. */
const partsOf = (message: string): readonly string[] =>
  message
    .replace(/^options\.[\w.]+(?:\[…\])?:?/, '…')
    .split('…')
    .map((part) => part.trim())
    .filter((part) => /[a-z]{2}/i.test(part));

test('every message and code in docs/troubleshooting.md occurs in the sources', () => {
  expect(quoted.length).toBeGreaterThan(80);
  expect(quoted.filter((message) => !partsOf(message).every((part) => sources.includes(part)))).toEqual([]);
});

test('every code has a section, and every section a code that the sources use', () => {
  const declared = readFileSync(join(ROOT, 'src/core/base/mistakes.ts'), 'utf8').match(/OQ\d{3}(?=')/g) ?? [];
  const sections = readFileSync(join(ROOT, 'docs/troubleshooting.md'), 'utf8').match(/(?<=^### )OQ\d{3}$/gm) ?? [];
  expect(sections).toEqual(declared);
  const used = new Set(sources.match(/(?<=')OQ\d{3}(?=')/g));
  expect(declared.filter((code) => sources.split(`'${code}'`).length < 3)).toEqual([]);
  expect(used.size).toBe(declared.length);
});
