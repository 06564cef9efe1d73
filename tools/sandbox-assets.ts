import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** What browsers get to run and to draw the sandbox page with. */
export interface SandboxAssets {
  readonly script: string;
  readonly style: string;
}

/** Makes one script and one style of the sources in `sandbox`. */
export const sandboxAssets = async (): Promise<SandboxAssets> => {
  const bundle = async (entry: string): Promise<string> => {
    const { outputFiles } = await build({
      absWorkingDir: fileURLToPath(new URL('..', import.meta.url)),
      entryPoints: [`sandbox/${entry}`],
      bundle: true,
      write: false,
      format: 'esm',
      target: ['chrome109', 'firefox115', 'safari16.4'],
      // Names stay: whoever looks at the page's script can read it.
      minifyWhitespace: true,
      minifySyntax: true,
      charset: 'ascii',
      logLevel: 'warning',
    });
    return outputFiles[0]?.text.trim() ?? '';
  };
  const [script, style] = await Promise.all([bundle('main.ts'), bundle('style.css')]);
  return { script, style };
};
