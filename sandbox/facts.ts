import type { Parameter } from './catalogue.js';

const TYPES: Readonly<Record<string, string>> = {
  timestamp: 'A time such as 2001-01-15T14:56:00Z, or now.',
  user: 'A user.',
  title: 'A page title.',
};

const number = (value: number): string => value.toLocaleString('en');

const bounds = ({ type, min, max, highmax }: Parameter): string | undefined => {
  const most =
    max === undefined
      ? undefined
      : number(max) + (highmax === undefined ? '' : ` (${number(highmax)} with high limits)`);
  const range =
    min !== undefined && most !== undefined
      ? `From ${number(min)} to ${most}`
      : min !== undefined
        ? `At least ${number(min)}`
        : most && `At most ${most}`;
  if (type === 'limit') return range === undefined ? 'A number, or max.' : `${range}, or max.`;
  return type === 'integer' ? (range === undefined ? 'A whole number.' : `${range}.`) : undefined;
};

const several = ({ type, multi, limit }: Parameter): string | undefined => {
  if (multi !== true) return undefined;
  const most = limit === undefined ? '' : `, at most ${number(limit)}`;
  return typeof type === 'string' && type !== 'namespace' ? `One value per line${most}.` : undefined;
};

/** A selection of one value shows its default itself. */
const preset = ({ type, multi, default: value }: Parameter): string | undefined => {
  const says = type === 'boolean' || (multi !== true && (typeof type !== 'string' || type === 'namespace'));
  return value === undefined || says ? undefined : `Default: ${value === '' ? 'empty' : value}.`;
};

/** The properties of a parameter, in short sentences. */
export const factsOf = (parameter: Parameter): readonly string[] => {
  const { type, info = [], deprecatedvalues = [], sensitive } = parameter;
  return [
    typeof type === 'string' ? TYPES[type] : undefined,
    bounds(parameter),
    several(parameter),
    preset(parameter),
    deprecatedvalues.length === 0 ? undefined : `Deprecated: ${deprecatedvalues.join(', ')}.`,
    sensitive === true ? 'Confidential: sent in the request body, and not displayed.' : undefined,
    ...info.map(({ name, text, values }) => `${text ?? name}${values ? ` Values: ${values.join(', ')}.` : ''}`),
  ].filter((fact) => fact !== undefined);
};

/** The names of a templated parameter, one for each combination of the values of its variables. */
export const expandedNames = (
  { name, templatevars = {} }: Parameter,
  valuesOf: (parameter: string) => readonly string[],
): readonly string[] =>
  Object.entries(templatevars).reduce<readonly string[]>(
    (names, [variable, source]) =>
      names.flatMap((one) => valuesOf(source).map((value) => one.replace(`{${variable}}`, value))),
    [name],
  );
