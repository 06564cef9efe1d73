import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** The script and the style sheet of the sandbox page. */
export interface SandboxAssets {
  readonly script: string;
  readonly style: string;
}

/** Bundles the sources in `sandbox` into one script and one style sheet. */
export const sandboxAssets = async (): Promise<SandboxAssets> => {
  const bundle = async (entry: string): Promise<string> => {
    const { outputFiles } = await build({
      absWorkingDir: fileURLToPath(new URL('..', import.meta.url)),
      entryPoints: [`sandbox/${entry}`],
      bundle: true,
      write: false,
      format: 'esm',
      target: ['chrome109', 'firefox115', 'safari16.4'],
      minifyWhitespace: true,
      minifyIdentifiers: true,
      minifySyntax: true,
      charset: 'ascii',
      logLevel: 'warning',
    });
    return outputFiles[0]?.text.trim() ?? '';
  };
  const [script, style] = await Promise.all([bundle('main.ts'), bundle('style.css')]);
  return { script, style };
};
