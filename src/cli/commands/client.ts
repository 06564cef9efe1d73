import { type ClientRegistration, type Inspection, inspectRegistrations } from '../../core/oauth/client.js';
import { isScopeToken } from '../../core/oauth/scope.js';
import { type Advice, adviceFor } from '../client/advice.js';
import { type Command, CommandError, EXIT, readArguments, UsageError } from '../command.js';
import { readInput } from '../input.js';
import { count, type Terminal, wrap } from '../terminal.js';

interface Checked {
  readonly client_id: unknown;
  /** Why a server refuses to start with it. */
  readonly problems: readonly string[];
  readonly advice: readonly Advice[];
  /** What a server reads in it. */
  readonly means?: string;
}

const parse = (text: string, source: string): readonly unknown[] => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(`${source} is not JSON: ${reason}. Names and texts stand in double quotes.`);
  }
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (all.length === 0) throw new CommandError(`${source} is an empty list. Put at least one registration into it.`);
  const other = all.findIndex((item) => typeof item !== 'object' || item === null || Array.isArray(item));
  if (other !== -1) {
    throw new CommandError(
      `${source} must hold a registration, such as { "client_id": "web" }, or a list of them; ${all.length === 1 ? 'it holds something else' : `item ${other + 1} is something else`}.`,
    );
  }
  return all;
};

const isRegistration = (value: unknown): value is ClientRegistration => typeof value === 'object' && value !== null;

/** The scopes of the server; without the option all that the registrations name, so that none is unknown. */
const knownScopes = (option: string | undefined, registrations: readonly ClientRegistration[]): ReadonlySet<string> => {
  const words = (text: unknown): readonly string[] =>
    typeof text === 'string' ? text.split(' ').filter((word) => word !== '') : [];
  if (option === undefined)
    return new Set(registrations.flatMap(({ scope, default_scope: usual }) => [...words(scope), ...words(usual)]));
  const wrong = words(option).find((word) => !isScopeToken(word));
  if (wrong !== undefined)
    throw new UsageError(`--scopes: ${JSON.stringify(wrong)} is no scope; write them like "photos.read photos.write".`);
  return new Set(words(option));
};

const meaningOf = ({ client }: Inspection): string | undefined =>
  client === undefined
    ? undefined
    : [
        client.public ? 'public' : client.jwks === undefined ? 'confidential' : 'confidential, by signed assertion',
        [...client.grantTypes].join(', '),
        ...(client.refresh === 'none' ? [] : [`${client.refresh} refresh tokens`]),
        ...(client.grantTypes.has('authorization_code')
          ? [`PKCE ${client.requirePkce ? 'required' : 'optional'}`]
          : []),
        ...(client.introspect ? ['may introspect'] : []),
      ].join('; ');

const check = (registrations: readonly ClientRegistration[], scopes: ReadonlySet<string>): readonly Checked[] => {
  const rules = { scopes, introspectionScope: 'introspect', requirePkce: false, refreshTokens: true };
  return inspectRegistrations(registrations, rules).map((inspection, index) => {
    const registration = registrations[index];
    const { client, problems } = inspection;
    const means = meaningOf(inspection);
    return {
      client_id: registration?.client_id,
      problems,
      advice: client && registration ? adviceFor({ registration, client, now: Date.now() }) : [],
      ...(means !== undefined && { means }),
    };
  });
};

const report = (checked: readonly Checked[], terminal: Terminal): void => {
  const paragraph = (text: string): void => {
    for (const line of wrap(text, 92)) terminal.print(`    ${line}`);
  };
  for (const { client_id, problems, advice, means } of checked) {
    terminal.print(
      terminal.style(
        'bold',
        typeof client_id === 'string' ? client_id : (JSON.stringify(client_id) ?? '(no client_id)'),
      ),
    );
    if (means !== undefined) paragraph(means);
    for (const problem of problems) {
      terminal.print(`  ${terminal.style('red', 'error')}`);
      paragraph(problem);
    }
    for (const { rule, problem, remedy } of advice) {
      terminal.print(`  ${terminal.style('yellow', 'warning')} ${rule}`);
      paragraph(problem);
      paragraph(remedy);
    }
    terminal.print('');
  }
  const total = (of: (item: Checked) => readonly unknown[]): number => checked.flatMap(of).length;
  const errors = total(({ problems }) => problems);
  const warnings = total(({ advice }) => advice);
  terminal.print(`${count(checked.length, 'client')}: ${count(errors, 'error')}, ${count(warnings, 'warning')}.`);
};

export const client: Command = {
  help: `oauth-query client: check the registrations of clients before a server starts with them

  oauth-query client [--scopes "a b"] [--json] <file>
  oauth-query client [--scopes "a b"] [--json] -

The file holds one registration or a list of them as JSON, with the names that the option
\`clients\` has. A dash reads it from the standard input. What the server would refuse is an
error, all of it at once; what it accepts and is doubtful is a warning with its remedy.

  --scopes  The scopes of the server, separated by spaces. Without it every scope counts as known.
  --json    Print JSON for a program.

It ends with 1 if there is an error; warnings alone are fine.

Example:
  echo '{ "client_id": "spa", "redirect_uris": ["https://app.example/cb"] }' | oauth-query client -
`,
  run: async (args, terminal) => {
    const { values, positionals } = readArguments(args, { scopes: { type: 'string' }, json: { type: 'boolean' } }, 1);
    const [file] = positionals;
    if (file === undefined) throw new UsageError('Name the file with the registration, or - for the standard input.');
    const source = file === '-' ? 'The standard input' : file;
    const registrations = parse(await readInput(file, terminal), source).filter(isRegistration);
    const checked = check(registrations, knownScopes(values.scopes, registrations));
    if (values.json) terminal.print(JSON.stringify({ clients: checked }));
    else report(checked, terminal);
    return checked.some(({ problems }) => problems.length > 0) ? EXIT.failed : EXIT.fine;
  },
};
