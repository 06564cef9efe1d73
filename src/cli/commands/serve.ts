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
  mcp: { type: 'boolean' },
} as const;

/** Settings that are only environment variables. */
const ENVIRONMENT_ONLY = ['CODE_TTL', 'TOKEN_TTL', 'DEVICE_TTL', 'MEDIAWIKI_PATHS'];

const isOption = (name: string): name is keyof typeof OPTIONS => Object.hasOwn(OPTIONS, name);

interface Given {
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  /** The optional packages that these arguments need, so that a message names all of them at once. */
  readonly packages: readonly string[];
}

const packagesFor = (isMcp: boolean, file: string | undefined): readonly string[] => {
  const isFolder = file !== undefined && statSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
  return [
    ...(isMcp ? ['@modelcontextprotocol/server'] : []),
    ...(isFolder ? ['markdown-it', 'js-yaml'] : []),
    ...(process.getBuiltinModule('node:sqlite') === undefined ? ['libsql'] : []),
  ];
};

/** Error messages name a setting as it was given; a missing one is named as an option. */
const wordingOf = (environment: NodeJS.ProcessEnv, args: readonly string[], { values, packages }: Given): Wording => {
  const setting = (name: string): string => {
    const option = name.toLowerCase();
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
                    [--issuer URL] [--mcp] [export.xml | folder | -]

Serves the pages of a MediaWiki XML export (optionally gzipped), or the Markdown files of a folder,
through the query API, with an authorization server whose clients, users and secrets are public.
Prints what you can try. Without an export or a folder, it serves a small sample site. Requires no
framework. The content and issued tokens are stored in the folder .data.

With - it reads an export from standard input: bzcat dump.xml.bz2 | oauth-query serve -
An interrupted import continues when you start it again. Changes in a folder are read while it
runs; Markdown requires the packages markdown-it and js-yaml.

  --port    The port; 0 picks a free one. Default: PORT, or 3000
  --host    A loopback address. Default: HOST, or 127.0.0.1
  --store   The store for tokens: memory, sqlite:<file>, redis://… or postgres://… (the last two
            require the package redis or pg). Default: STORE, or sqlite:.data/demo.db
  --issuer  The URL that clients use, if it is a different one. Default: ISSUER
  --mcp     Also serve the content to assistants, as tools at /mcp with sign-in, and let clients
            register themselves. Default: MCP=1. Requires @modelcontextprotocol/server.

The environment variables CODE_TTL, TOKEN_TTL and DEVICE_TTL set lifetimes in seconds;
MEDIAWIKI_PATHS=1 also serves /w/api.php and /w/rest.php/oauth2/authorize and access_token.
Requires SQLite, which Node includes since 22.13; otherwise install libsql or better-sqlite3.

Examples:
  oauth-query serve --port 8080 dump.xml
  npx -p oauth-query -p markdown-it -p js-yaml oauth-query serve ./docs
  npx -p oauth-query -p @modelcontextprotocol/server -p markdown-it -p js-yaml \\
    oauth-query serve ./docs --mcp
`,
  run: async (args) => {
    const { values, positionals } = readArguments(args, OPTIONS, 1);
    const { env } = process;
    const isMcp = values.mcp === true || env['MCP'] === '1';
    const wording = wordingOf(env, args, { values, packages: packagesFor(isMcp, positionals[0]) });
    const settings = {
      PORT: values.port ?? env['PORT'],
      HOST: values.host ?? env['HOST'],
      STORE: values.store ?? env['STORE'],
      ISSUER: values.issuer ?? env['ISSUER'],
      MCP: values.mcp === true ? '1' : env['MCP'],
      ...Object.fromEntries(ENVIRONMENT_ONLY.map((name) => [name, env[name]])),
    };
    try {
      await runDemo({
        settings: readSettings(settings, wording),
        file: positionals[0],
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
