import { badContinue } from '../answer/api-error.js';
import { parseTitle } from '../pages/title.js';
import type { ModuleRule, RuleRequest } from './rule.js';

/**
 * The forms that MediaWiki gives the parts of a continue value. A handler may give its values any other form and judges
 * them itself; where none answers, no answer can have given a value, and only its form can be judged.
 */
const PARTS = {
  /** Any text. */
  text: /^[^]*$/,
  /** A whole number as it is written by a program. */
  integer: /^(?:0|-?[1-9]\d*)$/,
  /** A time of a database. */
  timestamp: /^\d{14}$/,
  /** A random number. */
  fraction: /^0\.\d+$/,
  flag: /^[01]$/,
} as const;

export type ContinuePart = keyof typeof PARTS;

/** The parts in their order; `undefined` where any value is right. */
export type ContinueForm = readonly ContinuePart[] | undefined;

const hasForm = (value: string, form: readonly ContinuePart[]): boolean => {
  const parts = value.split('|');
  return parts.length === form.length && form.every((part, index) => PARTS[part].test(parts[index] ?? ''));
};

/** Refuses a continue value that has not the form. */
export const continues =
  (form: ContinueForm | ((request: RuleRequest) => ContinueForm)): ModuleRule =>
  (request) => {
    const value = request.params['continue'];
    if (request.answered || typeof value !== 'string') return;
    const wanted = typeof form === 'function' ? form(request) : form;
    if (wanted && !hasForm(value, wanted)) throw badContinue();
  };

/** As {@link continues}, where the empty text is no value. */
export const continuesIfAny =
  (...form: readonly ContinuePart[]): ModuleRule =>
  (request) =>
    request.params['continue'] === '' ? undefined : continues(form)(request);

/** A value that names a namespace and a title, which have to be a title together. */
export const continuesByTitle: ModuleRule = (request) => {
  continues(['integer', 'text'])(request);
  const value = request.params['continue'];
  if (request.answered || typeof value !== 'string') return;
  const [ns = '', text = ''] = value.split('|');
  const name = request.site.namespace(Number(ns))?.name;
  if (name === undefined || parseTitle(`${name}:${text}`, request.site).kind !== 'local') throw badContinue();
};
