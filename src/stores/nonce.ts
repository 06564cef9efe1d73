import { randomBytes } from 'node:crypto';

const PROCESS = randomBytes(6).toString('base64url');
let calls = 0;

/**
 * A text that is unique to this call, across processes. If a record contains it, this very call wrote the record, and
 * the driver resent the command because it saw no response to the first one.
 */
export const nextNonce = (): string => PROCESS + (calls += 1).toString(36);
