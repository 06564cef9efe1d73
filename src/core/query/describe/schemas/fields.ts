import { escapePattern } from '../../../base/text.js';
import { annotationFacts, boundsFact, duplicatesFact, formsFact, templateFacts } from '../facts.js';
import type { ModuleNode } from '../module-tree.js';
import { type DescribedParameter, parametersOf } from '../parameters.js';
import { textOfParameter } from '../texts/help-text.js';
import { parameterSchema, type SchemaContext } from './parameter-schema.js';
import type { JsonSchema } from './shared-schemas.js';

/** A parameter on the wire, for a query string or a form. */
export interface Field {
  readonly wireName: string;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
  readonly deprecated: boolean;
  /** Several values, separated by a bar. */
  readonly multi: boolean;
  /** For templated names whose values are not listed: a pattern of all names. */
  readonly pattern?: string;
}

/** Without `format`, programs receive JSON, although the declared default is `jsonfm`. */
const FORMAT_NOTE = 'Default: json for programs, jsonfm for browsers.';

const isFormat = ({ node, name }: DescribedParameter): boolean => node.group === 'main' && name === 'format';

const describe = (parameter: DescribedParameter): string => {
  const { node, declared: p } = parameter;
  return [
    textOfParameter(parameter).text,
    formsFact(p),
    ...templateFacts(p, node.module.prefix),
    // The schema only has the high limits.
    p.type === 'integer' && p.highmax !== undefined ? boundsFact(p) : undefined,
    duplicatesFact(p),
    ...annotationFacts(p),
    p.deprecatedvalues === undefined
      ? undefined
      : `Deprecated: ${p.deprecatedvalues.map((value) => `\`${value}\``).join(', ')}.`,
    p.sensitive === true ? 'Confidential: do not log it.' : undefined,
    isFormat(parameter) ? FORMAT_NOTE : undefined,
  ]
    .filter((part) => part !== undefined && part !== '')
    .join(' ');
};

/** All names of a templated parameter; `undefined` if the parameters that fill it do not list their values. */
const namesOf = ({ node, wireName, declared }: DescribedParameter): readonly string[] | undefined => {
  let names: readonly string[] = [wireName];
  for (const [variable, source] of Object.entries(declared.templatevars ?? {})) {
    const type = node.module.parameters[source]?.type;
    if (type === undefined || typeof type === 'string') return undefined;
    names = names.flatMap((text) => type.map((value) => text.replace(`{${variable}}`, () => value)));
  }
  return names;
};

const fieldsFor = (parameter: DescribedParameter, context: SchemaContext): readonly Field[] => {
  const { wireName, declared: p } = parameter;
  const { default: preset, ...schema } = parameterSchema(parameter, context);
  const field = {
    description: describe(parameter),
    schema: preset === undefined || isFormat(parameter) ? schema : { ...schema, default: preset },
    required: p.required === true && p.default === undefined && p.templatevars === undefined,
    deprecated: p.deprecated === true,
    multi: p.multi === true,
  };
  if (p.templatevars === undefined) return [{ wireName, ...field }];
  const names = namesOf(parameter);
  if (names) return names.map((filled) => ({ wireName: filled, ...field }));
  const pattern = wireName
    .split(/\{[a-z]+\}/)
    .map(escapePattern)
    .join('.+');
  return [{ wireName, ...field, pattern: `^${pattern}$` }];
};

/** All parameters of a module, by their names on the wire. */
export const fieldsOf = (node: ModuleNode, context: SchemaContext): readonly Field[] =>
  parametersOf(node).flatMap((parameter) => fieldsFor(parameter, context));
