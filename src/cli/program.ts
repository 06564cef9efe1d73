/** Finds the command of a command line, and converts errors to one sentence and an exit code. */
import { type Command, CommandError, EXIT, UsageError, version } from './command.js';
import type { Terminal } from './terminal.js';

interface Entry {
  readonly summary: string;
  /** Loads the command on demand. */
  readonly load: () => Promise<Command>;
}

const COMMANDS: Readonly<Record<string, Entry>> = {
  new: {
    summary: 'write a program to start from: new express, koa or fastify',
    load: async () => (await import('./commands/new.js')).create,
  },
  secret: {
    summary: 'generate a client secret, and the hash to register',
    load: async () => (await import('./commands/secret.js')).secret,
  },
  key: {
    summary: 'generate a private key that signs tokens',
    load: async () => (await import('./commands/key.js')).key,
  },
  client: {
    summary: 'check client registrations, and manage clients in a store',
    load: async () => (await import('./commands/client.js')).client,
  },
  serve: {
    summary: 'run the demo site, optionally with your own content',
    load: async () => (await import('./commands/serve.js')).serve,
  },
  doctor: {
    summary: 'check a running server from the outside, and explain the findings',
    load: async () => (await import('./commands/doctor.js')).doctor,
  },
};

const help = (): string => `oauth-query <command> [options]

${Object.entries(COMMANDS)
  .map(([name, { summary }]) => `  ${name.padEnd(8)}${summary}`)
  .join('\n')}

  oauth-query <command> --help   the options of a command
  oauth-query --version          the version of this package

Exit codes: 0 success, 1 a finding or an error, 2 invalid command line.`;

const isHelp = (word: string): boolean => word === '--help' || word === '-h';

/** Looks for the option before `--`, after which there are no options. */
const wantsHelp = (args: readonly string[]): boolean => {
  const end = args.indexOf('--');
  return (end === -1 ? args : args.slice(0, end)).some(isHelp);
};

const run = async ([name, ...args]: readonly string[], terminal: Terminal): Promise<number | undefined> => {
  if (name === '--version' || name === '-V') {
    terminal.print(version());
    return EXIT.fine;
  }
  if (name === undefined || isHelp(name) || (name === 'help' && args.length === 0)) {
    if (name === undefined) terminal.tell(help());
    else terminal.print(help());
    return name === undefined ? EXIT.usage : EXIT.fine;
  }
  if (name === 'help') return run([args[0] ?? '', '--help'], terminal);
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (entry === undefined) {
    const known = Object.keys(COMMANDS).join(', ');
    throw new UsageError(`Unknown command ${JSON.stringify(name)}. Commands: ${known}. See: oauth-query --help`);
  }
  const command = await entry.load();
  if (wantsHelp(args)) {
    terminal.print(command.help.trimEnd());
    return EXIT.fine;
  }
  try {
    return await command.run(args, terminal);
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`${error.message} See: oauth-query ${name} --help`);
    throw error;
  }
};

/** @returns The exit code; `undefined` for a command that runs until it is stopped. */
export const runProgram = async (args: readonly string[], terminal: Terminal): Promise<number | undefined> => {
  try {
    return await run(args, terminal);
  } catch (error) {
    if (!(error instanceof UsageError) && !(error instanceof CommandError)) throw error;
    terminal.tell(error.message);
    return error instanceof UsageError ? EXIT.usage : EXIT.failed;
  }
};
