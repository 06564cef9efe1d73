import type { ModuleNode } from './module-tree.js';
import type { HelpText } from './texts/help-text.js';

/** A working request: the query string without an output format. */
interface Example {
  readonly query: string;
  readonly text: HelpText;
}

const ACTIONS: Readonly<Record<string, string>> = {
  main: 'action=help',
  query: 'action=query&prop=info&titles=Main%20Page',
  opensearch: 'action=opensearch&search=Te',
  parse: 'action=parse&page=Main%20Page',
  compare: 'action=compare&fromslots=main&fromtext-main=A%20boat&toslots=main&totext-main=Two%20boats',
  paraminfo: 'action=paraminfo&modules=query%2Ballpages',
  help: 'action=help&modules=query%2Ballpages',
};

const example = (node: ModuleNode, name: string, query: string, text: string): Example => ({
  query,
  text: { key: `apihelp-${node.path}-example-${name}`, params: [node.module.prefix, node.name, node.path], text },
});

/** Keeps colons, which need no escape in a query string, so that namespaces stay readable. */
const encoded = (value: string): string => encodeURIComponent(value).replaceAll('%3A', ':');

/** Example requests of a module. */
export const examplesOf = (node: ModuleNode): readonly Example[] => {
  const { name, group, module } = node;
  if (group === 'format')
    return [example(node, 'simple', `action=query&meta=siteinfo&format=${name}`, 'A response in this format.')];
  if (group === 'main' || group === 'action')
    return [example(node, 'simple', ACTIONS[name] ?? `action=${name}`, 'A simple request.')];
  const { parameters = {}, titles = 'Main Page' } = module.example ?? {};
  const wire = (start: string): string =>
    Object.entries(parameters)
      .map(([parameter, value]) => `&${start}${module.prefix}${parameter}=${encoded(value)}`)
      .join('');
  const pages = group === 'prop' ? `&titles=${encoded(titles)}` : '';
  const simple = example(node, 'simple', `action=query&${group}=${name}${pages}${wire('')}`, 'A simple request.');
  if (module.generator !== true) return [simple];
  return [
    simple,
    example(
      node,
      'generator',
      `action=query&generator=${name}${pages}${wire('g')}&prop=info`,
      'Basic information about the pages that the module finds.',
    ),
  ];
};
