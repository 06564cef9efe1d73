import type { RequestListener } from 'node:http';
import type { Framework } from '../candidates.js';
export declare const listener: (framework: Framework) => Promise<RequestListener>;
