/**
 * Wraps a function so that it never runs twice at once for the same input: concurrent callers share the same result or failure.
 * Nothing is cached after that.
 */
export const singleFlight = <T, Input = void>(ask: (input: Input) => Promise<T>): ((input: Input) => Promise<T>) => {
  const underWay = new Map<Input, Promise<T>>();
  return (input) => {
    const asked = underWay.get(input) ?? ask(input).finally(() => underWay.delete(input));
    underWay.set(input, asked);
    return asked;
  };
};
