import { randomBytes } from 'node:crypto';
import type { Clock, RandomBytes, Timer } from './ports.js';

/** The system's clock, timers and ids, used unless the application provides others. No other file of the core may use them. */

export const systemClock: Clock = () => Date.now();

export const systemRandom: RandomBytes = (size) => randomBytes(size);

/** Does not keep the process running. */
export const systemTimer: Timer = (run, milliseconds) => {
  const timer = setTimeout(run, milliseconds).unref();
  return () => clearTimeout(timer);
};

/** A clock that never goes back, in milliseconds with fractions: measures durations. */
export const monotonic = (): number => performance.now();

/** Lets other requests run. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
