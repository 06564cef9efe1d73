import type { Kinds } from '../base/records.js';
import { DEVICE_FLOW } from '../oauth/device/device-flow.js';
import type { DeviceView } from '../oauth/device/device-pages.js';
import type { SharedView } from '../oauth/pages/views.js';
import { CHAIN } from '../oauth/records/chain-record.js';
import {
  CONNECTION,
  CONSENT_DECISION,
  GRANT,
  MARK,
  REMEMBERED_CONSENT,
  SIGNED_OUT,
  TOKEN,
} from '../oauth/records/stored-records.js';
import { SHARED_TOKEN_PARAMETERS } from '../oauth/token/token.js';

/** The built-in grants with records and endpoints of their own. */
export const CAPABILITIES = [DEVICE_FLOW] as const;

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
  revoked: ['takes', MARK],
  'ended-session': ['takes', MARK],
  'signed-out': ['takes', SIGNED_OUT],
  'consent-decision': ['takes', CONSENT_DECISION],
  assertion: ['takes', MARK],
  proof: ['takes', MARK],
  limit: ['takes', MARK],
  ...DEVICE_FLOW.kinds,
} as const satisfies Kinds;

/** The data of a page. */
export type View = SharedView | DeviceView;

/** The parameters of all built-in grants, enabled or not. */
export const TOKEN_PARAMETERS = { ...SHARED_TOKEN_PARAMETERS, ...DEVICE_FLOW.parameters };
