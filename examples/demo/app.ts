import type { RequestListener } from 'node:http';
import type { SiteOptions } from './site.js';

/** What a framework is given to build the demo with. */
export interface AppSetup {
  readonly options: SiteOptions;
  /** By path. */
  readonly pages: Readonly<Record<string, (query: URLSearchParams) => Page>>;
}

/** A page of the demo's own. */
export interface Page {
  readonly type: 'text/html' | 'text/plain';
  readonly body: string;
}

/** The parameters of a request's address, whatever its path looks like: `//?x` is no address to `URL`. */
export const parametersOf = (address: string): URLSearchParams => new URLSearchParams(/\?.*/s.exec(address)?.[0]);

export type BuildApp = (setup: AppSetup) => Promise<RequestListener>;
