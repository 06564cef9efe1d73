import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../stores/engines/daemon.js';
import { problemsOf, textProblems } from './answers.js';
import { type Block, type Document, fileOf, reasonNotToRun, WRITTEN } from './documents.js';
import { Reader } from './reader.js';

/** A command with the answer that the document promises. */
interface Step {
  readonly block: Block;
  readonly answer: Block | undefined;
}

const stepsOf = ({ blocks }: Document): readonly Step[] =>
  blocks.flatMap((block, index) => {
    const after = blocks[index + 1];
    const isStep = (block.lang === 'sh' && reasonNotToRun(block) === undefined) || fileOf(block) !== undefined;
    const answer = after && ['json', 'http', 'text'].includes(after.lang) ? after : undefined;
    return isStep ? [{ block, answer }] : [];
  });

const walks = WRITTEN.map((document) => [document.path, stepsOf(document)] as const).filter(
  ([, steps]) => steps.length > 0,
);

// Each document from its beginning to its end, in one shell.
describe.each(walks)('who follows %s', (_path, steps) => {
  let reader: Reader;
  beforeAll(async () => {
    reader = new Reader(await freePort());
  });
  afterAll(() => reader.close());

  test.each(steps.map((step) => [step.block.place, step] as const))('%s', async (_place, { block, answer }) => {
    const file = fileOf(block);
    if (file !== undefined) {
      reader.write(file, block.code);
      return;
    }
    if (block.mark === 'server') {
      const promised = answer?.code ?? '';
      const printed = await reader.serve(block.code, (text) => textProblems(promised, text).length === 0);
      expect(textProblems(promised, printed)).toEqual([]);
      return;
    }
    const printed = await reader.run(block.code);
    if (answer !== undefined) expect(problemsOf(answer.lang, answer.code, printed.trim())).toEqual([]);
  });
});
