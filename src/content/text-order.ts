/**
 * Compares by code points, as databases do; comparing UTF-16 code units would sort characters above U+FFFF too early.
 */
export const compareText = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const one = a.charCodeAt(index);
    const other = b.charCodeAt(index);
    if (one !== other) return one >= 0xd800 && other >= 0xd800 ? rank(one) - rank(other) : one - other;
  }
  return a.length - b.length;
};

/** Moves surrogates behind all other code units. */
const rank = (unit: number): number => (unit <= 0xdfff ? unit + 0x2000 : unit - 0x800);

type Part = string | number;

/** Compares keys part by part. */
export const compareKeys = (a: readonly Part[], b: readonly Part[]): number => {
  for (const [index, one] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    const order = typeof one === 'number' ? one - Number(other) : compareText(one, String(other));
    if (order !== 0) return order;
  }
  return a.length - b.length;
};
