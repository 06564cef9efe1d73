import { isMissing } from '../../core/base/missing-package.js';
import { mistake } from '../../core/base/mistakes.js';

/**
 * Loads the first of these packages that is installed, or the one with this name. Drivers are not dependencies of this library.
 *
 * @throws TypeError with a sentence that names them if none is installed, or none has the name.
 */
export async function loadDriver<const Loaders extends readonly Loader<unknown>[]>(
  scheme: string,
  loaders: Loaders,
  driver?: string,
): Promise<Loaded<Loaders[number]>> {
  const all = loaders.map(({ name }) => name).join(' or ');
  const possible = loaders.filter(({ name }) => driver === undefined || name === driver);
  const [first] = possible;
  if (first === undefined) throw mistake(`openStore: options.driver must be ${all} for ${scheme}`, 'OQ100');
  for (const { name, load } of possible) {
    try {
      // The loop keeps name and driver together, which the type system cannot express.
      return { name, driver: await load() } as Loaded<Loaders[number]>;
    } catch (error) {
      if (!isMissing(error, name)) throw error;
    }
  }
  throw mistake(
    `openStore: ${scheme} needs a driver, and none is installed. Install ${driver ?? all}: npm install ${first.name}`,
    'OQ114',
  );
}

/** How to load one driver. */
interface Loader<T> {
  /** Package name. */
  readonly name: string;
  readonly load: () => Promise<T>;
}

type Loaded<L> = L extends { readonly name: infer Name; readonly load: () => Promise<infer Driver> }
  ? { readonly name: Name; readonly driver: Driver }
  : never;
