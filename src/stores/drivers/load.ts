import { mistake } from '../../core/base/mistakes.js';

/**
 * Loads the first of these packages that is installed. Drivers are not dependencies of this library.
 *
 * @throws TypeError with a sentence that names them if none is installed.
 */
export async function loadDriver<const Loaders extends readonly Loader<unknown>[]>(
  scheme: string,
  loaders: Loaders,
): Promise<Loaded<Loaders[number]>> {
  for (const { name, load } of loaders) {
    try {
      // The loop keeps name and driver together, which the type system cannot express.
      return { name, driver: await load() } as Loaded<Loaders[number]>;
    } catch (error) {
      if (!isMissing(error, name)) throw error;
    }
  }
  const names = loaders.map(({ name }) => name);
  throw mistake(
    `openStore: ${scheme} needs a driver, and none is installed. Install ${names.join(' or ')}: npm install ${names[0]}`,
    'OQ114',
  );
}

/** How to load one driver. */
export interface Loader<T> {
  /** Package name. */
  readonly name: string;
  readonly load: () => Promise<T>;
}

type Loaded<L> = L extends { readonly name: infer Name; readonly load: () => Promise<infer Driver> }
  ? { readonly name: Name; readonly driver: Driver }
  : never;

/** Whether this package itself is missing, not one of its dependencies. */
const isMissing = (error: unknown, name: string): boolean =>
  error instanceof Error &&
  'code' in error &&
  error.code === 'ERR_MODULE_NOT_FOUND' &&
  error.message.includes(`'${name}'`);
