import type { RequestListener } from 'node:http';
import type { Framework } from '../candidates.js';
import { minimumPlusProtocol } from './minimum-plus-protocol.js';
import { listenerOf } from './minimum.js';

export const listener = (framework: Framework): Promise<RequestListener> => listenerOf(framework, minimumPlusProtocol);
