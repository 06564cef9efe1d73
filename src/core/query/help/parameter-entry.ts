import type { ParamDescriptor } from '../descriptor.js';
import type { ModuleNode } from '../description/module-tree.js';
import { moduleNamesOf, shownValues } from '../description/shown-values.js';
import type { Site } from '../site/site.js';
import { textOfParameter } from './descriptions.js';
import {
  annotationFacts,
  boundsFact,
  countFact,
  duplicatesFact,
  everythingFact,
  formsFact,
  templateFacts,
  typeFacts,
} from './facts.js';
import { factList, type Html, markup } from './html.js';

/** Longer lists of values are folded. */
const MANY_VALUES = 24;

interface Value {
  readonly text: string;
  readonly label?: string;
  readonly deprecated?: boolean;
  readonly link?: string;
}

const valuesOf = (node: ModuleNode, name: string, p: ParamDescriptor, site: Site): readonly Value[] => {
  const modules = moduleNamesOf(node, name);
  if (modules) {
    return modules.map((text) => ({
      text,
      link: `?action=help&modules=${encodeURIComponent(node.children.get(text)?.path ?? text)}`,
    }));
  }
  if (p.type === 'namespace') {
    return site.namespaces
      .filter(({ id }) => id >= 0 || p.extranamespaces?.includes(id))
      .map(({ id, name: label }) => ({ text: String(id), label: label || '(Main)' }));
  }
  if (typeof p.type === 'string') return [];
  return shownValues(p.type, p.deprecatedvalues).map((text) => ({
    text,
    deprecated: p.deprecatedvalues?.includes(text) ?? false,
  }));
};

const valueItem = ({ text, label, deprecated, link }: Value): Html => {
  const code = text === '' ? markup`<em>empty</em>` : markup`<code>${text}</code>`;
  return markup`<li>${link === undefined ? code : markup`<a href="${link}">${code}</a>`}${label === undefined ? '' : ` ${label}`}${
    deprecated === true ? markup`<span class="mark">deprecated</span>` : ''
  }</li>`;
};

const valuesBlock = (values: readonly Value[], multi: boolean): Html | undefined => {
  if (values.length === 0) return undefined;
  const what = multi ? 'Any of these, joined with |' : 'One of these';
  const list = markup`<ul class="values">${values.map(valueItem)}</ul>`;
  return values.length > MANY_VALUES
    ? markup`<details><summary>${what} (${values.length})</summary>${list}</details>`
    : markup`<div>${what}:${list}</div>`;
};

/** What is written between backticks is code; everything else is text. */
const withCode = (fact: string): Html =>
  markup`${fact.split('`').map((part, index) => (index % 2 === 0 ? part : markup`<code>${part}</code>`))}`;

const defaultFact = ({ type, default: preset }: ParamDescriptor): Html | undefined => {
  if (preset === undefined || type === 'boolean') return undefined;
  return preset === '' ? markup`Default: <em>empty</em>.` : markup`Default: <code>${preset}</code>`;
};

const factsOf = (p: ParamDescriptor, prefix: string): readonly Html[] =>
  [
    ...[
      ...typeFacts(p),
      formsFact(p),
      ...templateFacts(p, prefix),
      boundsFact(p),
      countFact(p),
      duplicatesFact(p),
      everythingFact(p),
    ].map((fact) => (fact === undefined ? undefined : withCode(fact))),
    defaultFact(p),
    ...annotationFacts(p).map(withCode),
  ].filter((fact) => fact !== undefined);

const marksOf = (p: ParamDescriptor): readonly string[] => [
  ...(p.required === true ? ['required'] : []),
  ...(p.deprecated === true ? ['deprecated'] : []),
  ...(p.sensitive === true ? ['confidential'] : []),
];

/** One parameter as an entry of a description list, under its name on the wire. */
export const parameterEntry = (node: ModuleNode, name: string, p: ParamDescriptor, site: Site): Html => {
  const wireName = node.module.prefix + name;
  const { text } = textOfParameter(node, name);
  return markup`<dt id="${node.path}:${name}"><code>${wireName}</code>${marksOf(p).map((mark) => markup`<span class="mark">${mark}</span>`)}</dt>
<dd>${text === '' ? undefined : markup`<div>${text}</div>`}
${factList(factsOf(p, node.module.prefix))}
${valuesBlock(valuesOf(node, name, p, site), p.multi === true)}</dd>
`;
};
