/**
 * Makes a question that is never under way twice: whoever asks meanwhile waits for the same answer, or the same failure.
 * Nothing is remembered once it has come.
 */
export const singleFlight = <T>(ask: () => Promise<T>): (() => Promise<T>) => {
  let underWay: Promise<T> | undefined;
  return () => {
    underWay ??= ask().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
};
