import type { Schema } from '../../openapi.js';
import type { ParamDescriptor } from '../descriptor.js';
import { textOfParameter } from '../help/descriptions.js';
import { annotationFacts, boundsFact, duplicatesFact, formsFact, templateFacts } from '../help/facts.js';
import { parameterSchema, type SchemaContext } from './parameter-schema.js';

/** One name on the wire, ready to be put into an address or into a form. */
export interface Field {
  readonly wireName: string;
  readonly description: string;
  readonly schema: Schema;
  readonly required: boolean;
  readonly deprecated: boolean;
  /** Several values, joined with a bar. */
  readonly multi: boolean;
  /** For names that only a request can make up: what they look like. The field then stands for all of them. */
  readonly pattern?: string;
}

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);

/** Programs that name no format get JSON, whatever the catalogue says to those who look with a browser. */
const FORMAT_NOTE = 'Without it programs get json, and browsers jsonfm.';

const describe = (name: string, p: ParamDescriptor, { node }: SchemaContext): string =>
  [
    textOfParameter(node, name).text,
    formsFact(p),
    ...templateFacts(p, node.module.prefix),
    // The schema has the bounds of those who may have most.
    p.type === 'integer' && p.highmax !== undefined ? boundsFact(p) : undefined,
    duplicatesFact(p),
    ...annotationFacts(p),
    p.deprecatedvalues === undefined
      ? undefined
      : `Deprecated: ${p.deprecatedvalues.map((value) => `\`${value}\``).join(', ')}.`,
    p.sensitive === true ? 'It is a secret: do not keep it in logs.' : undefined,
    node.group === 'main' && name === 'format' ? FORMAT_NOTE : undefined,
  ]
    .filter((part) => part !== undefined && part !== '')
    .join(' ');

/** Every name that a template takes on, where the parameters that fill it list their values; otherwise `undefined`. */
const namesOf = (
  name: string,
  { templatevars = {} }: ParamDescriptor,
  { node }: SchemaContext,
): readonly string[] | undefined => {
  let names: readonly string[] = [name];
  for (const [variable, source] of Object.entries(templatevars)) {
    const type = node.module.parameters[source]?.type;
    if (type === undefined || typeof type === 'string') return undefined;
    names = names.flatMap((text) => type.map((value) => text.replace(`{${variable}}`, () => value)));
  }
  return names;
};

const fieldsFor = (name: string, p: ParamDescriptor, context: SchemaContext): readonly Field[] => {
  const { prefix } = context.node.module;
  const { default: preset, ...schema } = parameterSchema(name, p, context);
  const isFormat = context.node.group === 'main' && name === 'format';
  const field = {
    description: describe(name, p, context),
    schema: preset === undefined || isFormat ? schema : { ...schema, default: preset },
    required: p.required === true && p.default === undefined && p.templatevars === undefined,
    deprecated: p.deprecated === true,
    multi: p.multi === true,
  };
  if (p.templatevars === undefined) return [{ wireName: prefix + name, ...field }];
  const names = namesOf(name, p, context);
  if (names) return names.map((filled) => ({ wireName: prefix + filled, ...field }));
  const pattern = name
    .split(/\{[a-z]+\}/)
    .map(escapePattern)
    .join('.+');
  return [{ wireName: prefix + name, ...field, pattern: `^${prefix}${pattern}$` }];
};

/** All parameters of a module under their names on the wire. */
export const fieldsOf = (context: SchemaContext): readonly Field[] =>
  Object.entries(context.node.module.parameters).flatMap(([name, p]) => fieldsFor(name, p, context));

const BARS = { style: 'pipeDelimited', explode: false } as const;

/** The field in an address. */
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

/** The fields in a form. */
export const toForm = (fields: readonly Field[]): Schema => {
  const required = fields.filter((field) => field.required).map(({ wireName }) => wireName);
  const entriesOf = (wanted: readonly Field[], nameOf: (field: Field) => string): Schema =>
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

/** How the values of a form are written: several ones are joined with a bar, as in an address. */
export const encodingOf = (fields: readonly Field[]): object =>
  Object.fromEntries(fields.filter(({ multi }) => multi).map(({ wireName }) => [wireName, BARS]));
