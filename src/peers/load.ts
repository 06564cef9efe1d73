import { join } from 'node:path';
import { isMissing } from '../core/base/missing-package.js';

/**
 * Loads a package that the application may have. Bundlers leave such an import as it is: they would fail for each package that is not
 * installed. So the package must be installed where the bundle runs.
 */
export const importPackage = (name: string): Promise<unknown> =>
  import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ name);

/** The same at once. A package is looked for from this file, and from the folder of the process, because a bundler may have moved this code. */
export const requirePackage = (name: string): unknown => {
  // Imported, bundlers would follow it.
  const { createRequire } = process.getBuiltinModule('node:module');
  const inFolder = createRequire(join(process.cwd(), 'index.js'));
  const here: string | undefined = import.meta.url; // undefined in a bundle of CommonJS
  if (here === undefined) return inFolder(name);
  try {
    return createRequire(here)(name);
  } catch (error) {
    if (!isMissing(error, name)) throw error;
    return inFolder(name);
  }
};
