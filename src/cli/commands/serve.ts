import { statSync } from 'node:fs';
import { Complaint } from '../../../examples/demo/complaint.js';
import { runDemo } from '../../../examples/demo/demo.js';
import { readSettings } from '../../../examples/demo/settings.js';
import type { Wording } from '../../../examples/demo/wording.js';
import { type Command, CommandError, readArguments } from '../command.js';

const OPTIONS = {
  port: { type: 'string' },
  host: { type: 'string' },
  store: { type: 'string' },
  issuer: { type: 'string' },
  language: { type: 'string' },
  mcp: { type: 'boolean' },
} as const;

/** Settings that are only environment variables. */
const ENVIRONMENT_ONLY = ['CODE_TTL', 'TOKEN_TTL', 'DEVICE_TTL', 'MEDIAWIKI_PATHS'];

const isOption = (name: string): name is keyof typeof OPTIONS => Object.hasOwn(OPTIONS, name);

interface ServeOptions {
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  /** The optional packages that these arguments need, so that a message names all of them at once. */
  readonly packages: readonly string[];
}

const hasSqlite = (): boolean => process.getBuiltinModule('node:sqlite') !== undefined;

const packagesFor = (isMcp: boolean, isFolder: boolean): readonly string[] => [
  ...(isMcp ? ['@modelcontextprotocol/server'] : []),
  ...(isFolder ? ['markdown-it', 'js-yaml'] : hasSqlite() ? [] : ['libsql']),
];

/** Error messages name a setting as it was given; a missing one is named as an option. */
const wordingOf = (
  environment: NodeJS.ProcessEnv,
  args: readonly string[],
  { values, packages }: ServeOptions,
): Wording => {
  const setting = (name: string): string => {
    const option = name.toLowerCase().replace(/^site_/, '');
    return isOption(option) && (values[option] !== undefined || !environment[name]) ? `--${option}` : name;
  };
  return {
    setting,
    command: (name, value) => `oauth-query serve --${name.toLowerCase()} ${value}`,
    install: (missing) =>
      ['npx', 'oauth-query', ...new Set([...missing, ...packages])].join(' -p ') +
      ` oauth-query serve ${args.join(' ')}`,
    hasExamples: false,
  };
};

export const serve: Command = {
  help: `oauth-query serve: run a demo site, or serve an export or a folder of Markdown

  oauth-query serve [--port 3000] [--host 127.0.0.1] [--store sqlite:.data/demo.db]
                    [--issuer URL] [--language en] [--mcp] [export.xml | folder | -]

Serves the pages of a MediaWiki XML export (optionally gzipped), or the Markdown files of a folder,
through the query API, with an authorization server whose clients, users and secrets are public.
Prints what you can try. Without an export or a folder, it serves a small sample site. Requires no
framework. The content of an export and issued tokens are stored in the folder .data.

With - it reads an export from standard input: bzcat dump.xml.bz2 | oauth-query serve -
An interrupted import continues when you start it again. Changes in a folder are read while it
runs, and its images are served at /files/; Markdown requires the packages markdown-it and js-yaml.

  --port      The port; 0 picks a free one. Default: PORT, or 3000
  --host      A loopback address. Default: HOST, or 127.0.0.1
  --store     The store for tokens: memory, sqlite:<file>, redis://…, postgres://… or mariadb://…
              (the last three require redis, pg or mariadb). Default: STORE, or
              sqlite:.data/demo.db; for a folder memory, if Node does not include SQLite
  --issuer    The URL that clients use, if it is a different one. Default: ISSUER
  --language  The code of the site's language. Default: SITE_LANGUAGE, that of the export, or en
  --mcp       Also serve the content to assistants, as tools at /mcp with sign-in, and let clients
              register themselves. Default: MCP=1. Requires @modelcontextprotocol/server.

The environment variables CODE_TTL, TOKEN_TTL and DEVICE_TTL set lifetimes in seconds;
MEDIAWIKI_PATHS=1 also serves /w/api.php and /w/rest.php/oauth2/authorize and access_token.
An export requires SQLite, which Node 22.13 includes; otherwise install libsql or better-sqlite3.

Examples:
  oauth-query serve --port 8080 dump.xml
  npx -p ./oauth-query-0.4.0.tgz -p markdown-it -p js-yaml oauth-query serve ./docs
  npx -p ./oauth-query-0.4.0.tgz -p @modelcontextprotocol/server -p markdown-it -p js-yaml \\
    oauth-query serve ./docs --mcp
`,
  run: async (args) => {
    const { values, positionals } = readArguments(args, OPTIONS, 1);
    const { env } = process;
    const isMcp = values.mcp === true || env['MCP'] === '1';
    const [file] = positionals;
    const isFolder = file !== undefined && statSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
    const wording = wordingOf(env, args, { values, packages: packagesFor(isMcp, isFolder) });
    const settings = {
      PORT: values.port ?? env['PORT'],
      HOST: values.host ?? env['HOST'],
      STORE: values.store ?? (env['STORE'] || (isFolder && !hasSqlite() ? 'memory' : undefined)),
      ISSUER: values.issuer ?? env['ISSUER'],
      SITE_LANGUAGE: values.language ?? env['SITE_LANGUAGE'],
      MCP: values.mcp === true ? '1' : env['MCP'],
      ...Object.fromEntries(ENVIRONMENT_ONLY.map((name) => [name, env[name]])),
    };
    try {
      await runDemo({
        settings: readSettings(settings, wording),
        file,
        framework: 'node:http',
        loadApp: async () => (await import('../plain-app.js')).buildPlainApp,
        wording,
      });
    } catch (error) {
      if (error instanceof Complaint) throw new CommandError(error.message);
      throw error;
    }
    return undefined;
  },
};
