import { ApiError } from '../../answer/api-error.js';
import type { Message } from '../../answer/messages.js';
import { boundsOf, everythingOf, valueCounts } from '../../descriptor/descriptor-facts.js';
import type { ParamDescriptor } from '../../descriptor/descriptor.js';
import type { ParaminfoParams } from '../describing-actions.js';
import { examplesOf } from '../examples.js';
import { helpQuery, isQueryModule, type ModuleNode, needsReadRights, selectModules } from '../module-tree.js';
import { type DescribedParameter, parametersOf } from '../parameters.js';
import {
  annotationText,
  describesOwn,
  type HelpFormat,
  inFormat,
  textOfModule,
  textOfParameter,
} from '../texts/help-text.js';

/**
 * Plain data. Flags that are not set are omitted, except `required`, `multi` and `mustExist`, which are `false` in
 * formatversion 2.
 */
export type Description = Readonly<Record<string, unknown>>;

export interface ParaminfoContext {
  /** Whether the caller has the high limits. */
  readonly highLimits: boolean;
  /** The full URL of the action endpoint, for the links to help pages. */
  readonly endpoint: string;
}

export interface ParaminfoAnswer {
  /** Sent as `paraminfo`. */
  readonly paraminfo: Description;
  /** Unknown modules, as warnings of the module `paraminfo` with the code `badmodule`. */
  readonly warnings: readonly Message[];
}

/** The parameters of `query` that belong to the page set. */
const PAGE_SET = new Set(['titles', 'pageids', 'revids', 'generator', 'redirects', 'converttitles']);

/** The paths of the modules, for a parameter whose values are modules. */
const describeModules = ({ modules, name }: DescribedParameter): Description =>
  modules === undefined
    ? {}
    : {
        submodules: Object.fromEntries(modules.map((module) => [module.name, module.path])),
        ...(name === 'generator' ? { submoduleparamprefix: 'g' } : {}),
      };

const describeCounts = (p: ParamDescriptor, highLimits: boolean): Description => {
  const counts = valueCounts(p);
  if (!counts) return {};
  const { low, high } = counts;
  return { lowlimit: low, highlimit: high, limit: highLimits ? high : low };
};

const describeEverything = (p: ParamDescriptor): Description => {
  const allspecifier = everythingOf(p);
  return allspecifier === undefined ? {} : { allspecifier };
};

const describeBounds = (p: ParamDescriptor): Description => {
  if (p.type !== 'limit' && p.type !== 'integer') return {};
  const { min, max, highmax } = boundsOf(p);
  return {
    ...(min === undefined ? {} : { min }),
    ...(max === undefined ? {} : { max }),
    ...(highmax === max ? {} : { highmax }),
  };
};

const describeInfo = ({ info }: ParamDescriptor, format: HelpFormat): Description =>
  info === undefined
    ? {}
    : {
        info: info.map(({ name, values }) => ({
          name,
          ...(values === undefined ? {} : { values }),
          ...(format === 'none' ? {} : { text: inFormat(format, annotationText(name)) }),
        })),
      };

/** Options for the description of parameters. */
interface ParameterStyle {
  readonly format: HelpFormat;
  readonly highLimits: boolean;
}

/** Describes a parameter. The keys have the order of MediaWiki. */
const describeParameter = (
  parameter: DescribedParameter,
  index: number,
  { format, highLimits }: ParameterStyle,
): Description => {
  const { name, declared: p } = parameter;
  return {
    index,
    name,
    ...(p.templatevars === undefined ? {} : { templatevars: p.templatevars }),
    ...(format === 'none' ? {} : { description: asList(format, inFormat(format, textOfParameter(parameter))) }),
    type: parameter.values ?? p.type,
    required: p.required === true,
    ...(p.deprecated === true ? { deprecated: true } : {}),
    ...(p.sensitive === true ? { sensitive: true } : {}),
    ...(p.default === undefined || p.type === 'boolean' ? {} : { default: p.default }),
    multi: p.multi === true,
    ...describeCounts(p, highLimits),
    ...(p.allowsduplicates === true ? { allowsduplicates: true } : {}),
    ...describeEverything(p),
    ...describeBounds(p),
    ...(p.deprecatedvalues === undefined ? {} : { deprecatedvalues: p.deprecatedvalues }),
    ...(p.subtypes === undefined ? {} : { subtypes: p.subtypes }),
    ...(p.extranamespaces === undefined ? {} : { extranamespaces: p.extranamespaces }),
    ...(p.type === 'title' ? { mustExist: false } : {}),
    ...describeModules(parameter),
    ...describeInfo(p, format),
  };
};

interface ParameterLists {
  readonly parameters: readonly Description[];
  readonly templatedparameters: readonly Description[];
}

const describeParameters = (node: ModuleNode, style: ParameterStyle): ParameterLists => {
  const parameters: Description[] = [];
  const templatedparameters: Description[] = [];
  for (const [position, parameter] of parametersOf(node).entries()) {
    const list = parameter.declared.templatevars === undefined ? parameters : templatedparameters;
    list.push(describeParameter(parameter, position + 1, style));
  }
  return { parameters, templatedparameters };
};

const capitalised = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** A class name in the style of MediaWiki. Clients only show it. */
const classNameOf = (node: ModuleNode): string => {
  const { name, group } = node;
  if (group === 'format') return `ApiFormat${capitalised(name)}`;
  return isQueryModule(node) ? `ApiQuery${capitalised(name)}` : `Api${capitalised(name)}`;
};

/** The source and licence of the modules of this package. Custom modules have none. */
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
    // MediaWiki has no such key: it does not list modules that are not installed.
    ...(node.unanswered === true ? { unanswered: true } : {}),
    ...(needsReadRights(node) ? { readrights: true } : {}),
    ...(module.generator === true ? { generator: true } : {}),
    helpurls: [endpoint + helpQuery(node)],
    ...(format === 'none'
      ? {}
      : { examples: examplesOf(node).map(({ query, text }) => ({ query, description: inFormat(format, text) })) }),
    ...parameters,
  };
};

/** In the raw format, a description is a list of messages; here it always has one. */
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

/** Describes the modules of a tree. The descriptions of parameters are cached by format and limits. */
export const compileParaminfo = (
  tree: ModuleNode,
): ((params: ParaminfoParams, context: ParaminfoContext) => ParaminfoAnswer) => {
  const made = new Map<string, ParameterLists>();
  return (params, context) => {
    const format = params.helpformat;
    const listsOf = (node: ModuleNode): ParameterLists => {
      const key = `${format} ${context.highLimits ? 'high' : 'low'} ${node.path}`;
      const lists = made.get(key) ?? describeParameters(node, { format, highLimits: context.highLimits });
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

/** The requested modules, each once, under the key of its list. */
const selectAll = (tree: ModuleNode, params: ParaminfoParams) => {
  const warnings: Message[] = [];
  const lists = new Map<ListName, ModuleNode[]>();
  const queryModules = params.querymodules ?? [];
  const formats = params.formatmodules ?? [];
  const keyOf = (node: ModuleNode): ListName => {
    const { name, group } = node;
    if (group === 'format' && formats.includes(name)) return 'formatmodules';
    return isQueryModule(node) && queryModules.includes(name) ? 'querymodules' : 'modules';
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
