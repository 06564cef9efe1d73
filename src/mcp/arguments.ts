import { joinValues, nearestName } from '../core/query/toolkit.js';
import { ToolError } from './errors.js';
import type { Arguments } from './tool.js';

const scalar = (value: unknown, name: string): string => {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  throw new ToolError(
    `The argument ${name} must be a string or a number, or an array of these if it takes several values.`,
  );
};

/**
 * An argument as the text of a parameter; `undefined` for a missing one and for `false`.
 *
 * @param multi - Whether the parameter takes several values.
 * @throws ToolError
 */
export const wireText = (value: unknown, name: string, multi: boolean): string | undefined => {
  if (value === undefined || value === null || value === false) return undefined;
  if (value === true) return '1';
  if (!Array.isArray(value)) return multi ? joinValues([scalar(value, name)]) : scalar(value, name);
  if (!multi) throw new ToolError(`The argument ${name} takes one value.`);
  return value.length === 0 ? undefined : joinValues(value.map((one) => scalar(one, name)));
};

/** @throws ToolError for an argument that is not known. */
export const checkNames = (args: Arguments, known: readonly string[], tool: string): void => {
  const unknown = Object.keys(args).find((name) => args[name] !== undefined && !known.includes(name));
  if (unknown === undefined) return;
  const near = nearestName(unknown, known);
  const advice =
    near !== undefined
      ? `Did you mean ${near}?`
      : known.length > 0
        ? `It takes ${known.join(', ')}.`
        : 'It takes no arguments.';
  throw new ToolError(`${tool} takes no argument ${JSON.stringify(unknown.slice(0, 64))}. ${advice}`);
};
