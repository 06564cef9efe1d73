import { BOOLEAN, DEPRECATED_BOOLEAN, STRINGS } from '../catalogue/shared-parameters.js';
import type { ModuleParams } from '../descriptor/module-params.js';
import type { Described } from '../parameters/parse.js';
import type { HelpFormat } from './texts/help-text.js';

const HELP_FORMATS = ['html', 'none', 'raw', 'wikitext'] as const satisfies readonly HelpFormat[];

/** `action=paraminfo`. The deprecated parameters list the existing modules. */
export const paraminfoModule = (queryModules: readonly string[], formats: readonly string[]) =>
  ({
    name: 'paraminfo',
    group: 'action',
    prefix: '',
    readrights: false,
    parameters: {
      modules: STRINGS,
      helpformat: { type: HELP_FORMATS, default: 'none' },
      querymodules: { type: queryModules, multi: true, deprecated: true },
      mainmodule: DEPRECATED_BOOLEAN,
      pagesetmodule: DEPRECATED_BOOLEAN,
      formatmodules: { type: formats, multi: true, deprecated: true },
    },
  }) as const satisfies Described;

/** `action=help`. */
export const helpModule = {
  name: 'help',
  group: 'action',
  prefix: '',
  readrights: false,
  parameters: {
    modules: { type: 'string', multi: true, default: 'main' },
    submodules: BOOLEAN,
    recursivesubmodules: BOOLEAN,
    wrap: BOOLEAN,
    toc: BOOLEAN,
  },
} as const satisfies Described;

/** The parsed parameters of `action=paraminfo`. */
export type ParaminfoParams = ModuleParams<ReturnType<typeof paraminfoModule>>;

/** The parsed parameters of `action=help`. */
export type HelpParams = ModuleParams<typeof helpModule>;
