import type { StoredClient } from 'oauth-query/clients';
import { printable, type Terminal } from '../terminal.js';
import { type Advice } from './advice.js';
import { adviceLines, check } from './check.js';

type Secret = { readonly [hash: string]: unknown; readonly expiresAt?: number };

/** A client as shown to users. Of its secrets, only hash function and expiry. */
export interface Description {
  readonly client_id: string;
  readonly version: number;
  /** Milliseconds since the epoch. */
  readonly changed_at: number;
  readonly registration: Readonly<Record<string, unknown>>;
  readonly secrets: readonly { readonly hash: string; readonly expires_at?: number }[];
}

export const describe = ({ client_id, version, changedAt, registration }: StoredClient): Description => {
  const { client_id: _, client_secret, ...fields } = registration;
  // Stored secrets are a list of hashes.
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

/** Formats a time as ISO 8601. */
export const instant = (milliseconds: number): string => new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');

/** Summarizes a client and its warnings. */
export const judge = ({
  registration,
}: StoredClient): { readonly means: string; readonly advice: readonly Advice[] } => {
  const [checked] = check([registration], undefined);
  return { means: checked?.means ?? '', advice: checked?.advice ?? [] };
};

/** Formats a client with all its fields. */
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

/** Formats a client as a line of a list. */
export const clientLine = ({ client_id, registration }: StoredClient): string => {
  const isConfidential = registration.client_secret !== undefined || registration.jwks !== undefined;
  const kind = isConfidential ? 'confidential' : 'public';
  const state = registration.disabled === true ? 'disabled' : 'enabled';
  return `${printable(client_id).padEnd(26)}${kind.padEnd(14)}${state.padEnd(10)}${printable(registration.client_name ?? '')}`.trimEnd();
};
