import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { bundleOf, packageBundle } from '../bundle.js';
import { freePort } from '../stores/engines/daemon.js';
import { problemsOf, textProblems } from './answers.js';
import { type Block, browsedOf, type Document, fileOf, reasonNotToRun, DOCUMENTS } from './documents.js';
import { Reader } from './reader.js';

/** A command with the output that the document shows. */
interface Step {
  readonly block: Block;
  readonly answer: Block | undefined;
}

const stepsOf = ({ blocks }: Document): readonly Step[] =>
  blocks.flatMap((block, index) => {
    const after = blocks[index + 1];
    const isCommand = block.lang === 'sh' && reasonNotToRun(block) === undefined;
    const isStep = isCommand || fileOf(block) !== undefined || browsedOf(block) !== undefined;
    const answer = after && ['json', 'http', 'text'].includes(after.lang) ? after : undefined;
    return isStep ? [{ block, answer }] : [];
  });

const walks = DOCUMENTS.map((document) => [document.path, stepsOf(document)] as const).filter(
  ([, steps]) => steps.length > 0,
);

const follow = async (reader: Reader, { block, answer }: Step): Promise<void> => {
  const file = fileOf(block);
  if (file !== undefined) {
    reader.write(file, block.code);
    return;
  }
  const address = browsedOf(block);
  if (address !== undefined) {
    expect(problemsOf(block.lang, block.code, await reader.browse(address)), block.place).toEqual([]);
    return;
  }
  if (['server', 'second-server'].includes(block.mark)) {
    const promised = answer?.code ?? '';
    const isReady = (text: string) => textProblems(promised, text).length === 0;
    const printed = await reader.serve(block.code, isReady, block.mark === 'second-server');
    expect(textProblems(promised, printed), block.place).toEqual([]);
    return;
  }
  const printed = await reader.run(block.code);
  if (answer !== undefined) expect(problemsOf(answer.lang, answer.code, printed.trim()), block.place).toEqual([]);
};

let dist: string;
beforeAll(async () => {
  dist = await packageBundle();
});

// Each document from its beginning to its end, in one shell.
test.each(walks)('the commands of %s print what it shows', async (path, steps) => {
  const demo = path === 'README.md' ? undefined : await bundleOf('examples/demo/main.ts');
  const reader = new Reader([await freePort(), await freePort()], dist, demo);
  onTestFinished(() => reader.close());
  for (const step of steps) await follow(reader, step);
});
