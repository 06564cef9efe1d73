import type { RequestListener } from 'node:http';
import type { SiteOptions } from './site.js';

/** What a framework is given to build the demo with. */
export interface AppSetup {
  readonly options: SiteOptions;
  /** Pages as plain text, by path. */
  readonly pages: Readonly<Record<string, (query: URLSearchParams) => string>>;
}

export type BuildApp = (setup: AppSetup) => Promise<RequestListener>;
