import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { STARTERS } from '../../../examples/starters/folder.js';
import { type Command, CommandError, EXIT, readArguments, UsageError, version } from '../command.js';

interface Packages {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const packagesOf = (dependencies: Packages['dependencies'], types: Packages['devDependencies'] = {}): Packages => ({
  dependencies,
  devDependencies: { '@types/node': '^20.19.0', ...types, tsx: '^4.0.0', typescript: '>=5.9.0' },
});

const FRAMEWORKS: Readonly<Record<string, Packages>> = {
  express: packagesOf({ express: '^5.0.0' }, { '@types/express': '^5.0.0' }),
  koa: packagesOf({ '@koa/router': '^15.0.0', koa: '^3.0.0' }, { '@types/koa': '^3.0.0' }),
  fastify: packagesOf({ fastify: '^5.0.0' }),
};

const SOURCES = ['app.ts', 'main.ts', 'app.test.ts'];

const COMPILER = {
  compilerOptions: {
    target: 'es2023',
    module: 'nodenext',
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: true,
    skipLibCheck: true,
    noEmit: true,
  },
};

const SCRIPTS = { start: 'tsx main.ts', test: 'tsx --test app.test.ts', types: 'tsc' };

type Manifest = Readonly<Record<string, unknown>>;

const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

const readManifest = (file: string): Manifest => {
  if (!existsSync(file)) return { private: true };
  let manifest: unknown;
  try {
    manifest = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    throw new CommandError(`${file} is not valid JSON. Correct it first.`);
  }
  if (typeof manifest !== 'object' || manifest === null || Array.isArray(manifest))
    throw new CommandError(`${file} is not a JSON object. Correct it first.`);
  return manifest as Manifest;
};

/** The package with what the starter needs. What it has stays. */
const completed = (manifest: Manifest, { dependencies, devDependencies }: Packages): Manifest => {
  const merged = (name: string, needed: Readonly<Record<string, string>>) => ({
    [name]: { ...needed, ...(manifest[name] as Readonly<Record<string, string>> | undefined) },
  });
  const { test, ...scripts } = (manifest['scripts'] ?? {}) as Readonly<Record<string, string>>;
  const isPlaceholder = test === undefined || test.includes('no test specified'); // of `npm init`
  return {
    ...manifest,
    type: 'module',
    scripts: { ...SCRIPTS, ...scripts, ...(!isPlaceholder && { test }) },
    ...merged('dependencies', dependencies),
    ...merged('devDependencies', devDependencies),
  };
};

export const create: Command = {
  help: `oauth-query new: write a program to start from, in TypeScript, with a test

  oauth-query new express|koa|fastify [folder]

Writes app.ts, main.ts, app.test.ts and tsconfig.json, and adds packages and scripts to package.json. Files
that exist are never replaced. Default folder: the current one.

Example:
  oauth-query new express && npm install && npm test && npm start
`,
  run: async (args, terminal) => {
    const [framework = '', folder = '.'] = readArguments(args, {}, 2).positionals;
    const packages = Object.hasOwn(FRAMEWORKS, framework) ? FRAMEWORKS[framework] : undefined;
    if (packages === undefined)
      throw new UsageError(
        `Name a framework: ${Object.keys(FRAMEWORKS).join(', ')}, not ${JSON.stringify(framework)}.`,
      );
    const target = resolve(folder);
    const taken = [...SOURCES, 'tsconfig.json'].find((name) => existsSync(join(target, name)));
    if (taken !== undefined)
      throw new CommandError(`${join(target, taken)} exists. Name an empty folder: oauth-query new ${framework} shop`);
    const manifest = completed(readManifest(join(target, 'package.json')), packages);
    mkdirSync(target, { recursive: true });
    for (const name of SOURCES)
      copyFileSync(fileURLToPath(new URL(`${framework}/${name}`, STARTERS)), join(target, name));
    writeFileSync(join(target, 'tsconfig.json'), json(COMPILER));
    writeFileSync(join(target, 'package.json'), json(manifest));
    const hasUs = Object.hasOwn(manifest['dependencies'] as object, 'oauth-query');
    terminal.print(`Written: ${[...SOURCES, 'tsconfig.json', 'package.json'].join(', ')}. Next:
${folder === '.' ? '' : `\n  cd ${folder}`}
  npm install${hasUs ? '' : ` <folder of the package>/oauth-query-${version()}.tgz`}
  npm test
  npm start`);
    return EXIT.fine;
  },
};
