import type { RequestListener } from 'node:http';
import type { AdapterOptions } from '../../src/adapters/facade.js';
import type { Issue } from '../../src/core/oauth/owners/issue.js';
import type { OwnerGrants } from '../../src/core/oauth/owners/owner-grants.js';
import type { Owners } from '../../src/core/oauth/owners/owners.js';
import type { GuardOptions } from '../../src/resource-server/index.js';
import type { WantedScope } from './guard-with.js';

/** Options that fit every framework. By default, the issuer is where the host listens. */
export type HostOptions = AdapterOptions<unknown>;

export interface GuardedRoute extends GuardOptions {
  readonly scope: WantedScope;
}

/** The host that a test needs. */
export interface HostSetup {
  readonly options?: HostOptions | ((base: string) => HostOptions);
  /** The server gets no issuer, unless the options have one. */
  readonly withoutIssuer?: boolean;
  /** `/guarded/<name>` → what it requires; by default `profile`, with that scope. */
  readonly guarded?: Readonly<Record<string, GuardedRoute>>;
}

/** What a framework needs to know to build its app. */
export interface AppSetup {
  readonly options: AdapterOptions<unknown>;
  readonly guarded: Readonly<Record<string, GuardedRoute>>;
  /** `''` for the root. */
  readonly prefix: string;
  /** Whether the host has its body parser in front of us, or on its own routes only. */
  readonly parserInFront: boolean;
  /** Everything that reaches the host's error handler. */
  readonly errors: unknown[];
}

/**
 * An app with its own routes in addition to ours: `GET /guarded/<name>` answers `{ auth }`; `POST /echo` (a form) and
 * `POST /json` answer `{ body }`; `GET /signed-in` answers `{ owner }`, or `null` for it; `GET /broken` throws. Its error handler answers 500 `{ host: 'error' }`.
 */
export interface App {
  readonly listener: RequestListener;
  readonly grants: OwnerGrants;
  readonly issue: Issue;
  readonly owners: Owners;
  close(): Promise<void>;
}

export type BuildApp = (setup: AppSetup) => Promise<App>;
