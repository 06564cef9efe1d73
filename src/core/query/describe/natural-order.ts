const leadingDigits = (text: string): string | undefined => /^[0-9]+/.exec(text)?.[0];

/** Compares texts by code units, and numbers in them by value: `v2` before `v10`, `A` before `a`. */
export const byNaturalOrder = (a: string, b: string): number => {
  let same = 0;
  while (same < a.length && a[same] === b[same]) same += 1;
  // A number that starts in the common prefix is compared as a whole.
  const start = a.slice(0, same).replace(/[0-9]+$/, '').length;
  const left = leadingDigits(a.slice(start));
  const right = leadingDigits(b.slice(start));
  if (left !== undefined && right !== undefined && Number(left) !== Number(right)) return Number(left) - Number(right);
  return a < b ? -1 : a > b ? 1 : 0;
};
