import { checkClient, type ClientRow } from 'oauth-query';
import { CommandError, EXIT, readArguments, UsageError } from '../command.js';
import { readInput, readJson } from '../input.js';
import { count, type Terminal, wrap } from '../terminal.js';

/** What a server would reject about one registration. */
interface Checked {
  readonly client_id: unknown;
  readonly problems: readonly string[];
}

const isRegistration = (value: unknown): value is ClientRow =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const registrationsIn = (text: string, source: string): readonly ClientRow[] => {
  const all = [readJson(text, source)].flat();
  if (all.length === 0) throw new CommandError(`${source} is an empty list. Add at least one registration.`);
  const other = all.findIndex((item) => !isRegistration(item));
  if (other !== -1)
    throw new CommandError(
      `${source} must contain a registration, such as { "client_id": "web" }, or a list of them${all.length === 1 ? '' : `; item ${other + 1} is not an object`}.`,
    );
  return all.filter(isRegistration);
};

/** The scopes of the server, as `checkClient` takes them. */
const scopesIn = (option: string): Readonly<Record<string, true>> => {
  const scopes = option.split(' ').filter((word) => word !== '');
  const wrong = scopes.find((word) => !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(word));
  if (wrong !== undefined)
    throw new UsageError(
      `--scopes: ${JSON.stringify(wrong)} is not a scope. Separate scopes by spaces, as in "photos.read photos.write".`,
    );
  return Object.fromEntries(scopes.map((scope) => [scope, true]));
};

const check = (registrations: readonly ClientRow[], option: string | undefined): readonly Checked[] => {
  const server = option === undefined ? {} : { scopes: scopesIn(option) };
  const ids = registrations.map(({ client_id }) => client_id);
  return registrations.map((registration, at) => {
    const { client_id } = registration;
    const about = `Client ${JSON.stringify(client_id)}`;
    // Rows of a table may have them, the list of the option may not.
    const nulls = Object.entries(registration).filter(([, value]) => value === null);
    const isTwice = client_id !== undefined && ids.indexOf(client_id) !== at;
    return {
      client_id,
      problems: [
        ...checkClient(registration, server),
        ...nulls.map(([name]) => `${about}: ${name} is null. Leave it out.`),
        ...(isTwice ? [`${about} is registered twice. Remove one.`] : []),
      ],
    };
  });
};

const report = (checked: readonly Checked[], terminal: Terminal): void => {
  for (const { client_id, problems } of checked) {
    terminal.print(terminal.style('bold', typeof client_id === 'string' ? client_id : '(no client_id)'));
    for (const problem of problems) {
      terminal.print(`  ${terminal.style('red', 'error')}`);
      for (const line of wrap(problem, 92)) terminal.print(`    ${line}`);
    }
  }
  const errors = checked.flatMap(({ problems }) => problems).length;
  terminal.print(`${count(checked.length, 'client')}: ${count(errors, 'error')}.`);
};

/** `oauth-query client <file>`: checks all registrations in a file as a server does. */
export const checkFile = async (args: readonly string[], terminal: Terminal): Promise<number> => {
  const { values, positionals } = readArguments(args, { scopes: { type: 'string' }, json: { type: 'boolean' } }, 1);
  const [file] = positionals;
  if (file === undefined)
    throw new UsageError('Specify a file with registrations, - for standard input, or a command such as list.');
  const source = file === '-' ? 'The standard input' : file;
  const checked = check(registrationsIn(await readInput(file, terminal), source), values.scopes);
  if (values.json) terminal.print(JSON.stringify({ clients: checked }));
  else report(checked, terminal);
  return checked.some(({ problems }) => problems.length > 0) ? EXIT.failed : EXIT.fine;
};
