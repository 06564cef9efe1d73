import { ERROR_FORMATS } from '../answer/error-format.js';
import type { Described, ParsedBy } from '../parameters/parse.js';

/** The actions of the endpoint. */
export const ACTIONS = ['help', 'opensearch', 'paraminfo', 'parse', 'query'] as const;
/** `json` for programs, `jsonfm` for people: the same in a page; `none` for responses without a body. */
export const FORMATS = ['json', 'jsonfm', 'none'] as const;

/** Parameters of every request, in the order in which errors are reported. */
export const mainModule = {
  name: 'main',
  group: 'main',
  prefix: '',
  parameters: {
    action: { type: ACTIONS, default: 'help' },
    format: { type: FORMATS, default: 'jsonfm' },
    maxlag: { type: 'integer' },
    smaxage: { type: 'integer', min: 0, default: 0 },
    maxage: { type: 'integer', min: 0, default: 0 },
    assert: { type: ['anon', 'bot', 'user'] },
    assertuser: { type: 'user', subtypes: ['name', 'temp'] },
    requestid: { type: 'string' },
    servedby: { type: 'boolean' },
    curtimestamp: { type: 'boolean' },
    responselanginfo: { type: 'boolean' },
    origin: { type: 'string' },
    crossorigin: { type: 'boolean' },
    uselang: { type: 'string', default: 'user' },
    variant: { type: 'string' },
    errorformat: { type: ERROR_FORMATS, default: 'bc' },
    errorlang: { type: 'string', default: 'uselang' },
    errorsuselocal: { type: 'boolean' },
  },
} as const satisfies Described;

/** The parameters of the JSON printer. */
export const jsonModule = {
  name: 'json',
  group: 'action',
  prefix: '',
  parameters: {
    callback: { type: 'string' },
    utf8: { type: 'boolean' },
    ascii: { type: 'boolean' },
    formatversion: { type: ['1', '2', 'latest'], default: '1' },
  },
} as const satisfies Described;

/** The parsed parameters of every request. */
export type MainParams = ParsedBy<typeof mainModule>;

/** The raw parameters that determine the response format. They are read before parsing, because errors need them. */
export interface MainTexts {
  get(wireName: keyof typeof mainModule.parameters | keyof typeof jsonModule.parameters): string | undefined;
}

/** The printers, for descriptions. All but `none` have the same parameters. */
export const formatModules: readonly Described[] = FORMATS.map((name) => ({
  ...jsonModule,
  name,
  ...(name === 'none' ? { parameters: {} } : {}),
}));
