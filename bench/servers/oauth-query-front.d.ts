import type { RequestListener } from 'node:http';
import type { Framework } from '../candidates.js';
import type { Setup } from './setting.js';
/** The adapter for plain `node:http` in front of an application, which answers all other requests. */
export declare const listener: (framework: Framework, setup: Setup) => Promise<RequestListener>;
