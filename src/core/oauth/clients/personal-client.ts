import type { ClientRegistration } from './client.js';

/** The `client_id` of personal tokens, in events, lists and introspection. */
export const PERSONAL_TOKENS = 'personal-tokens';

/** Personal tokens that owners create for scripts and assistants. */
export interface PersonalTokenOptions {
  /** The scopes that owners may choose from; default: all but `introspect`. */
  readonly scopes?: readonly string[];
  /** The longest lifetime of a token, in days. Default: 365. */
  readonly maxDays?: number;
}

export const DAY = 86_400;

/** The client that all personal tokens belong to. It has no secret and no grant, so it can request nothing. */
export const personalClient = ({
  scopes,
  maxDays,
}: {
  readonly scopes?: readonly string[] | undefined;
  readonly maxDays: number;
}): ClientRegistration => ({
  client_id: PERSONAL_TOKENS,
  client_name: 'Personal tokens',
  grant_types: [],
  access_token_lifetime: maxDays * DAY,
  ...(scopes !== undefined && { scope: scopes.join(' ') }),
});
