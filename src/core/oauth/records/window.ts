import type { Clock } from '../../base/ports.js';

/** Seconds by which the clocks of processes that share a store may differ. */
export const CLOCK_DIFFERENCE = 30;

/** Seconds since the epoch. */
export const secondsOf = (clock: Clock): number => Math.floor(clock() / 1000);

/** The time as known to a process: its clock, and its own name. */
export interface Timekeeper {
  readonly clock: Clock;
  /** Generated at start. */
  readonly process: string;
}

/** When something was written, and by which process. */
export interface Written {
  /** Milliseconds since the epoch, by the clock of that process. */
  readonly at_ms: number;
  readonly process: string;
}

/**
 * Whether something was written less than a number of seconds ago. For records of other processes, the clock difference
 * is added. A window of 0 is over immediately, whatever the clocks say.
 */
export const isRecent = (seconds: number, { at_ms, process }: Written, own: Timekeeper): boolean => {
  if (seconds === 0) return false;
  const slack = process === own.process ? 0 : CLOCK_DIFFERENCE;
  return own.clock() - at_ms < (seconds + slack) * 1000;
};
