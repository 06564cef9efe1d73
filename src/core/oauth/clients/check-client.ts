import { ImpliedScopes } from '../facts/implied-scopes.js';
import { checkRegistration, withoutNulls } from './check-registration.js';
import type { ClientRow } from './client.js';

/** Settings of the server that registrations refer to. You can pass the server's options. */
export interface ClientCheckOptions {
  /** `options.scopes`; if absent, any scope is accepted. */
  readonly scopes?: Readonly<Record<string, unknown>> | undefined;
  /** The URIs of all custom grants; if absent, any is accepted. */
  readonly customGrants?: readonly string[] | undefined;
  /** Whether an issuer of `assertions()` vouches for clients, which then need neither a secret nor keys; if absent, that is accepted. */
  readonly vouchedClients?: boolean | undefined;
}

type Definitions = Readonly<Record<string, { readonly implies?: readonly string[] }>>;

const words = (text: unknown): readonly string[] => (typeof text === 'string' ? text.split(' ') : []);

/**
 * Validates a registration before it is saved: returns everything a server would reject.
 *
 * @param registration - As in `options.clients`, or as returned by a registry. `null` counts as absent.
 * @returns sentences that name the client, the field and the remedy; empty if a server accepts the registration.
 */
export const checkClient = (
  registration: ClientRow,
  { scopes, customGrants, vouchedClients }: ClientCheckOptions = {},
): readonly string[] => {
  const given = withoutNulls(registration);
  const known = scopes === undefined ? [...words(given.scope), ...words(given.default_scope)] : Object.keys(scopes);
  return checkRegistration(given, {
    scopes: new Set(known.filter((word) => word !== '')),
    // Descriptions may have any value here; only implied scopes matter.
    ...(scopes !== undefined && { impliedScopes: new ImpliedScopes(new Map(Object.entries(scopes as Definitions))) }),
    requirePkce: false,
    refreshTokens: true,
    ...(vouchedClients !== undefined && { vouchedClients }),
    ...(customGrants !== undefined && { customGrants: new Set(customGrants) }),
  }).problems;
};
