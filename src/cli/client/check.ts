import { isScopeToken } from '../../core/base/scope.js';
import { type CheckedRegistration, checkRegistrations } from '../../core/oauth/clients/check-registration.js';
import type { ClientRegistration } from '../../core/oauth/clients/client.js';
import { CommandError, EXIT, readArguments, UsageError } from '../command.js';
import { readInput, readJson } from '../input.js';
import { count, type Terminal, wrap } from '../terminal.js';
import { type Advice, adviceFor } from './advice.js';

/** The result of checking a registration. */
export interface Checked {
  readonly client_id: unknown;
  /** Why a server would reject it. */
  readonly problems: readonly string[];
  readonly advice: readonly Advice[];
  /** A summary of how a server interprets it. */
  readonly means?: string;
}

const parse = (text: string, source: string): readonly unknown[] => {
  const value = readJson(text, source);
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (all.length === 0) throw new CommandError(`${source} is an empty list. Add at least one registration.`);
  const other = all.findIndex((item) => !isRegistration(item));
  if (other !== -1) {
    throw new CommandError(
      `${source} must contain a registration, such as { "client_id": "web" }, or a list of them${all.length === 1 ? '' : `; item ${other + 1} is not an object`}.`,
    );
  }
  return all;
};

const isRegistration = (value: unknown): value is ClientRegistration =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const words = (text: unknown): readonly string[] =>
  typeof text === 'string' ? text.split(' ').filter((word) => word !== '') : [];

/**
 * The scopes in the option `--scopes`.
 *
 * @throws UsageError for an invalid scope.
 */
export const scopesIn = (option: string): readonly string[] => {
  const scopes = words(option);
  const wrong = scopes.find((word) => !isScopeToken(word));
  if (wrong !== undefined)
    throw new UsageError(
      `--scopes: ${JSON.stringify(wrong)} is not a scope. Separate scopes by spaces, as in "photos.read photos.write".`,
    );
  return scopes;
};

/** The scopes of the server; without the option, all scopes in the registrations, so that none is unknown. */
const knownScopes = (option: string | undefined, registrations: readonly ClientRegistration[]): readonly string[] =>
  option === undefined
    ? registrations.flatMap(({ scope, default_scope: usual }) => [...words(scope), ...words(usual)])
    : scopesIn(option);

const meaningOf = ({ client }: CheckedRegistration): string | undefined =>
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

/**
 * Checks registrations as a server does.
 *
 * @param scopes - The option `--scopes`.
 */
export const check = (registrations: readonly ClientRegistration[], scopes: string | undefined): readonly Checked[] => {
  const rules = {
    scopes: new Set(knownScopes(scopes, registrations)),
    requirePkce: false,
    refreshTokens: true,
  };
  return checkRegistrations(registrations, rules).map((checked, index) => {
    const registration = registrations[index];
    const { client, problems } = checked;
    const means = meaningOf(checked);
    return {
      client_id: registration?.client_id,
      problems,
      advice: client && registration ? adviceFor({ registration, client, now: Date.now() }) : [],
      ...(means !== undefined && { means }),
    };
  });
};

/** Formats warnings for a terminal. */
export const adviceLines = (advice: readonly Advice[], { style }: Pick<Terminal, 'style'>): readonly string[] =>
  advice.flatMap(({ rule, problem, remedy }) => [
    `  ${style('yellow', 'warning')} ${rule}`,
    ...[problem, remedy].flatMap(paragraph),
  ]);

const paragraph = (text: string): readonly string[] => wrap(text, 92).map((line) => `    ${line}`);

const report = (checked: readonly Checked[], terminal: Terminal): void => {
  for (const { client_id, problems, advice, means } of checked) {
    const name = typeof client_id === 'string' ? client_id : (JSON.stringify(client_id) ?? '(no client_id)');
    const lines = [
      terminal.style('bold', name),
      ...(means === undefined ? [] : paragraph(means)),
      ...problems.flatMap((problem) => [`  ${terminal.style('red', 'error')}`, ...paragraph(problem)]),
      ...adviceLines(advice, terminal),
      '',
    ];
    for (const line of lines) terminal.print(line);
  }
  const total = (of: (item: Checked) => readonly unknown[]): number => checked.flatMap(of).length;
  const errors = total(({ problems }) => problems);
  const warnings = total(({ advice }) => advice);
  terminal.print(`${count(checked.length, 'client')}: ${count(errors, 'error')}, ${count(warnings, 'warning')}.`);
};

/** `oauth-query client <file>`: checks all registrations in a file. */
export const checkFile = async (args: readonly string[], terminal: Terminal): Promise<number> => {
  const { values, positionals } = readArguments(args, { scopes: { type: 'string' }, json: { type: 'boolean' } }, 1);
  const [file] = positionals;
  if (file === undefined)
    throw new UsageError('Specify a file with registrations, - for standard input, or a command such as list.');
  const source = file === '-' ? 'The standard input' : file;
  const registrations = parse(await readInput(file, terminal), source).filter(isRegistration);
  const checked = check(registrations, values.scopes);
  if (values.json) terminal.print(JSON.stringify({ clients: checked }));
  else report(checked, terminal);
  return checked.some(({ problems }) => problems.length > 0) ? EXIT.failed : EXIT.fine;
};
