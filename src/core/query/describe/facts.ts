import { boundsOf, everythingOf, valueCounts } from '../descriptor/descriptor-facts.js';
import type { ParamDescriptor } from '../descriptor/descriptor.js';
import { annotationText } from './texts/help-text.js';

/** Sentences about a parameter for people, in addition to its description. Code is between backticks. */

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'Text.',
  integer: 'Integer.',
  limit: 'Number of results, or max.',
  boolean: 'Boolean: true if present, whatever its value.',
  timestamp: 'Timestamp, such as 2001-01-15T14:56:00Z, or now.',
  user: 'User name.',
  namespace: 'Namespace id.',
  title: 'Page title.',
};

const USER_FORMS: Readonly<Record<string, string>> = {
  name: 'name',
  ip: 'IP address',
  temp: 'temporary account',
  interwiki: 'user name on another site, such as prefix>Name',
  id: 'user id, such as #12345',
  cidr: 'IP range',
};

const number = (value: number): string => value.toLocaleString('en');

/** Describes the type, unless it is a list of values. */
export const typeFacts = ({ type, multi }: ParamDescriptor): readonly string[] => {
  if (typeof type !== 'string') return [];
  return [TYPE_NAMES[type] ?? '', ...(type === 'string' && multi === true ? ['Separate values with |.'] : [])];
};

export const formsFact = ({ subtypes }: ParamDescriptor): string | undefined =>
  subtypes && `Accepted forms: ${subtypes.map((form) => USER_FORMS[form] ?? form).join(', ')}.`;

/** @param prefix - The prefix of the module's parameters. */
export const templateFacts = ({ templatevars = {} }: ParamDescriptor, prefix: string): readonly string[] =>
  Object.entries(templatevars).map(
    ([variable, source]) => `One parameter for each value of \`${prefix}${source}\`, which replaces \`{${variable}}\`.`,
  );

export const boundsFact = (p: ParamDescriptor): string | undefined => {
  if (p.type !== 'limit' && p.type !== 'integer') return undefined;
  const { min, max, highmax } = boundsOf(p);
  const raised = highmax === undefined || highmax === max ? '' : ` (${number(highmax)} with high limits)`;
  const most = max === undefined ? undefined : number(max) + raised;
  if (min !== undefined && most !== undefined) return `From ${number(min)} to ${most}.`;
  if (min !== undefined) return `At least ${number(min)}.`;
  return most === undefined ? undefined : `At most ${most}.`;
};

export const countFact = (p: ParamDescriptor): string | undefined => {
  const counts = valueCounts(p);
  return counts && `At most ${number(counts.low)} values (${number(counts.high)} with high limits).`;
};

export const duplicatesFact = ({ allowsduplicates }: ParamDescriptor): string | undefined =>
  allowsduplicates === true ? 'Values may be repeated.' : undefined;

export const everythingFact = (p: ParamDescriptor): string | undefined => {
  const all = everythingOf(p);
  return all === undefined ? undefined : `To specify all values, use \`${all}\`.`;
};

export const annotationFacts = ({ info = [] }: ParamDescriptor): readonly string[] =>
  info.map(({ name, values }) => `${annotationText(name).text}${values ? ` Values: ${values.join(', ')}.` : ''}`);
