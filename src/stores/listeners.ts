/**
 * Calls a listener of the application. If it throws or its promise rejects, nothing happens: a store
 * has no place to report it.
 */
export function tell<Input extends readonly unknown[]>(listener: (...input: Input) => unknown, ...input: Input): void {
  try {
    const answer = listener(...input);
    if (typeof answer === 'object' && answer !== null) Promise.resolve(answer).catch(() => undefined);
  } catch {
    // A failing listener does not stop the work.
  }
}
