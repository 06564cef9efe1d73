import { ApiError } from '../../answer/api-error.js';
import type { Message } from '../../answer/messages.js';
import { boundsOf, everythingOf, valueCounts } from '../../descriptor/descriptor-facts.js';
import type { ParaminfoParams } from '../describing-actions.js';
import { examplesOf } from '../examples.js';
import { helpQuery, isQueryModule, type ModuleNode, needsReadRights, selectModules } from '../module-tree.js';
import { type DescribedParameter, parametersOf } from '../parameters.js';
import {
  annotationText,
  describesOwn,
  type HelpFormat,
  type HelpText,
  inFormat,
  textOfModule,
  textOfParameter,
} from '../texts/help-text.js';

/**
 * Plain data. What is not set is `undefined` and not sent, except `required`, `multi` and `mustExist`, which are `false`
 * in formatversion 2.
 */
type Description = Readonly<Record<string, unknown>>;

interface ParaminfoContext {
  /** Whether the caller has the high limits. */
  readonly highLimits: boolean;
  /** The full URL of the action endpoint, for the links to help pages. */
  readonly endpoint: string;
}

interface ParaminfoAnswer {
  /** Sent as `paraminfo`. */
  readonly paraminfo: Description;
  /** Unknown modules, as warnings of the module `paraminfo` with the code `badmodule`. */
  readonly warnings: readonly Message[];
}

/** The parameters of `query` that belong to the page set. */
const PAGE_SET = new Set(['titles', 'pageids', 'revids', 'generator', 'redirects', 'converttitles']);

/** A description in the requested format; in the raw one it is a list of messages, here always of one. */
const descriptionIn = (format: HelpFormat, text: HelpText): unknown => {
  if (format === 'none') return undefined;
  return format === 'raw' ? [inFormat(format, text)] : inFormat(format, text);
};

/** Describes a parameter. The keys have the order of MediaWiki. */
const describeParameter = (
  parameter: DescribedParameter,
  index: number,
  format: HelpFormat,
  highLimits: boolean,
): Description => {
  const { name, declared: p, modules, values } = parameter;
  const counts = valueCounts(p);
  const bounds = p.type === 'limit' || p.type === 'integer' ? boundsOf(p) : undefined;
  return {
    index,
    name,
    templatevars: p.templatevars,
    description: descriptionIn(format, textOfParameter(parameter)),
    type: values ?? p.type,
    required: p.required === true,
    deprecated: p.deprecated,
    sensitive: p.sensitive,
    default: p.type === 'boolean' ? undefined : p.default,
    multi: p.multi === true,
    lowlimit: counts?.low,
    highlimit: counts?.high,
    limit: highLimits ? counts?.high : counts?.low,
    allowsduplicates: p.allowsduplicates,
    allspecifier: everythingOf(p),
    min: bounds?.min,
    max: bounds?.max,
    highmax: bounds?.highmax === bounds?.max ? undefined : bounds?.highmax,
    deprecatedvalues: p.deprecatedvalues,
    subtypes: p.subtypes,
    extranamespaces: p.extranamespaces,
    mustExist: p.type === 'title' ? false : undefined,
    // For a parameter whose values are modules.
    submodules: modules && Object.fromEntries(modules.map((module) => [module.name, module.path])),
    submoduleparamprefix: modules && name === 'generator' ? 'g' : undefined,
    info: p.info?.map(({ name: annotation, values: numbers }) => ({
      name: annotation,
      values: numbers,
      text: format === 'none' ? undefined : inFormat(format, annotationText(annotation)),
    })),
  };
};

interface ParameterLists {
  readonly parameters: readonly Description[];
  readonly templatedparameters: readonly Description[];
}

const describeParameters = (node: ModuleNode, format: HelpFormat, highLimits: boolean): ParameterLists => {
  const parameters: Description[] = [];
  const templatedparameters: Description[] = [];
  for (const [position, parameter] of parametersOf(node).entries()) {
    const list = parameter.declared.templatevars === undefined ? parameters : templatedparameters;
    list.push(describeParameter(parameter, position + 1, format, highLimits));
  }
  return { parameters, templatedparameters };
};

/** A class name in the style of MediaWiki. Clients only show it. */
const classNameOf = (node: ModuleNode): string => {
  const kind = node.group === 'format' ? 'ApiFormat' : isQueryModule(node) ? 'ApiQuery' : 'Api';
  return kind + node.name.charAt(0).toUpperCase() + node.name.slice(1);
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
    group: group === 'main' ? undefined : group,
    prefix: module.prefix,
    ...(describesOwn(node) && SOURCE),
    description: descriptionIn(format, textOfModule(node)),
    deprecated: module.deprecated,
    // MediaWiki has no such key: it does not list modules that are not installed.
    unanswered: node.unanswered,
    readrights: needsReadRights(node) || undefined,
    generator: module.generator,
    helpurls: [endpoint + helpQuery(node)],
    examples:
      format === 'none'
        ? undefined
        : examplesOf(node).map(({ query, text }) => ({ query, description: inFormat(format, text) })),
    ...parameters,
  };
};

const pageSetOf = (
  { name: _name, path: _path, group: _group, ...query }: Description,
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
      const lists = made.get(key) ?? describeParameters(node, format, context.highLimits);
      made.set(key, lists);
      return lists;
    };
    const describe = (node: ModuleNode): Description => describeModule(node, format, context, listsOf(node));
    const { lists, warnings } = selectAll(tree, params);
    const query = tree.children.get('query');
    return {
      paraminfo: {
        helpformat: format,
        ...Object.fromEntries(
          [...lists].map(([key, nodes]) => [
            key,
            nodes.map((node) => ({ ...describe(node), querytype: key === 'querymodules' ? node.group : undefined })),
          ]),
        ),
        mainmodule: params.mainmodule ? describe(tree) : undefined,
        pagesetmodule: params.pagesetmodule && query ? pageSetOf(describe(query), listsOf(query)) : undefined,
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
