import { ApiError } from '../answer/api-error.js';
import type { ParamDescriptor } from '../descriptor.js';
import {
  annotationText,
  describesOwn,
  type HelpFormat,
  inFormat,
  textOfModule,
  textOfParameter,
} from '../help/descriptions.js';
import { examplesOf } from '../help/examples.js';
import type { Message } from '../answer/messages.js';
import type { ModuleNode } from './module-tree.js';
import { selectModules } from './module-tree.js';
import type { ParaminfoParams } from './paraminfo.js';
import { moduleNamesOf, shownValues } from './shown-values.js';

/**
 * Plain data with `true` for flags that are set. Flags that are not set are left out, but for `required`, `multi` and
 * `mustExist`, which formatversion 2 shows as `false` and formatversion 1 leaves out as well.
 */
export type Description = Readonly<Record<string, unknown>>;

export interface ParaminfoContext {
  /** Whether the caller may use the raised limits. */
  readonly highLimits: boolean;
  /** The full address of the action endpoint, which the help pages are below. */
  readonly endpoint: string;
}

export interface ParaminfoAnswer {
  /** Goes out as `paraminfo`. */
  readonly paraminfo: Description;
  /** What could not be found, as warnings of the module `paraminfo` with the code `badmodule`. */
  readonly warnings: readonly Message[];
}

/** The parameters that the page set brings to `query`. */
const PAGE_SET = new Set(['titles', 'pageids', 'revids', 'generator', 'redirects', 'converttitles']);

/** The type as it is shown, and for a parameter that names modules, where they are. */
const typeOf = (
  node: ModuleNode,
  name: string,
  { type, deprecatedvalues }: ParamDescriptor,
): readonly [unknown, Description] => {
  const names = moduleNamesOf(node, name);
  if (names) {
    return [
      names,
      {
        submodules: Object.fromEntries(names.map((n) => [n, node.children.get(n)?.path])),
        ...(name === 'generator' ? { submoduleparamprefix: 'g' } : {}),
      },
    ];
  }
  return [typeof type === 'string' ? type : shownValues(type, deprecatedvalues), {}];
};

const limitsOf = ({ multi, lowlimit = 50, highlimit = 500 }: ParamDescriptor, highLimits: boolean): Description => {
  if (multi !== true) return {};
  const high = Math.max(lowlimit, highlimit);
  return { lowlimit, highlimit: high, limit: highLimits ? high : lowlimit };
};

const allSpecifierOf = (p: ParamDescriptor): Description => {
  if (p.multi !== true) return {};
  if (p.type === 'namespace') return { allspecifier: '*' };
  return p.allspecifier === undefined ? {} : { allspecifier: p.allspecifier };
};

const boundsOf = ({ type, min, max, highmax }: ParamDescriptor): Description => {
  if (type !== 'limit' && type !== 'integer') return {};
  const least = type === 'limit' ? (min ?? 0) : min;
  return {
    ...(least === undefined ? {} : { min: least }),
    ...(max === undefined ? {} : { max }),
    ...(max !== undefined && highmax !== undefined && highmax > max ? { highmax } : {}),
  };
};

const infoOf = ({ info }: ParamDescriptor, format: HelpFormat): Description =>
  info === undefined
    ? {}
    : {
        info: info.map(({ name, values }) => ({
          name,
          ...(values === undefined ? {} : { values }),
          ...(format === 'none' ? {} : { text: inFormat(format, annotationText(name)) }),
        })),
      };

/** One parameter; the order of the keys is that of MediaWiki. */
const describeParameter = (
  node: ModuleNode,
  name: string,
  index: number,
  format: HelpFormat,
  highLimits: boolean,
): Description => {
  const p: ParamDescriptor = node.module.parameters[name] ?? { type: 'string' };
  const [type, submodules] = typeOf(node, name, p);
  return {
    index,
    name,
    ...(p.templatevars === undefined ? {} : { templatevars: p.templatevars }),
    ...(format === 'none' ? {} : { description: asList(format, inFormat(format, textOfParameter(node, name))) }),
    type,
    required: p.required === true,
    ...(p.deprecated === true ? { deprecated: true } : {}),
    ...(p.sensitive === true ? { sensitive: true } : {}),
    ...(p.default === undefined || p.type === 'boolean' ? {} : { default: p.default }),
    multi: p.multi === true,
    ...limitsOf(p, highLimits),
    ...(p.allowsduplicates === true ? { allowsduplicates: true } : {}),
    ...allSpecifierOf(p),
    ...boundsOf(p),
    ...(p.deprecatedvalues === undefined ? {} : { deprecatedvalues: p.deprecatedvalues }),
    ...(p.subtypes === undefined ? {} : { subtypes: p.subtypes }),
    ...(p.extranamespaces === undefined ? {} : { extranamespaces: p.extranamespaces }),
    ...(p.type === 'title' ? { mustExist: false } : {}),
    ...submodules,
    ...infoOf(p, format),
  };
};

interface ParameterLists {
  readonly parameters: readonly Description[];
  readonly templatedparameters: readonly Description[];
}

const describeParameters = (node: ModuleNode, format: HelpFormat, highLimits: boolean): ParameterLists => {
  const parameters: Description[] = [];
  const templatedparameters: Description[] = [];
  for (const [position, [name, p]] of Object.entries(node.module.parameters).entries()) {
    const list = p.templatevars === undefined ? parameters : templatedparameters;
    list.push(describeParameter(node, name, position + 1, format, highLimits));
  }
  return { parameters, templatedparameters };
};

const capitalised = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** A name in the manner of MediaWiki; nobody but people who read the document does anything with it. */
const classNameOf = ({ name, group, path }: ModuleNode): string => {
  if (group === 'format') return `ApiFormat${capitalised(name)}`;
  return path.startsWith('query+') ? `ApiQuery${capitalised(name)}` : `Api${capitalised(name)}`;
};

/**
 * Where the modules of this package come from. It is the licence of this code and not MediaWiki's, which implements the
 * same modules; clients only show it. A host's own modules say nothing of it, since only the host knows.
 */
const SOURCE = {
  source: 'oauth-query',
  sourcename: 'oauth-query',
  licensetag: 'MIT',
  licenselink: 'https://spdx.org/licenses/MIT.html',
} as const;

const describeModule = (
  node: ModuleNode,
  format: HelpFormat,
  { endpoint }: ParaminfoContext,
  parameters: ParameterLists,
): Description => {
  const { name, path, group, module } = node;
  return {
    name,
    classname: classNameOf(node),
    path,
    ...(group === 'main' ? {} : { group }),
    prefix: module.prefix,
    ...(describesOwn(node) ? SOURCE : {}),
    ...(format === 'none' ? {} : { description: asList(format, inFormat(format, textOfModule(node))) }),
    ...(module.deprecated === true ? { deprecated: true } : {}),
    ...(path.startsWith('query') && module.readrights !== false ? { readrights: true } : {}),
    ...(module.generator === true ? { generator: true } : {}),
    helpurls: [`${endpoint}?action=help&modules=${encodeURIComponent(path)}`],
    ...(format === 'none'
      ? {}
      : { examples: examplesOf(node).map(({ query, text }) => ({ query, description: inFormat(format, text) })) }),
    ...parameters,
  };
};

/** In the raw format a description is a list of messages; ours has always one. */
const asList = (format: HelpFormat, text: unknown): unknown => (format === 'raw' ? [text] : text);

const pageSetOf = (
  { name: _name, path: _path, group: _group, ...query }: Record<string, unknown>,
  lists: ParameterLists,
): Description => ({
  ...query,
  classname: 'ApiPageSet',
  parameters: lists.parameters
    .filter(({ name }) => typeof name === 'string' && PAGE_SET.has(name))
    .map((p, i) => ({ ...p, index: i + 1 })),
});

/** Describes the modules of a tree. The lists of parameters, which are most of it, are made once for each kind of caller. */
export const compileParaminfo = (
  tree: ModuleNode,
): ((params: ParaminfoParams, context: ParaminfoContext) => ParaminfoAnswer) => {
  const made = new Map<string, ParameterLists>();
  return (params, context) => {
    const format = params.helpformat;
    const listsOf = (node: ModuleNode): ParameterLists => {
      const key = `${format} ${context.highLimits ? 'high' : 'low'} ${node.path}`;
      const lists = made.get(key) ?? describeParameters(node, format, context.highLimits);
      made.set(key, lists);
      return lists;
    };
    const describe = (node: ModuleNode): Record<string, unknown> => ({
      ...describeModule(node, format, context, listsOf(node)),
    });
    const { lists, warnings } = selectAll(tree, params);
    const query = tree.children.get('query');
    return {
      paraminfo: {
        helpformat: format,
        ...Object.fromEntries(
          [...lists].map(([key, nodes]) => [
            key,
            nodes.map((node) => ({ ...describe(node), ...(key === 'querymodules' ? { querytype: node.group } : {}) })),
          ]),
        ),
        ...(params.mainmodule ? { mainmodule: describe(tree) } : {}),
        ...(params.pagesetmodule && query ? { pagesetmodule: pageSetOf(describe(query), listsOf(query)) } : {}),
      },
      warnings,
    };
  };
};

type ListName = 'modules' | 'querymodules' | 'formatmodules';

/** What was asked for, each module once, under the key where it is expected. */
const selectAll = (tree: ModuleNode, params: ParaminfoParams) => {
  const warnings: Message[] = [];
  const lists = new Map<ListName, ModuleNode[]>();
  const queryModules = params.querymodules ?? [];
  const formats = params.formatmodules ?? [];
  const keyOf = ({ path, name, group }: ModuleNode): ListName => {
    if (group === 'format' && formats.includes(name)) return 'formatmodules';
    return path.startsWith('query+') && queryModules.includes(name) ? 'querymodules' : 'modules';
  };
  const seen = new Set<ModuleNode>();
  for (const selector of [...(params.modules ?? []), ...queryModules.map((name) => `query+${name}`), ...formats]) {
    try {
      for (const node of selectModules(tree, selector)) {
        if (seen.has(node)) continue;
        seen.add(node);
        const key = keyOf(node);
        const list = lists.get(key);
        if (list) list.push(node);
        else lists.set(key, [node]);
      }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      warnings.push(error.text);
    }
  }
  return { lists, warnings };
};
