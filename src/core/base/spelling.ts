/** Names that differ only in case, underscores and hyphens are considered equal. */
const folded = (name: string): string => name.replace(/[_-]/g, '').toLowerCase();

/** How many letters must be changed, added, removed or swapped to turn one text into the other. */
const distance = (a: string, b: string): number => {
  let [before, last]: readonly (readonly number[])[] = [[], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const changed = (last?.[j - 1] ?? 0) + (isSame ? 0 : 1);
      const swapped = isSwapped ? (before?.[j - 2] ?? 0) + 1 : Infinity;
      row.push(Math.min((last?.[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, changed, swapped));
    }
    [before, last] = [last, row];
  }
  return last?.[b.length] ?? 0;
};

/** The shortest name in which one wrong letter leaves no doubt what was meant. */
const MIN_TYPO_LENGTH = 8;

/** Whether a name is another one in camel case or with hyphens, or a long one with one mistake. Other names may lie as near as `acl` to `acr`. */
export const isMisspelt = (name: string, meant: string): boolean => {
  if (name === meant || name.length > 2 * meant.length) return false;
  const [given, wanted] = [folded(name), folded(meant)];
  const mayBeTypo = meant.length >= MIN_TYPO_LENGTH && Math.abs(given.length - wanted.length) <= 1;
  return given === wanted || (mayBeTypo && distance(given, wanted) === 1);
};

/** The shortest name that can be recognised as the end or the beginning of a longer one. */
const MIN_PART_LENGTH = 5;

/** Whether a name is the beginning or the end of a longer one, as `secret` is of `client_secret`. */
const isPart = (name: string, longer: string): boolean =>
  name.length >= MIN_PART_LENGTH && (longer.startsWith(name) || longer.endsWith(name));

/** The question about a name that was probably meant, after a space; otherwise the other advice. */
export const didYouMean = (name: string, known: Iterable<string>, otherwise = ''): string => {
  const near = nearestName(name, [...known]);
  return near === undefined ? otherwise : ` Did you mean ${JSON.stringify(near)}?`;
};

/** The known name that was probably meant: one with at most one mistake per three letters, or the only one that ends or begins with the given name. */
export const nearestName = (name: string, known: readonly string[]): string | undefined => {
  const wanted = folded(name).slice(0, 64);
  const allowed = Math.max(1, Math.floor(wanted.length / 3));
  const [nearest] = known
    .map((candidate) => ({ candidate, steps: distance(wanted, folded(candidate)) }))
    .filter(({ steps }) => steps <= allowed)
    .sort((a, b) => a.steps - b.steps);
  if (nearest !== undefined) return nearest.candidate;
  const [whole, another] = known.filter((candidate) => isPart(wanted, folded(candidate)));
  return another === undefined ? whole : undefined;
};
