import { escapePattern } from '../../../base/text.js';
import { annotationFacts, boundsFact, duplicatesFact, formsFact, templateFacts } from '../facts.js';
import type { ModuleNode } from '../module-tree.js';
import { type DescribedParameter, parametersOf } from '../parameters.js';
import { textOfParameter } from '../texts/help-text.js';
import { parameterSchema, type SchemaContext } from './parameter-schema.js';
import type { JsonSchema } from './schema.js';

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

const BARS = { style: 'pipeDelimited', explode: false } as const;

/** The field as a query parameter. */
export const toParameter = ({ wireName, description, schema, pattern, ...field }: Field): object => {
  const { required, deprecated, multi } = field;
  const named = pattern === undefined ? schema : { type: 'object', patternProperties: { [pattern]: schema } };
  return {
    name: wireName,
    in: 'query',
    ...(description === '' ? {} : { description }),
    ...(required ? { required } : {}),
    ...(deprecated ? { deprecated } : {}),
    ...(pattern === undefined ? (multi ? BARS : {}) : { style: 'form', explode: true }),
    schema: named,
  };
};

/** The fields as a form. */
export const toForm = (fields: readonly Field[]): JsonSchema => {
  const required = fields.filter((field) => field.required).map(({ wireName }) => wireName);
  const entriesOf = (wanted: readonly Field[], nameOf: (field: Field) => string): JsonSchema =>
    Object.fromEntries(
      wanted.map((field) => [
        nameOf(field),
        {
          ...field.schema,
          ...(field.description === '' ? {} : { description: field.description }),
          ...(field.deprecated ? { deprecated: true } : {}),
        },
      ]),
    );
  const named = fields.filter(({ pattern }) => pattern === undefined);
  const templated = fields.filter(({ pattern }) => pattern !== undefined);
  return {
    type: 'object',
    ...(required.length > 0 ? { required } : {}),
    properties: entriesOf(named, ({ wireName }) => wireName),
    ...(templated.length > 0 ? { patternProperties: entriesOf(templated, ({ pattern = '' }) => pattern) } : {}),
  };
};

/** The encoding of the form: several values are separated by a bar, as in a query string. */
export const encodingOf = (fields: readonly Field[]): object =>
  Object.fromEntries(fields.filter(({ multi }) => multi).map(({ wireName }) => [wireName, BARS]));
