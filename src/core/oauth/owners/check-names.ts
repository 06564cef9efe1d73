import { mistake } from '../../base/mistakes.js';

/**
 * Validates names passed by the application. A missing one would revoke nothing and look like success, or revoke everything.
 *
 * @throws TypeError that names it.
 */
export const checkNames = (call: string, names: Readonly<Record<string, unknown>>): void => {
  const wrong = Object.keys(names).find((name) => typeof names[name] !== 'string' || names[name] === '');
  if (wrong !== undefined) throw mistake(`${call}: ${wrong} must be a non-empty string.`, 'OQ100');
};
