import { mistake } from '../../base/mistakes.js';
import { didYouMean } from '../../base/spelling.js';

type Implications = ReadonlyMap<string, { readonly implies?: readonly string[] | undefined }>;

/**
 * Scopes implied by broader ones. They are granted with the broader scope, so that any later check only needs to compare
 * names, in every process.
 */
export class ImpliedScopes {
  /** All scopes implied by each scope, directly or indirectly. */
  readonly #all: ReadonlyMap<string, ReadonlySet<string>>;

  /** @throws TypeError for an unknown scope, and for one that implies itself. */
  constructor(definitions: Implications) {
    const all = new Map<string, ReadonlySet<string>>();
    const close = (scope: string, path: readonly string[]): ReadonlySet<string> => {
      const known = all.get(scope);
      if (known !== undefined) return known;
      if (path.includes(scope))
        throw mistake(
          `options.scopes: ${[...path.slice(path.indexOf(scope)), scope].join(' implies ')}. Take one of these out.`,
          'OQ100',
        );
      const found = new Set<string>();
      for (const name of definitions.get(scope)?.implies ?? []) {
        checkName(name, scope, definitions);
        found.add(name);
        for (const further of close(name, [...path, scope])) found.add(further);
      }
      all.set(scope, found);
      return found;
    };
    for (const scope of definitions.keys()) close(scope, []);
    this.#all = new Map([...all].filter(([, implied]) => implied.size > 0));
  }

  /** These scopes, followed by those they imply, without duplicates. */
  expand(scopes: readonly string[]): readonly string[] {
    if (this.#all.size === 0) return scopes;
    return [...new Set([...scopes, ...scopes.flatMap((scope) => [...(this.#all.get(scope) ?? [])])])];
  }

  /** Like {@link expand}, for scopes separated by spaces. */
  expandText(scope: string): string {
    return this.#all.size === 0 || scope === '' ? scope : this.expand(scope.split(' ')).join(' ');
  }

  /** These scopes without those implied by others of them, for display to users. */
  broadest(scopes: readonly string[]): readonly string[] {
    if (this.#all.size === 0) return scopes;
    return scopes.filter((scope) => !scopes.some((other) => this.#all.get(other)?.has(scope) === true));
  }
}

const checkName = (name: string, by: string, definitions: Implications): void => {
  if (definitions.has(name)) return;
  throw mistake(
    `options.scopes[${JSON.stringify(by)}].implies names ${JSON.stringify(name)}, which options.scopes does not have.${didYouMean(name, definitions.keys())}`,
    'OQ100',
  );
};
