import { html } from '../../../base/html.js';
import { isQueryModule, type ModuleNode } from '../module-tree.js';
import type { DescribedParameter } from '../parameters.js';
import { ACTION_MODULE_TEXTS, ACTION_PARAMETER_TEXTS } from './action-texts.js';
import { moduleText, parameterText } from './catalogue-texts.js';

/** How descriptions are written; `none` leaves them out. */
export type HelpFormat = 'html' | 'none' | 'raw' | 'wikitext';

/** A sentence with the key under which clients that bring their own texts know it. */
export interface HelpText {
  readonly key: string;
  readonly params: readonly string[];
  readonly text: string;
}

/** Whether the module came with this package, and not from the host. */
export const describesOwn = (node: ModuleNode): boolean => !isQueryModule(node) || moduleText(node.name) !== undefined;

/** jsonfm takes what json takes. */
const textsName = (node: ModuleNode): string => (node.name === 'jsonfm' ? 'json' : node.name);

export const textOfModule = (node: ModuleNode): HelpText => {
  const known = isQueryModule(node) ? moduleText(node.name) : ACTION_MODULE_TEXTS[node.name];
  return {
    key: `apihelp-${node.path}-summary`,
    params: [node.module.prefix, node.name, node.path],
    text: node.module.description ?? known ?? '',
  };
};

export const textOfParameter = ({ node, name, declared }: DescribedParameter): HelpText => {
  const known = isQueryModule(node) ? parameterText(node.name, name) : ACTION_PARAMETER_TEXTS[textsName(node)]?.[name];
  return {
    key: `apihelp-${node.path}-param-${name}`,
    params: [node.module.prefix, name, node.name, node.path],
    text: declared.description ?? known ?? '',
  };
};

/** What modules are sorted by, where people read about them. */
export const GROUP_TITLES = [
  ['action', 'Actions'],
  ['list', 'Lists'],
  ['prop', 'Facts about pages'],
  ['meta', 'Facts about the site and the caller'],
  ['format', 'Output formats'],
] as const;

const ANNOTATIONS: Readonly<Record<string, string>> = {
  useronly: 'Only works together with user.',
  nonuseronly: 'Does not work together with user.',
  modes: 'Only works in some modes: 1 with given pages, 2 with user, 3 otherwise.',
  singlepageonly: 'Only works with a single page.',
  preloadcontentonly: 'Only works together with preloadcontent in prop.',
  editintroonly: 'Only works together with editintro in prop.',
};

export const annotationText = (name: string): HelpText => ({
  key: `apihelp-paraminfo-${name}`,
  params: [],
  text: ANNOTATIONS[name] ?? name,
});

/** The sentence as a client wants it. */
export const inFormat = (format: HelpFormat, { key, params, text }: HelpText): unknown => {
  if (format === 'raw') return { key, params };
  return format === 'html' ? html`${text}`.source : text;
};
