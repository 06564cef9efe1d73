import { DEPRECATED_STRING, INTEGER, STRING } from '../../catalogue/shared-parameters.js';
import type { ParamDescriptor } from '../../descriptor/descriptor.js';
import type { Described, ParsedBy } from '../../parameters/parse.js';

/** Pages have one slot. */
const SLOTS = { type: ['main'], multi: true } as const satisfies ParamDescriptor;

/** `action=compare`: the difference between two revisions, pages or texts. */
export const compareModule = {
  name: 'compare',
  group: 'action',
  prefix: '',
  // Texts of pages; their length is checked by the action.
  uncleaned: ['fromtext-main', 'fromtext', 'totext-main', 'totext'],
  parameters: {
    fromtitle: STRING,
    fromid: INTEGER,
    fromrev: INTEGER,
    fromslots: SLOTS,
    'fromtext-{slot}': { type: 'string', templatevars: { slot: 'fromslots' } },
    fromtext: DEPRECATED_STRING,
    totitle: STRING,
    toid: INTEGER,
    torev: INTEGER,
    torelative: { type: ['prev', 'next', 'cur'] },
    toslots: SLOTS,
    'totext-{slot}': { type: 'string', templatevars: { slot: 'toslots' } },
    totext: DEPRECATED_STRING,
    prop: {
      type: ['diff', 'diffsize', 'ids', 'title', 'user', 'comment', 'parsedcomment', 'size', 'timestamp'],
      multi: true,
      default: 'diff|ids|title',
    },
  },
} as const satisfies Described;

/** The parsed parameters of `action=compare`. */
export type CompareParams = ParsedBy<typeof compareModule>;
