import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { everyRow } from '../rows.js';
import { DOCUMENTS, ROOT } from './documents.js';

/** Kinds of phrases that stop a reader, and how often each may still occur in documents and in `src`. A number may only fall. */
const KINDS: readonly (readonly [kind: string, pattern: RegExp, inDocs: number, inSource: number])[] = [
  ['write "string" for a value', /\b(?:be|not|any|of|is) texts?\b|array of (?:such )?texts/g, 4, 38],
  ['repeat the noun', /\b(?:the|a|this|that|every|each|another|newer|older|new|old|first|last) ones?\b/g, 18, 149],
  ['negate the verb', /\b(?:names|has|proves|leaves|ends|changes) (?:no|nothing|none)\b/g, 22, 153],
  [
    'name the actor',
    /\b(?:is|are|was|were) (?:asked|told|left out|given|taken|looked (?:up|at)|put|called for|not there)\b/g,
    10,
    90,
  ],
  ['one reason for a sentence', /\b(?:so that|because)\b/g, 18, 301],
  [
    'begin a title with the term of the field',
    /^#+ (?:Who|What|Where|Tokens that|Requests that|Clients (?:you|that)|Switch)/gm,
    4,
    1,
  ],
  ['valid options, accepts, requires', /nown are|[^.]takes (?:a|an|the|one)\b|\bneeds (?:a|an|the|options)/g, 34, 84],
  [
    'enable, automatically, again, next to, unknown',
    /\b(?:switch(?:ed)? (?:it )?on|is away|by itself|once more|stands? still|beside|strangers?)\b/g,
    4,
    48,
  ],
  ['at startup', /\bat the start\b(?! of)/g, 1, 14],
  ['omit', /\b(?:leaves?|left|leaving|leave) (?:it |them |these |that |those )?out\b/g, 1, 36],
  ['grants are revoked', /\bgrants? (?:that )?(?:end|ends|ended|ending)\b/g, 2, 5],
];

const documents = DOCUMENTS.map(({ path }) => path)
  .filter((path) => !/^(?:CHANGELOG|docs\/(?:adr\/|audit)|test\/|bench\/|tools\/)/.test(path))
  .map((path) => readFileSync(join(ROOT, path), 'utf8'));
const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(join(ROOT, 'src', name), 'utf8'));

const count = (texts: readonly string[], pattern: RegExp): number =>
  texts.reduce((sum, text) => sum + (text.match(pattern)?.length ?? 0), 0);

test('documents and sources have no more of these phrases than before: if there are fewer, lower the number', () =>
  everyRow(KINDS, ([, pattern, inDocs, inSource]) => {
    const found = [count(documents, pattern), count(sources, pattern)];
    expect(found[0]).toBeLessThanOrEqual(inDocs);
    expect(found[1]).toBeLessThanOrEqual(inSource);
    // Otherwise phrases could come back unnoticed.
    expect(found[0]).toBeGreaterThan(inDocs - 12);
    expect(found[1]).toBeGreaterThan(inSource - 25);
  }));

test('a phrase of each kind is found', () => {
  const wrong =
    '# Who it is\nmust be text, a new one names no key, is told so that it takes a text by itself at the start; leave it out when grants end';
  for (const [kind, pattern] of KINDS) expect([kind, count([wrong], pattern)]).not.toEqual([kind, 0]);
});
