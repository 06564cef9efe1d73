const CODES: ReadonlySet<unknown> = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND']);

/** Whether an import failed because this package is not installed, and not one of its dependencies. */
export const isMissing = (error: unknown, name: string): boolean =>
  error instanceof Error && 'code' in error && CODES.has(error.code) && error.message.includes(`'${name}'`);

/** A package that is tried, or a module of Node. */
interface Candidate<T> {
  readonly name: string;
  /** Loads it; `undefined` if this Node does not have the module. */
  readonly load: () => T | undefined;
}

/** A package that is there and does not work: it was built for another Node or another system, for example. */
interface Broken {
  readonly name: string;
  readonly error: unknown;
}

/**
 * The first of these packages that works.
 *
 * @param probe - Throws if a loaded package cannot be used.
 * @returns the package, or those that are installed and do not work, with their errors.
 */
export const firstUsable = <T>(
  candidates: readonly Candidate<T>[],
  probe: (loaded: T) => void,
): { readonly loaded: T } | { readonly broken: readonly Broken[] } => {
  const broken: Broken[] = [];
  for (const { name, load } of candidates) {
    try {
      const loaded = load();
      if (loaded === undefined) continue;
      probe(loaded);
      return { loaded };
    } catch (error) {
      if (!isMissing(error, name)) broken.push({ name, error });
    }
  }
  return { broken };
};

/** Longer reasons are cut: those of `require` list the files that led there. */
const MAX_REASON = 300;

/** Sentences that name each broken package and its reason. */
export const reasonsOf = (broken: readonly Broken[]): string =>
  broken
    .map(({ name, error }) => {
      const reason = (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ').trim();
      return ` ${name} is installed, and cannot be used: ${reason.slice(0, MAX_REASON)}.`;
    })
    .join('');

/** The end of such an error. */
export const REINSTALL = 'Install it again on this machine, with this version of Node.';
