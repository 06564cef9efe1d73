/**
 * Wraps a function so that it never runs twice at once: concurrent callers share the same result or failure.
 * Nothing is cached after that.
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
