import { expect, test } from 'vitest';
import { type Block, browsedOf, fileOf, reasonNotToRun, DOCUMENTS } from './documents.js';

const CODE = ['ts', 'js'];
const ANSWERS = ['json', 'http', 'text'];
const blocks = DOCUMENTS.flatMap((document) => document.blocks);

/** What proves that a block is right; `undefined` when nothing does. */
function proofOf(block: Block, before: Block | undefined): string | undefined {
  if (reasonNotToRun(block) !== undefined) return 'none, and it says why';
  if (CODE.includes(block.lang) && (['', 'options'].includes(block.mark) || fileOf(block) !== undefined)) {
    return 'compiled by compile.test.ts';
  }
  if (block.lang === 'sh' && ['', 'server', 'second-server'].includes(block.mark)) return 'run by run.test.ts';
  if (ANSWERS.includes(block.lang) && browsedOf(block) !== undefined) return 'opened by run.test.ts';
  // An answer belongs to the command right before it.
  const asked = before?.document === block.document && before.lang === 'sh' && reasonNotToRun(before) === undefined;
  if (ANSWERS.includes(block.lang) && block.mark === '' && asked) return 'compared by run.test.ts';
  return undefined;
}

test('every block of every document is compiled, run, or compared with the output of a command', () => {
  const unproved = blocks.filter((block, index) => proofOf(block, blocks[index - 1]) === undefined);
  expect(unproved.map(({ place, lang, mark }) => `${place}: ${lang} ${mark}`)).toEqual([]);
});

test('every request is followed by its response', () => {
  const silent = blocks.filter((block, index) => {
    const after = blocks[index + 1];
    const asks = block.lang === 'sh' && block.mark === '' && /\bcurl\b/.test(block.code);
    return asks && !(after?.document === block.document && ANSWERS.includes(after.lang));
  });
  expect(silent.map(({ place }) => place)).toEqual([]);
});

test('indented code blocks do not escape these tests', () => {
  expect(blocks.filter(({ lang }) => lang === '').map(({ place }) => place)).toEqual([]);
});

const exceptions = blocks.flatMap((block) => {
  const reason = reasonNotToRun(block);
  return reason === undefined ? [] : [[block.place, reason] as const];
});
test('a block that is not run has a reason of at least four words', () => {
  expect(exceptions.filter(([, reason]) => reason.split(' ').length < 4)).toEqual([]);
});
for (const [place, reason] of exceptions) test.skip(`${place}: ${reason}`, () => undefined);
