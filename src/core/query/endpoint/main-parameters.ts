import { ERROR_FORMATS } from '../answer/error-format.js';
import { FORMATS, isXml } from '../answer/print.js';
import type { Described, ParsedBy } from '../parameters/parse.js';

/** The actions of the endpoint. */
const ACTIONS = ['compare', 'help', 'opensearch', 'paraminfo', 'parse', 'query'] as const;

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

/** The parameters of the XML printer. */
export const xmlModule = {
  name: 'xml',
  group: 'action',
  prefix: '',
  parameters: { includexmlnamespace: { type: 'boolean' } },
} as const satisfies Described;

/** The parsed parameters of every request. */
export type MainParams = ParsedBy<typeof mainModule>;

/** The raw parameters that determine the response format. They are read before parsing, because errors need them. */
export interface MainTexts {
  get(
    wireName:
      | keyof typeof mainModule.parameters
      | keyof typeof jsonModule.parameters
      | keyof typeof xmlModule.parameters,
  ): string | undefined;
}

/** The printers, for descriptions. */
export const formatModules: readonly Described[] = FORMATS.map((name) => {
  const { group, prefix, parameters } = isXml(name) ? xmlModule : jsonModule;
  return { name, group, prefix, parameters: name === 'none' ? {} : parameters };
});
