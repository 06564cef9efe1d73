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

/** The settings that only the environment has. */
const ENVIRONMENT_ONLY = ['CODE_TTL', 'TOKEN_TTL', 'DEVICE_TTL', 'MEDIAWIKI_PATHS'];

const isOption = (name: string): name is keyof typeof OPTIONS => Object.hasOwn(OPTIONS, name);

/** A setting is named the way in which it was given; what was not given can be given as an option. */
const wordingOf = (
  environment: NodeJS.ProcessEnv,
  values: Readonly<Record<string, string | boolean | undefined>>,
): Wording => {
  const setting = (name: string): string => {
    const option = name.toLowerCase();
    return isOption(option) && (values[option] !== undefined || !environment[name]) ? `--${option}` : name;
  };
  return {
    setting,
    command: (name, value) => `oauth-query serve --${name.toLowerCase()} ${value}`,
    mcpPackage: 'npx -p oauth-query -p @modelcontextprotocol/server oauth-query serve --mcp',
    install: (names) => `npx -p oauth-query ${names.map((name) => `-p ${name} `).join('')}oauth-query serve`,
    hasExamples: false,
  };
};

export const serve: Command = {
  help: `oauth-query serve: run the demo site, with everything switched on

  oauth-query serve [--port 3000] [--host 127.0.0.1] [--store sqlite:.data/demo.db]
                    [--issuer URL] [--mcp] [export.xml | folder | -]

Serves the pages of a MediaWiki XML export (also gzipped), or the Markdown files of a folder,
through the query API, with an authorization server whose clients, owners and secrets are public;
it prints what can be tried. Without either it serves a small site that comes with it. It needs no
framework. What it reads and issues is kept in the folder .data.

With - it reads an export from the standard input, as in: bzcat dump.xml.bz2 | oauth-query serve -
An import that was broken off goes on when it is started again. Changes in a folder are read while
it runs; Markdown needs the packages markdown-it and js-yaml.

  --port    0 takes any free one. Otherwise the environment's PORT, or 3000.
  --host    A loopback address. Otherwise HOST, or 127.0.0.1.
  --store   Where tokens are kept: memory, sqlite:<file>, redis://… or postgres://… (the last
            two need the package redis or pg). Otherwise STORE, or sqlite:.data/demo.db.
  --issuer  The address by which clients know it, if it is another. Otherwise ISSUER.
  --mcp     Also serves the content to assistants, as tools at /mcp that people sign in to, and lets
            clients register themselves. Otherwise MCP=1. Needs @modelcontextprotocol/server.

CODE_TTL, TOKEN_TTL and DEVICE_TTL in the environment are lifetimes in seconds; MEDIAWIKI_PATHS=1
serves /w/api.php, /w/rest.php/oauth2/authorize and /w/rest.php/oauth2/access_token, too.
It needs SQLite: Node 22.13 or later has it; on an older one also install libsql or better-sqlite3.

Examples:
  oauth-query serve --port 8080 dump.xml
  npx -p oauth-query -p markdown-it -p js-yaml oauth-query serve ./docs
`,
  run: async (args) => {
    const { values, positionals } = readArguments(args, OPTIONS, 1);
    const { env } = process;
    const wording = wordingOf(env, values);
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
