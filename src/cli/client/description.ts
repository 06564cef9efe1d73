import type { StoredClient } from 'oauth-query/clients';
import type { Terminal } from '../terminal.js';
import { type Advice } from './advice.js';
import { adviceLines, check } from './check.js';

type Secret = { readonly [hash: string]: unknown; readonly expiresAt?: number };

/** A client for programs and people: of its secrets only how many there are, and until when. */
export interface Description {
  readonly client_id: string;
  readonly version: number;
  /** Milliseconds since the epoch. */
  readonly changed_at: number;
  readonly registration: Readonly<Record<string, unknown>>;
  readonly secrets: readonly { readonly hash: string; readonly expires_at?: number }[];
}

/** What came over the network, or from other people, must not steer the terminal that shows it. */
export const printable = (text: string): string =>
  text.replace(
    /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

export const describe = ({ client_id, version, changedAt, registration }: StoredClient): Description => {
  const { client_id: _, client_secret, ...fields } = registration;
  // Stored ones are a list of hashes.
  const secrets = (client_secret ?? []) as readonly Secret[];
  return {
    client_id,
    version,
    changed_at: changedAt,
    registration: fields,
    secrets: secrets.map(({ expiresAt, ...hashes }) => ({
      hash: Object.keys(hashes)[0] ?? '',
      ...(expiresAt !== undefined && { expires_at: expiresAt }),
    })),
  };
};

/** When an instant is, as people on servers write it. */
export const instant = (milliseconds: number): string => new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');

/** What a server reads in a client, and what is doubtful about it. */
export const judge = ({
  registration,
}: StoredClient): { readonly means: string; readonly advice: readonly Advice[] } => {
  const [checked] = check([registration], undefined);
  return { means: checked?.means ?? '', advice: checked?.advice ?? [] };
};

/** A client with all that is known about it. */
export const clientLines = (client: StoredClient, terminal: Terminal): readonly string[] => {
  const { client_id, version, changed_at, registration, secrets } = describe(client);
  const { means, advice } = judge(client);
  const ends = secrets.map(({ hash, expires_at }) =>
    expires_at === undefined ? hash : `${hash} until ${instant(expires_at)}`,
  );
  return [
    terminal.style('bold', printable(client_id)),
    `    ${means}`,
    `    version ${version}, changed ${instant(changed_at)}`,
    ...Object.entries(registration).map(([name, value]) => `  ${name}: ${printable(JSON.stringify(value))}`),
    ...(ends.length === 0 ? [] : [`  secrets: ${ends.join(', ')}`]),
    ...adviceLines(advice, terminal),
  ];
};

/** A client in a list. */
export const clientLine = ({ client_id, registration }: StoredClient): string => {
  const isConfidential = registration.client_secret !== undefined || registration.jwks !== undefined;
  const kind = isConfidential ? 'confidential' : 'public';
  const state = registration.disabled === true ? 'disabled' : 'enabled';
  return `${printable(client_id).padEnd(26)}${kind.padEnd(14)}${state.padEnd(10)}${printable(registration.client_name ?? '')}`.trimEnd();
};
