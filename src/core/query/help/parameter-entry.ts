import type { ParamDescriptor } from '../descriptor.js';
import type { ModuleNode } from '../description/module-tree.js';
import { moduleNamesOf, shownValues } from '../description/shown-values.js';
import type { Site } from '../site/site.js';
import { annotationText, textOfParameter } from './descriptions.js';
import { factList, type Html, markup } from './html.js';

/** Longer lists of values are folded. */
const MANY_VALUES = 24;

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'Text.',
  integer: 'Whole number.',
  limit: 'Number of results, or max.',
  boolean: 'Switch: on when it is there, whatever its value.',
  timestamp: 'Point in time, such as 2001-01-15T14:56:00Z, or now.',
  user: 'User.',
  namespace: 'Namespace, by number.',
  title: 'Title of a page.',
};

const USER_FORMS: Readonly<Record<string, string>> = {
  name: 'name',
  ip: 'IP address',
  temp: 'temporary account',
  interwiki: 'name on another site, as in prefix>Name',
  id: 'number, as in #12345',
  cidr: 'range of addresses',
};

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

const number = (value: number): string => value.toLocaleString('en');

const boundsFact = ({ type, min, max, highmax }: ParamDescriptor): string | undefined => {
  if (type !== 'limit' && type !== 'integer') return undefined;
  const most =
    max === undefined
      ? undefined
      : `${number(max)}${highmax === undefined ? '' : ` (${number(highmax)} with raised limits)`}`;
  if (min !== undefined && most !== undefined) return `From ${number(min)} to ${most}.`;
  if (min !== undefined) return `At least ${number(min)}.`;
  return most === undefined ? undefined : `At most ${most}.`;
};

const multiFact = ({ multi, lowlimit = 50, highlimit = 500 }: ParamDescriptor): string | undefined =>
  multi === true
    ? `At most ${number(lowlimit)} values (${number(Math.max(lowlimit, highlimit))} with raised limits).`
    : undefined;

const allFact = ({ type, multi, allspecifier }: ParamDescriptor): Html | undefined => {
  const all = type === 'namespace' && multi === true ? '*' : allspecifier;
  return all === undefined ? undefined : markup`<code>${all}</code> alone stands for all values.`;
};

const defaultFact = ({ type, default: preset }: ParamDescriptor): Html | undefined => {
  if (preset === undefined || type === 'boolean') return undefined;
  return preset === '' ? markup`Default: <em>empty</em>.` : markup`Default: <code>${preset}</code>`;
};

const factsOf = (p: ParamDescriptor, prefix: string): readonly (Html | string)[] =>
  [
    typeof p.type === 'string' ? TYPE_NAMES[p.type] : undefined,
    p.type === 'string' && p.multi === true ? 'Several values, joined with |.' : undefined,
    p.subtypes && `In these forms: ${p.subtypes.map((form) => USER_FORMS[form] ?? form).join(', ')}.`,
    ...Object.entries(p.templatevars ?? {}).map(
      ([variable, source]) =>
        markup`One for each value of <code>${prefix}${source}</code>, put in place of <code>{${variable}}</code>.`,
    ),
    boundsFact(p),
    multiFact(p),
    p.allowsduplicates === true ? 'Repeated values count.' : undefined,
    allFact(p),
    defaultFact(p),
    ...(p.info ?? []).map(
      ({ name, values }) => `${annotationText(name).text}${values ? ` Here: ${values.join(', ')}.` : ''}`,
    ),
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
