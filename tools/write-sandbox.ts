/** Writes the built files of `sandbox` into the sources, which then need no build step to serve the page. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SCRIPT_TEXTS } from '../src/core/query/describe/texts/api-texts.js';
import { sandboxAssets } from './sandbox-assets.js';

const file = fileURLToPath(new URL('../src/sandbox/assets.ts', import.meta.url));
const { script, style } = await sandboxAssets();
writeFileSync(
  file,
  `// Made of the sources in \`sandbox\` by \`npm run sandbox\`. Do not edit it here.

/** The script of the page. */
export const SCRIPT: string = ${JSON.stringify(script)};

/** The style sheet of the page. */
export const STYLE: string = ${JSON.stringify(style)};

/** The names of the texts that the script uses, separated by spaces. */
export const TEXTS: string = ${JSON.stringify([...Object.keys(SCRIPT_TEXTS), 'signIn', 'signOut', 'signedInAs', 'continue', 'copy', 'copied'].join(' '))};
`,
);
execFileSync(process.execPath, ['node_modules/oxfmt/bin/oxfmt', file], { stdio: 'inherit' });
