import { mistake } from '../core/base/mistakes.js';

/** Rejected tokens before the first accepted one, after which the settings are doubted. */
const DOUBTFUL = 5;

/**
 * Reports once that no token was ever accepted, which a wrong setting causes far more often than callers do. Without it, each of them would get a
 * 401, and nobody would know why.
 *
 * @param sentence - The report, by the number of tokens and the reason of the last one.
 * @returns a function to call for each token, without a reason for an accepted one.
 */
export const doubter = <Reason>(
  onError: (error: unknown) => void,
  sentence: (tokens: number, last: Reason) => string,
): ((reason?: Reason) => void) => {
  let left = DOUBTFUL;
  return (reason) => {
    if (left === 0) return;
    left = reason === undefined ? 0 : left - 1;
    if (reason !== undefined && left === 0) onError(mistake(sentence(DOUBTFUL, reason), 'OQ403'));
  };
};
