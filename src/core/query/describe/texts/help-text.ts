import { html } from '../../../base/html.js';
import { isQueryModule, type ModuleNode } from '../module-tree.js';
import type { DescribedParameter } from '../parameters.js';
import { ACTION_PARAMETER_TEXTS } from './action-texts.js';
import { moduleText, parameterText } from './catalogue-texts.js';

/** The format of descriptions; `none` omits them. */
export type HelpFormat = 'html' | 'none' | 'raw' | 'wikitext';

/** A sentence, with its message key for clients that have their own texts. */
export interface HelpText {
  readonly key: string;
  readonly params: readonly string[];
  readonly text: string;
}

/** Whether the module is part of this package, not a custom module. */
export const describesOwn = (node: ModuleNode): boolean => !isQueryModule(node) || moduleText(node.name) !== undefined;

/** `jsonfm` has the parameters of `json`. */
const textsName = ({ group, name }: ModuleNode): string => (group === 'format' ? name.replace(/fm$/, '') : name);

export const textOfModule = ({ path, module, name, text }: ModuleNode): HelpText => ({
  key: `apihelp-${path}-summary`,
  params: [module.prefix, name, path],
  text,
});

export const textOfParameter = ({ node, name, declared }: DescribedParameter): HelpText => {
  const known = isQueryModule(node) ? parameterText(node.name, name) : ACTION_PARAMETER_TEXTS[textsName(node)]?.[name];
  return {
    key: `apihelp-${node.path}-param-${name}`,
    params: [node.module.prefix, name, node.name, node.path],
    text: declared.description ?? known ?? '',
  };
};

/** The groups of modules, with the names of their titles. */
export const GROUP_TITLES = [
  ['action', 'actions'],
  ['list', 'lists'],
  ['prop', 'properties'],
  ['meta', 'site'],
  ['format', 'formats'],
] as const;

const ANNOTATIONS: Readonly<Record<string, string>> = {
  useronly: 'May only be used with user.',
  nonuseronly: 'Cannot be used with user.',
  modes: 'May only be used in some modes: 1 with given pages, 2 with user, 3 otherwise.',
  singlepageonly: 'May only be used with a single page.',
  preloadcontentonly: 'May only be used with preloadcontent in prop.',
  editintroonly: 'May only be used with editintro in prop.',
};

export const annotationText = (name: string): HelpText => ({
  key: `apihelp-paraminfo-${name}`,
  params: [],
  text: ANNOTATIONS[name] ?? name,
});

/** The sentence in the requested format. */
export const inFormat = (format: HelpFormat, { key, params, text }: HelpText): unknown => {
  if (format === 'raw') return { key, params };
  return format === 'html' ? html`${text}`.source : text;
};
