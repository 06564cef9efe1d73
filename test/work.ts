/**
 * How many characters and bytes are looked at while something runs. It depends on the text alone and not on the machine, so that
 * linear can be told from quadratic without a clock.
 */
export const workOf = (run: () => unknown): number => {
  let work = 0;
  const restore: (() => void)[] = [];
  const count = (
    owner: object,
    name: string,
    cost: (self: { readonly length: number }, args: readonly unknown[], result: unknown) => number,
  ): void => {
    const original: unknown = Reflect.get(owner, name);
    if (typeof original !== 'function') throw new Error(`There is no ${name}.`);
    const value = function (this: unknown, ...args: unknown[]): unknown {
      const result: unknown = Reflect.apply(original, this, args);
      // A string without methods of ours, or a buffer itself.
      work += cost(Object(this), args, result);
      return result;
    };
    Object.defineProperty(owner, name, { configurable: true, writable: true, value });
    restore.push(() => Object.defineProperty(owner, name, { configurable: true, writable: true, value: original }));
  };
  count(String.prototype, 'slice', (_self, _args, result) => String(result).length);
  for (const owner of [String.prototype, Buffer.prototype])
    count(
      owner,
      'indexOf',
      (self, [, from], result) => 1 + (result === -1 ? self.length : Number(result)) - Number(from ?? 0),
    );
  count(Buffer.prototype, 'toString', (_self, _args, result) => String(result).length);
  count(Buffer, 'concat', (_self, _args, result) => Object(result).length);
  for (const name of ['includes', 'replaceAll', 'replace', 'split', 'trim', 'startsWith'])
    count(String.prototype, name, (self) => self.length);
  for (const name of ['test', 'exec']) count(RegExp.prototype, name, (_self, [subject]) => String(subject).length);
  count(globalThis, 'decodeURIComponent', (_self, [subject]) => String(subject).length);
  try {
    run();
  } finally {
    for (const undo of restore) undo();
  }
  return work;
};
