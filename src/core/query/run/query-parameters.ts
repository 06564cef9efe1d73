import type { ModuleDescriptor } from '../descriptor/descriptor.js';
import type { ModuleParams } from '../descriptor/module-params.js';
import type { Described } from '../parameters/parse.js';

/** The versions of MediaWiki's export format that can be written. */
const EXPORT_SCHEMAS = ['0.10', '0.11'] as const;

/** The parameters of `action=query` and its page set, in the order in which errors are reported. */
export const queryModule = (modules: readonly ModuleDescriptor[]) => {
  const names = (group: ModuleDescriptor['group']): readonly string[] =>
    modules.filter((module) => module.group === group).map(({ name }) => name);
  return {
    name: 'query',
    group: 'action',
    prefix: '',
    uncleaned: ['titles'],
    parameters: {
      prop: { type: names('prop'), multi: true },
      list: { type: names('list'), multi: true },
      meta: { type: names('meta'), multi: true },
      indexpageids: { type: 'boolean' },
      export: { type: 'boolean' },
      exportnowrap: { type: 'boolean' },
      exportschema: { type: EXPORT_SCHEMAS, default: '0.11' },
      iwurl: { type: 'boolean' },
      continue: { type: 'string' },
      rawcontinue: { type: 'boolean' },
      titles: { type: 'string', multi: true },
      pageids: { type: 'integer', multi: true },
      revids: { type: 'integer', multi: true },
      generator: { type: 'string' },
      redirects: { type: 'boolean' },
      converttitles: { type: 'boolean' },
    },
  } as const satisfies Described;
};

/** The parsed parameters of `action=query`. The titles are not yet cleaned. */
export type QueryParams = ModuleParams<ReturnType<typeof queryModule>>;
