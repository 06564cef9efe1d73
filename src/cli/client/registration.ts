import { CommandError, UsageError } from '../command.js';
import { readInput, readJson, readSecret } from '../input.js';
import type { Terminal } from '../terminal.js';

/** Options for the fields of a registration. */
export const REGISTRATION_OPTIONS = {
  name: { type: 'string' },
  'redirect-uri': { type: 'string', multiple: true },
  grant: { type: 'string', multiple: true },
  scope: { type: 'string' },
  'default-scope': { type: 'string' },
  from: { type: 'string' },
  'secret-stdin': { type: 'boolean' },
  scopes: { type: 'string' },
} as const;

export interface RegistrationValues {
  readonly name?: string | undefined;
  readonly 'redirect-uri'?: readonly string[] | undefined;
  readonly grant?: readonly string[] | undefined;
  readonly scope?: string | undefined;
  readonly 'default-scope'?: string | undefined;
  readonly from?: string | undefined;
  readonly 'secret-stdin'?: boolean | undefined;
}

/** Fields of a registration by name. */
export type Fields = Readonly<Record<string, unknown>>;

const readFields = async (file: string, terminal: Terminal): Promise<Fields> => {
  const source = file === '-' ? 'The standard input' : file;
  const value = readJson(await readInput(file, terminal), source);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new CommandError(
      `${source} must contain one object with fields of a registration, such as { "client_name": "Photos" }.`,
    );
  return Object.fromEntries(Object.entries(value));
};

/**
 * The fields of a command line: those of the file, overridden by options.
 *
 * @throws UsageError, CommandError
 */
export const fieldsOf = async (values: RegistrationValues, terminal: Terminal): Promise<Fields> => {
  const { from, 'secret-stdin': hasSecret = false } = values;
  if (from === '-' && hasSecret)
    throw new UsageError(
      '--from - and --secret-stdin both read standard input. Put client_secret into the JSON, or use a file.',
    );
  const file = from === undefined ? {} : await readFields(from, terminal);
  const options = {
    client_name: values.name,
    redirect_uris: values['redirect-uri'],
    grant_types: values.grant,
    scope: values.scope,
    default_scope: values['default-scope'],
    client_secret: hasSecret ? await readSecret(terminal) : undefined,
  };
  return { ...file, ...Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) };
};
