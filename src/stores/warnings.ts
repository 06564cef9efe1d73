import type { OnWarning } from '../core/base/mistakes.js';

/** Adds the code of a warning to its sentence, as the server does. */
export const warningsTo =
  (onWarning: OnWarning = (sentence) => console.warn(sentence)): OnWarning =>
  (sentence, code) =>
    onWarning(`${sentence} (${code})`, code);
