import { randomBytes } from 'node:crypto';

const PROCESS = randomBytes(6).toString('base64url');
let calls = 0;

const REV = /^[!-~]{1,64}$/;

/**
 * The text next to a record by which `swap` recognises it: its `rev`, or a text that no caller knows, unique to this call. If a
 * stored record has the same, this very call wrote it, and the driver resent the command because it saw no response to the first one.
 */
export function revisionOf(value: object): string {
  const rev: unknown = 'rev' in value ? value.rev : undefined;
  return typeof rev === 'string' && REV.test(rev) ? rev : PROCESS + (calls += 1).toString(36);
}
