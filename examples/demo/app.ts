import type { RequestListener } from 'node:http';
import type { SiteOptions } from './site.js';

/** The input of the functions that build the demo with a framework. */
export interface AppSetup {
  readonly options: SiteOptions;
  /** By path. */
  readonly pages: Readonly<Record<string, (query: URLSearchParams) => Page>>;
}

/** A page of the demo. */
export interface Page {
  readonly type: 'text/html' | 'text/plain';
  readonly body: string;
}

/** The query parameters of a request, for any path: `URL` cannot parse `//?x`. */
export const parametersOf = (address: string): URLSearchParams => new URLSearchParams(/\?.*/s.exec(address)?.[0]);

export type BuildApp = (setup: AppSetup) => Promise<RequestListener>;
