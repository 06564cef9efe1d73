import type { Kinds } from '../../base/records.js';
import { CHAIN } from './chain-record.js';
import {
  CONNECTION,
  CONSENT_DECISION,
  DEVICE,
  GRANT,
  MARK,
  PACE,
  REMEMBERED_CONSENT,
  SIGNED_OUT,
  TOKEN,
  USER_CODE,
} from './stored-records.js';

/**
 * All kinds of records, as their keys begin, and whether they give access or take it away. It decides how a record of an unknown shape is read,
 * which another version may have written: one that gives access is missing, and one that takes it away is there.
 */
export const KINDS = {
  connection: ['gives', CONNECTION],
  grant: ['gives', GRANT],
  token: ['gives', TOKEN],
  chain: ['gives', CHAIN],
  'remembered-consent': ['gives', REMEMBERED_CONSENT],
  'user-code': ['gives', USER_CODE],
  device: ['gives', DEVICE],
  revoked: ['takes', MARK],
  'ended-session': ['takes', MARK],
  'signed-out': ['takes', SIGNED_OUT],
  'consent-decision': ['takes', CONSENT_DECISION],
  assertion: ['takes', MARK],
  proof: ['takes', MARK],
  // Missing, the pace of a device begins again. A device whose polls all failed would never get its tokens.
  pace: ['gives', PACE],
  limit: ['takes', MARK],
} as const satisfies Kinds;
