import type { KeySource } from '../../base/key-source.js';
import type { Languages } from '../../base/pages/languages/languages.js';
import type { EnforcedRules } from '../../base/rules.js';
import type { GrantPart } from '../../feature/parts.js';
import type { Clients, OwnClients } from '../clients/clients.js';
import type { ImpliedScopes } from '../facts/implied-scopes.js';
import type { Resources } from '../facts/resources.js';
import type { FixedPathName, Lifetimes, PathName, ScopeDefinition } from '../facts/settings.js';
import type { Directory } from '../sign-in/users.js';
import type { CustomGrant } from './custom-grant.js';

/** The configuration of the authorization server: validated and completed options. */
export interface OAuthConfig {
  readonly issuer: string | undefined;
  readonly scopes: ReadonlyMap<string, ScopeDefinition>;
  readonly impliedScopes: ImpliedScopes;
  readonly resources: Resources;
  /** Including those of features. */
  readonly grants: ReadonlySet<string>;
  /** Those of features, which follow when they have started. */
  readonly customGrants: Map<string, CustomGrant>;
  /** Grants of features that decide about the whole request, when the features have started. */
  readonly featureGrants: Map<string, GrantPart>;
  readonly clients: Clients;
  /** Whether a feature authenticates clients that have neither a secret nor keys. */
  readonly vouchedClients: boolean;
  /** Clients that features know. */
  readonly ownClients: OwnClients;
  readonly users: Directory | undefined;
  /** The languages of the pages. */
  readonly languages: Languages;
  /** Metadata members set by the application. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly paths: Readonly<Record<PathName | FixedPathName, readonly [string, ...string[]]>>;
  readonly lifetimes: Lifetimes;
  /** Milliseconds that a request may take. */
  readonly timeout: number;
  readonly corsOrigins: ReadonlySet<string>;
  /** Whether the server keeps when and how owners sign in, because a feature reads it. */
  readonly keepsSignIn: boolean;
  /** Whether tokens may be bound to keys. */
  readonly bindsTokens: boolean;
  /** The limits of all features. */
  readonly rules: EnforcedRules;
  /** The keys of access tokens that are JWTs. */
  readonly jwt?: KeySource | true;
}
