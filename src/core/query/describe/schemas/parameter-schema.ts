import { boundsOf, everythingOf, valueCounts } from '../../descriptor/descriptor-facts.js';
import type { ParamDescriptor } from '../../descriptor/descriptor.js';
import { splitValues } from '../../parameters/multi-value.js';
import type { Site } from '../../site/site.js';
import { boundsFact, countFact, everythingFact, typeFacts } from '../facts.js';
import { type DescribedParameter, namespacesOf } from '../parameters.js';
import { type JsonSchema, schemaName, type SchemaRegistry } from './shared-schemas.js';

/** The site, and the schemas that can be referenced. */
export interface SchemaContext {
  readonly site: Site;
  readonly shared: SchemaRegistry;
}

type NamedType = Extract<ParamDescriptor['type'], string>;

const sentences = (...facts: readonly (string | undefined)[]): string =>
  facts.filter((fact) => fact !== undefined && fact !== '').join(' ');

/**
 * Timestamps: those of RFC 3339, `now`, 14 digits, and seconds since the epoch. The parser accepts more forms, which
 * new clients do not need.
 */
const TIMESTAMP: JsonSchema = {
  type: 'string',
  description: sentences(
    ...typeFacts({ type: 'timestamp' }),
    'Also YYYYMMDDHHMMSS, or seconds since the epoch. UTC if there is no time zone.',
  ),
  anyOf: [{ format: 'date-time' }, { pattern: String.raw`^(now|\d{14}|-?\d{1,13})$` }],
};

/** True if present. `false` would be true as well, so the schema does not contain it. */
const SWITCH: JsonSchema = {
  type: 'boolean',
  enum: [true],
  description: sentences(...typeFacts({ type: 'boolean' }), 'Omit it for false.'),
};

const integer = (p: ParamDescriptor): JsonSchema => {
  const { min, highmax } = boundsOf(p);
  return {
    type: 'integer',
    format: 'int64',
    minimum: min,
    maximum: highmax,
  };
};

const limit = (p: ParamDescriptor, { shared }: SchemaContext): JsonSchema => {
  const schema = {
    description: sentences(...typeFacts(p), boundsFact(p)),
    anyOf: [integer(p), { type: 'string', enum: ['max'] }],
  };
  const name = ['Limit', boundsOf(p).min, p.max, p.highmax].filter((part) => part !== undefined).join('-');
  return shared.define(name, schema);
};

const namespace = (p: ParamDescriptor, { site, shared }: SchemaContext): JsonSchema => {
  const known = namespacesOf(p, site);
  const list = known.map(({ id, label }) => `${id} ${label}`).join(', ');
  return shared.define('Namespace', {
    type: 'integer',
    enum: known.map(({ id }) => id),
    description: sentences(...typeFacts({ type: 'namespace' }), `${list}.`),
  });
};

/** The schema of a value of each named type. */
const NAMED: Readonly<Record<NamedType, (p: ParamDescriptor, context: SchemaContext) => JsonSchema>> = {
  string: ({ sensitive }) => ({ type: 'string', format: sensitive && 'password' }),
  integer,
  limit,
  boolean: (_p, { shared }) => shared.define('Switch', SWITCH),
  timestamp: (_p, { shared }) => shared.define('Timestamp', TIMESTAMP),
  user: (_p, { shared }) =>
    shared.define('User', { type: 'string', description: sentences(...typeFacts({ type: 'user' })) }),
  namespace,
  title: (_p, { shared }) =>
    shared.define('Title', { type: 'string', description: sentences(...typeFacts({ type: 'title' })) }),
};

const PLURALS: Readonly<Record<string, string>> = {
  string: 'Texts',
  integer: 'Integers',
  timestamp: 'Timestamps',
  user: 'Users',
  namespace: 'Namespaces',
  title: 'Titles',
};

const enumeration = (values: readonly string[], { deprecatedvalues }: ParamDescriptor): JsonSchema => ({
  type: 'string',
  enum: values,
  'x-deprecated-values': deprecatedvalues,
});

const several = ({ wireName, declared: p, values }: DescribedParameter, context: SchemaContext): JsonSchema => {
  const { shared } = context;
  const all = everythingOf(p);
  const schema = (items: JsonSchema): JsonSchema => ({
    type: 'array',
    items,
    // A schema does not depend on the caller: it has the high limit, and the description states both.
    maxItems: valueCounts(p)?.high,
    description: sentences(countFact(p), everythingFact(p)),
  });
  if (values !== undefined) {
    const everything = all === undefined || values.includes(all) ? [] : [all];
    return shared.define(schemaName(wireName), schema(enumeration([...values, ...everything], p)));
  }
  const one = NAMED[p.type as NamedType](p, context); // A type that is not a list is a name.
  const items = all === undefined || p.type === 'string' ? one : { anyOf: [one, { type: 'string', enum: [all] }] };
  return shared.define(PLURALS[String(p.type)] ?? String(p.type), schema(items));
};

/** A single value in JSON. */
const typedValue = (text: string, { type }: ParamDescriptor): string | number =>
  (type === 'integer' || type === 'limit' || type === 'namespace') && /^-?\d+$/.test(text) ? Number(text) : text;

const defaultOf = (p: ParamDescriptor): JsonSchema => {
  if (p.default === undefined || p.type === 'boolean') return {};
  const text = String(p.default);
  if (p.multi !== true) return { default: typedValue(text, p) };
  return { default: splitValues(text, Number.POSITIVE_INFINITY).map((one) => typedValue(one, p)) };
};

/** The schema of a parameter, with its default. */
export const parameterSchema = (parameter: DescribedParameter, context: SchemaContext): JsonSchema => {
  const { wireName, declared: p, values } = parameter;
  const schema =
    p.multi === true
      ? several(parameter, context)
      : values === undefined
        ? NAMED[p.type as NamedType](p, context) // A type that is not a list is a name.
        : context.shared.inlineOrDefine(schemaName(wireName), enumeration(values, p));
  return { ...schema, ...defaultOf(p) };
};
