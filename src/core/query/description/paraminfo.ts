import type { HelpFormat } from '../help/descriptions.js';
import type { Described } from '../parameters/parse.js';
import { BOOLEAN, DEPRECATED_BOOLEAN, STRINGS } from '../catalogue/shared-parameters.js';
import { shownValues } from './shown-values.js';

const HELP_FORMATS = ['html', 'none', 'raw', 'wikitext'] as const satisfies readonly HelpFormat[];

/** `action=paraminfo` itself. The deprecated lists name the modules that there are. */
export const paraminfoModule = (queryModules: readonly string[], formats: readonly string[]) =>
  ({
    name: 'paraminfo',
    group: 'action',
    prefix: '',
    readrights: false,
    parameters: {
      modules: STRINGS,
      helpformat: { type: HELP_FORMATS, default: 'none' },
      querymodules: { type: shownValues(queryModules), multi: true, deprecated: true },
      mainmodule: DEPRECATED_BOOLEAN,
      pagesetmodule: DEPRECATED_BOOLEAN,
      formatmodules: { type: shownValues(formats), multi: true, deprecated: true },
    },
  }) as const satisfies Described;

/** `action=help` itself. */
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
export interface ParaminfoParams {
  readonly modules?: readonly string[];
  readonly helpformat: HelpFormat;
  readonly querymodules?: readonly string[];
  readonly mainmodule: boolean;
  readonly pagesetmodule: boolean;
  readonly formatmodules?: readonly string[];
}
