import { badContinue } from '../answer/api-error.js';
import type { ModuleRule, RuleRequest } from '../descriptor/rule.js';
import { parseTitle } from '../site/title.js';

/**
 * The forms of the parts of MediaWiki's continue values. A handler may use other forms, and validates its own values;
 * without a handler, only the form can be validated.
 */
const PARTS = {
  /** Any text. */
  text: /^[^]*$/,
  /** An integer without leading zeros. */
  integer: /^(?:0|-?[1-9]\d*)$/,
  /** A database timestamp. */
  timestamp: /^\d{14}$/,
  /** A random number below 1. */
  fraction: /^0\.\d+$/,
  flag: /^[01]$/,
} as const;

export type ContinuePart = keyof typeof PARTS;

/** The parts in order; `undefined` if any value is valid. */
export type ContinueForm = readonly ContinuePart[] | undefined;

const hasForm = (value: string, form: readonly ContinuePart[]): boolean => {
  const parts = value.split('|');
  return parts.length === form.length && form.every((part, index) => PARTS[part].test(parts[index] ?? ''));
};

/** Requires the continue value to have the form. */
export const continues =
  (form: ContinueForm | ((request: RuleRequest) => ContinueForm)): ModuleRule =>
  (request) => {
    const value = request.params['continue'];
    if (request.answered || typeof value !== 'string') return;
    const wanted = typeof form === 'function' ? form(request) : form;
    if (wanted && !hasForm(value, wanted)) throw badContinue();
  };

/** As {@link continues}, but allows an empty value. */
export const continuesIfAny =
  (...form: readonly ContinuePart[]): ModuleRule =>
  (request) =>
    request.params['continue'] === '' ? undefined : continues(form)(request);

/** Requires a namespace and a text that together form a valid title. */
export const continuesByTitle: ModuleRule = (request) => {
  continues(['integer', 'text'])(request);
  const value = request.params['continue'];
  if (request.answered || typeof value !== 'string') return;
  const [ns = '', text = ''] = value.split('|');
  const name = request.site.namespace(Number(ns))?.name;
  if (name === undefined || parseTitle(`${name}:${text}`, request.site).kind !== 'local') throw badContinue();
};
