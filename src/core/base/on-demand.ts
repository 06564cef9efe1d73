/**
 * Loads a part of this package when it is first used, and once. After a failure, which rejects the calls that waited
 * for it, the next call tries again.
 */
export const onDemand = <T>(load: () => Promise<T>): (() => Promise<T>) => {
  let loading: Promise<T> | undefined;
  return () =>
    (loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    }));
};
