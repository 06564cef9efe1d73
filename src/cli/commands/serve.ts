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
} as const;

/** The settings that only the environment has. */
const LIFETIMES = ['CODE_TTL', 'TOKEN_TTL', 'DEVICE_TTL'];

const isOption = (name: string): name is keyof typeof OPTIONS => Object.hasOwn(OPTIONS, name);

/** A setting is named the way in which it was given; what was not given can be given as an option. */
const wordingOf = (environment: NodeJS.ProcessEnv, values: Readonly<Record<string, string | undefined>>): Wording => {
  const setting = (name: string): string => {
    const option = name.toLowerCase();
    return isOption(option) && (values[option] !== undefined || !environment[name]) ? `--${option}` : name;
  };
  return {
    setting,
    command: (name, value) => `oauth-query serve --${name.toLowerCase()} ${value}`,
    driver: 'npx -p oauth-query -p libsql oauth-query serve',
    hasExamples: false,
  };
};

export const serve: Command = {
  help: `oauth-query serve: run the demo site, with everything switched on

  oauth-query serve [--port 3000] [--host 127.0.0.1] [--store sqlite:.data/demo.db]
                    [--issuer URL] [export.xml]

Serves the pages of a MediaWiki XML export (also gzipped) through the query API, with an
authorization server whose clients, owners and secrets are public; it prints what can be tried.
Without a file it serves a small site that comes with it. It needs no framework. What it reads
and issues is kept in the folder .data.

  --port    0 takes any free one. Otherwise the environment's PORT, or 3000.
  --host    A loopback address. Otherwise HOST, or 127.0.0.1.
  --store   Where tokens are kept: memory, sqlite:<file>, redis://… or postgres://… (the last
            two need the package redis or pg). Otherwise STORE, or sqlite:.data/demo.db.
  --issuer  The address by which clients know it, if it is another. Otherwise ISSUER.

CODE_TTL, TOKEN_TTL and DEVICE_TTL in the environment are lifetimes in seconds.
It needs SQLite: Node 22.13 or later has it; on an older one also install libsql or better-sqlite3.

Example:
  oauth-query serve --port 8080 dump.xml
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
      ...Object.fromEntries(LIFETIMES.map((name) => [name, env[name]])),
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
