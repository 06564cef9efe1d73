import { type Html, html } from '../../../base/html.js';
import type { ParamDescriptor } from '../../descriptor/descriptor.js';
import type { Site } from '../../site/site.js';
import {
  annotationFacts,
  boundsFact,
  countFact,
  duplicatesFact,
  everythingFact,
  formsFact,
  templateFacts,
  typeFacts,
} from '../facts.js';
import { type DescribedParameter, namespacesOf } from '../parameters.js';
import { textOfParameter } from '../texts/help-text.js';
import { type ApiLanguage, factList, type HelpLinks } from './page.js';

/** Longer lists of values are collapsed. */
const MANY_VALUES = 24;

interface Value {
  readonly text: string;
  readonly label?: string;
  readonly deprecated?: boolean;
  readonly link?: string;
}

const valuesOf = (
  { declared, modules, values = [] }: DescribedParameter,
  site: Site,
  { help }: HelpLinks,
): readonly Value[] => {
  if (modules) return modules.map((module) => ({ text: module.name, link: help(module) }));
  if (declared.type === 'namespace') {
    return namespacesOf(declared, site).map(({ id, label }) => ({ text: String(id), label }));
  }
  return values.map((text) => ({ text, deprecated: declared.deprecatedvalues?.includes(text) ?? false }));
};

const valueItem = ({ text, label, deprecated, link }: Value, language: ApiLanguage): Html => {
  const code = text === '' ? html`<em>${language.text('empty')}</em>` : html`<code>${text}</code>`;
  return html`<li>${link === undefined ? code : html`<a href="${link}">${code}</a>`}${label === undefined ? '' : ` ${label}`}${
    deprecated === true ? html`<span class="flag">${language.text('deprecated')}</span>` : ''
  }</li>`;
};

const valuesBlock = (values: readonly Value[], { multi }: ParamDescriptor, language: ApiLanguage): Html | undefined => {
  if (values.length === 0) return undefined;
  const what = language.text(multi === true ? 'separated' : 'oneOf');
  const list = html`<ul class="values">${values.map((value) => valueItem(value, language))}</ul>`;
  return values.length > MANY_VALUES
    ? html`<details><summary>${what} (${values.length})</summary>${list}</details>`
    : html`<div>${what}:${list}</div>`;
};

/** Renders text between backticks as code. */
const withCode = (fact: string): Html =>
  html`${fact.split('`').map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`))}`;

const defaultFact = ({ type, default: preset }: ParamDescriptor): Html | undefined => {
  if (preset === undefined || type === 'boolean') return undefined;
  return preset === '' ? html`Default: <em>empty</em>.` : html`Default: <code>${preset}</code>`;
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

const flagsOf = (p: ParamDescriptor): readonly ('required' | 'deprecated' | 'confidential')[] => [
  ...(p.required === true ? (['required'] as const) : []),
  ...(p.deprecated === true ? (['deprecated'] as const) : []),
  ...(p.sensitive === true ? (['confidential'] as const) : []),
];

/** A parameter as an entry of a description list, with its name on the wire. */
export const parameterEntry = (
  parameter: DescribedParameter,
  site: Site,
  { language, links }: { readonly language: ApiLanguage; readonly links: HelpLinks },
): Html => {
  const { node, name, wireName, declared: p } = parameter;
  const { text } = textOfParameter(parameter);
  const flags = flagsOf(p).map((flag) => html`<span class="flag">${language.text(flag)}</span>`);
  return html`<dt id="${node.path}:${name}"><code>${wireName}</code>${flags}</dt>
<dd>${text === '' ? undefined : html`<div${language.inEnglish}>${text}</div>`}
${factList(factsOf(p, node.module.prefix), language.inEnglish)}
${valuesBlock(valuesOf(parameter, site, links), p, language)}</dd>
`;
};
