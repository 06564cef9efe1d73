import type { Languages } from '../../base/pages/languages/languages.js';
import type { Clients } from '../clients/clients.js';
import type { Registrations } from '../clients/registrations.js';
import type { ImpliedScopes } from '../facts/implied-scopes.js';
import type { Resources } from '../facts/resources.js';
import type { Lifetimes, PathName, ScopeDefinition } from '../facts/settings.js';
import type { KeySource } from '../keys/signing-keys.js';
import type { Directory } from '../sign-in/users.js';
import type { CustomGrant } from './custom-grant.js';

/** The paths that no program has built in: it reads them in the metadata, or a page links to them. */
export const FIXED_PATHS = {
  deviceVerify: ['/oauth/device/verify'],
  grants: ['/oauth/grants'],
  tokens: ['/oauth/tokens'],
  register: ['/oauth/register'],
  jwks: ['/oauth/jwks'],
  metadata: ['/.well-known/oauth-authorization-server'],
} as const;

/** The configuration of the authorization server: validated and completed options. */
export interface OAuthConfig {
  readonly issuer: string | undefined;
  readonly scopes: ReadonlyMap<string, ScopeDefinition>;
  readonly impliedScopes: ImpliedScopes;
  readonly resources: Resources;
  /** Including custom grants. */
  readonly grants: ReadonlySet<string>;
  readonly customGrants: ReadonlyMap<string, CustomGrant>;
  readonly clients: Clients;
  /** Self-registered clients, if enabled. */
  readonly registrations: Registrations | undefined;
  readonly users: Directory | undefined;
  /** Personal tokens of owners, if enabled. */
  readonly personalTokens: { readonly maxDays: number } | undefined;
  /** The languages of the pages. */
  readonly languages: Languages;
  /** Metadata members set by the application. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly paths: Readonly<Record<PathName, readonly [string, ...string[]]>> & typeof FIXED_PATHS;
  readonly lifetimes: Lifetimes;
  /** Milliseconds that a request may take. */
  readonly timeout: number;
  readonly corsOrigins: ReadonlySet<string>;
  /** Whether the server keeps when and how owners sign in, because a feature reads it. */
  readonly keepsSignIn: boolean;
  /** Whether tokens may be bound to keys. */
  readonly bindsTokens: boolean;
  /** The keys of access tokens that are JWTs. */
  readonly jwt?: KeySource | true;
}
