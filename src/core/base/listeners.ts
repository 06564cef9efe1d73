/** A function of the application that only receives information; its result is ignored. */
type Listener<Input extends readonly unknown[]> = (...input: Input) => unknown;

/**
 * Wraps a listener so that it cannot fail: if it throws or its promise rejects, the error goes to
 * `onFailure` only. Its result is not awaited.
 */
export const guarded =
  <Input extends readonly unknown[]>(
    listener: Listener<Input>,
    onFailure: (error: unknown) => void = () => undefined,
  ): ((...input: Input) => void) =>
  (...input) => {
    try {
      const answer = listener(...input);
      if (typeof answer === 'object' && answer !== null) Promise.resolve(answer).catch(onFailure);
    } catch (error) {
      onFailure(error);
    }
  };
