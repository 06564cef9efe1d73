import { MOVED_OPTIONS } from '../../core/base/moved.js';
import { optionUses } from './option-uses.js';

/** An option of an earlier version, where it is used, and what to write instead. */
interface Upgrade {
  readonly file: string;
  readonly line: number;
  readonly option: string;
  readonly now: string;
  readonly write: string;
}

/** The options of earlier versions in source files, in their order. A variable may be passed in another file than its own. */
export const upgradesIn = (
  sources: readonly { readonly file: string; readonly text: string }[],
): readonly Upgrade[] => {
  const files = sources.map(({ file, text }) => ({ file, uses: optionUses(text) }));
  const functionsOf = new Map<string, Set<string>>();
  for (const { uses } of files)
    for (const { variable, to } of uses.passed)
      functionsOf.set(variable, (functionsOf.get(variable) ?? new Set()).add(to));
  return files.flatMap(({ file, uses }) =>
    uses.options.flatMap(({ of, path, line }) =>
      MOVED_OPTIONS.filter(
        (row) => row.name === path && row.of.some((name) => name === of || functionsOf.get(of)?.has(name)),
      ).map(({ now, write }) => ({ file, line, option: path, now, write })),
    ),
  );
};
