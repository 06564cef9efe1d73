import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, DOCUMENTS } from './documents.js';

/** A text of code as the module that it stands for. */
export const moduleOf = async <Exports>(code: string): Promise<Exports> => {
  // Below the root, so that packages are found from here.
  mkdirSync(join(ROOT, '.data'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, '.data', 'guide-'));
  const file = join(folder, 'module.ts');
  try {
    writeFileSync(file, code);
    return (await import(file)) as Exports; // What it exports is for the test to say.
  } finally {
    // At once: a hook that is registered in a hook does not run.
    rmSync(folder, { recursive: true, force: true });
  }
};

/** The code block of a document that contains a text, as a module, after a last change. */
export const moduleIn = async <Exports = Readonly<Record<string, unknown>>>(
  document: string,
  text: string,
  change: (code: string) => string = (code) => code,
): Promise<Exports> => {
  const code = DOCUMENTS.find(({ path }) => path === document)?.blocks.find((block) => block.code.includes(text))?.code;
  if (code === undefined) throw new Error(`${document} has no code with ${text}.`);
  return moduleOf<Exports>(change(code));
};
