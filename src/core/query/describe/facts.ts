import type { ParamDescriptor } from '../descriptor.js';
import { boundsOf, everythingOf, valueCounts } from '../parameters/descriptor-facts.js';
import { annotationText } from './texts/help-text.js';

/**
 * What a description says about a parameter beside its own sentence, in words for people. Code stands between backticks.
 */

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

const number = (value: number): string => value.toLocaleString('en');

/** What a value of the type is; the values that are listed speak for themselves. */
export const typeFacts = ({ type, multi }: ParamDescriptor): readonly string[] => {
  if (typeof type !== 'string') return [];
  return [TYPE_NAMES[type] ?? '', ...(type === 'string' && multi === true ? ['Several values, joined with |.'] : [])];
};

export const formsFact = ({ subtypes }: ParamDescriptor): string | undefined =>
  subtypes && `In these forms: ${subtypes.map((form) => USER_FORMS[form] ?? form).join(', ')}.`;

/** @param prefix - Stands before the names of the module's parameters. */
export const templateFacts = ({ templatevars = {} }: ParamDescriptor, prefix: string): readonly string[] =>
  Object.entries(templatevars).map(
    ([variable, source]) => `One for each value of \`${prefix}${source}\`, put in place of \`{${variable}}\`.`,
  );

export const boundsFact = (p: ParamDescriptor): string | undefined => {
  if (p.type !== 'limit' && p.type !== 'integer') return undefined;
  const { min, max, highmax } = boundsOf(p);
  const raised = highmax === undefined || highmax === max ? '' : ` (${number(highmax)} with raised limits)`;
  const most = max === undefined ? undefined : number(max) + raised;
  if (min !== undefined && most !== undefined) return `From ${number(min)} to ${most}.`;
  if (min !== undefined) return `At least ${number(min)}.`;
  return most === undefined ? undefined : `At most ${most}.`;
};

export const countFact = (p: ParamDescriptor): string | undefined => {
  const counts = valueCounts(p);
  return counts && `At most ${number(counts.low)} values (${number(counts.high)} with raised limits).`;
};

export const duplicatesFact = ({ allowsduplicates }: ParamDescriptor): string | undefined =>
  allowsduplicates === true ? 'Repeated values count.' : undefined;

export const everythingFact = (p: ParamDescriptor): string | undefined => {
  const all = everythingOf(p);
  return all === undefined ? undefined : `\`${all}\` alone stands for all values.`;
};

export const annotationFacts = ({ info = [] }: ParamDescriptor): readonly string[] =>
  info.map(({ name, values }) => `${annotationText(name).text}${values ? ` Here: ${values.join(', ')}.` : ''}`);
