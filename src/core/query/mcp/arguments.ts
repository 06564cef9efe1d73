import { nearestName } from '../../base/spelling.js';
import { joinValues } from '../parameters/multi-value.js';
import { ToolRefusal } from './refusal.js';
import type { Arguments } from './tool.js';

/** One value as text; `undefined` for what is not there, and for a switch that is off. */
const scalar = (value: unknown, name: string): string => {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  throw new ToolRefusal(
    `The argument ${name} must be a text or a number, or a list of them where several are possible.`,
  );
};

/**
 * The text that a parameter is sent as.
 *
 * @param multi - Whether it takes several values; a single one need not be a list.
 * @throws ToolRefusal
 */
export const wireText = (value: unknown, name: string, multi: boolean): string | undefined => {
  if (value === undefined || value === null || value === false) return undefined;
  if (value === true) return '1';
  if (!Array.isArray(value)) return multi ? joinValues([scalar(value, name)]) : scalar(value, name);
  if (!multi) throw new ToolRefusal(`The argument ${name} takes one value.`);
  return value.length === 0 ? undefined : joinValues(value.map((one) => scalar(one, name)));
};

/** @throws ToolRefusal for arguments that a tool does not take. */
export const checkNames = (args: Arguments, known: readonly string[], tool: string): void => {
  const unknown = Object.keys(args).find((name) => args[name] !== undefined && !known.includes(name));
  if (unknown === undefined) return;
  const near = nearestName(unknown, known);
  const advice =
    near !== undefined
      ? `Did you mean ${near}?`
      : known.length > 0
        ? `It takes ${known.join(', ')}.`
        : 'It takes none.';
  throw new ToolRefusal(`${tool} takes no argument ${JSON.stringify(unknown.slice(0, 64))} here. ${advice}`);
};
