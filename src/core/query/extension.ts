import type { Feature, FeatureHost } from '../base/feature.js';
import type { BodyLimits } from '../base/http/body.js';
import type { Route } from '../base/http/messages.js';
import type { ApiFrame } from './describe/help/page.js';
import type { ModuleNode } from './describe/module-tree.js';
import type { QueryEnvironment } from './environment.js';
import type { Action } from './run/action.js';
import type { CallerLimiter } from './run/caller-limits.js';
import type { Site, SiteOptions } from './site/site.js';

/** The query API, as its extensions see it. */
export interface QueryParts {
  /** The path of the endpoint, below the mount point. */
  readonly path: string;
  /** The origins whose scripts may send requests with a signed-in user. */
  readonly origins: readonly string[];
  /** Whether reading content requires a token. */
  readonly private: boolean;
  /** The time limit of all handlers of a request together, in milliseconds. */
  readonly timeout: number;
  /** How large a request may be, and how long it may take. */
  readonly body: BodyLimits;
  /** Limits what callers may use; absent without `limits`. */
  readonly limiter: CallerLimiter | undefined;
  /** The site, with defaults. */
  readonly site: Site;
  /** The frame of help, in its languages. */
  readonly frame: ApiFrame;
  /** All modules of the API. */
  readonly tree: ModuleNode;
  /** `action=query` */
  readonly action: Action;
  /** What the API takes from the server. */
  readonly environment: QueryEnvironment;
  /** What the server offers to features. */
  readonly host: FeatureHost;
}

/** A further way to use the query API, from an entry of its own: a page, a document, tools for assistants. */
export interface QueryExtension {
  /** Whether it serves a page for trying the API out, at `sandbox` below the path of the API, to which help links. */
  readonly isSandbox?: boolean;
  /** The protected resources that it serves. */
  readonly resources?: (site: SiteOptions) => Feature['resources'];
  /** @throws TypeError if its options do not fit this server. */
  readonly start: (query: QueryParts) => readonly Route[];
}
