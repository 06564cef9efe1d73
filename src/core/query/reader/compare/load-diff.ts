import { apiError } from '../../answer/api-error.js';

/** A run of equal, added or removed entries. */
export interface Change<T> {
  readonly value: readonly T[];
  readonly added: boolean;
  readonly removed: boolean;
}

/**
 * Compares two lists.
 *
 * @param maxEdits - The number of added and removed entries that is searched. It bounds the time, which is
 * proportional to its square and to the length of the lists.
 * @returns `undefined` if there are more.
 */
export type Diff = <T>(before: readonly T[], after: readonly T[], maxEdits: number) => readonly Change<T>[] | undefined;

/** For the operator of a server without the package. */
const REMEDY =
  'action=compare: texts cannot be compared, because the package diff is not installed. Run npm install diff.';

/**
 * Loads the package on first use.
 *
 * @throws ApiError `nodiff` if it is not installed; `onError` receives the remedy.
 */
export const loadDiff = async (onError: (error: unknown) => void): Promise<Diff> => {
  const { diffArrays } = await import('diff').catch((cause: unknown) => {
    onError(new Error(REMEDY, { cause }));
    throw apiError('nodiff');
  });
  return (before, after, maxEditLength) => diffArrays([...before], [...after], { maxEditLength });
};
