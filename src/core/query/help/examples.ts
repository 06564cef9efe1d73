import type { ModuleNode } from '../description/module-tree.js';
import type { HelpText } from './descriptions.js';

/** A request that works: the part of the address behind the question mark, without an output format. */
export interface Example {
  readonly query: string;
  readonly text: HelpText;
}

/** What modules need to be told before they can answer, beside what is always required of a request. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  backlinks: 'bltitle=Main%20Page',
  categorymembers: 'cmtitle=Category:Example',
  codexicons: 'names=cdxIconSearch',
  embeddedin: 'eititle=Template:Example',
  imageusage: 'iutitle=File:Example.png',
  iwbacklinks: 'iwblprefix=example',
  langbacklinks: 'lbllang=en',
  pageswithprop: 'pwppropname=displaytitle',
  prefixsearch: 'pssearch=exam',
  querypage: 'qppage=Longpages',
  search: 'srsearch=example',
  usercontribs: 'ucuser=Example',
  users: 'ususers=Example',
};

/** What the modules that say something about pages are asked about. */
const PAGES: Readonly<Record<string, string>> = {
  categoryinfo: 'Category:Example',
  duplicatefiles: 'File:Example.png',
  fileusage: 'File:Example.png',
  imageinfo: 'File:Example.png',
  transcludedin: 'Template:Example',
};

const ACTIONS: Readonly<Record<string, string>> = {
  main: 'action=help',
  query: 'action=query&prop=info&titles=Main%20Page',
  paraminfo: 'action=paraminfo&modules=query%2Ballpages',
  help: 'action=help&modules=query%2Ballpages',
};

const example = (node: ModuleNode, name: string, query: string, text: string): Example => ({
  query,
  text: { key: `apihelp-${node.path}-example-${name}`, params: [node.module.prefix, node.name, node.path], text },
});

/** Requests that show a module at work. */
export const examplesOf = (node: ModuleNode): readonly Example[] => {
  const { name, group, module } = node;
  if (group === 'format')
    return [example(node, 'simple', `action=query&meta=siteinfo&format=${name}`, 'An answer in this format.')];
  if (group === 'main' || group === 'action')
    return [example(node, 'simple', ACTIONS[name] ?? `action=${name}`, 'The action at work.')];
  const rest = ARGUMENTS[name] === undefined ? '' : `&${ARGUMENTS[name]}`;
  const titles = group === 'prop' ? `&titles=${PAGES[name] ?? 'Main%20Page'}` : '';
  const simple = example(
    node,
    'simple',
    `action=query&${group}=${name}${titles}${rest}`,
    'The module with what it needs to be told.',
  );
  if (module.generator !== true) return [simple];
  const generated = rest === '' ? '' : `&g${rest.slice(1)}`;
  return [
    simple,
    example(
      node,
      'generator',
      `action=query&generator=${name}${titles}${generated}&prop=info`,
      'The basic facts about the pages that the module finds.',
    ),
  ];
};
