import { resourceKey } from '../../base/addresses/resource.js';
import type { ResourceDescription } from '../../base/resource-metadata.js';

const entryOf = (name: string): readonly [key: string, name: string] => [resourceKey(name), name];

/** The resources of tokens, each in the spelling of the options, which tokens contain. */
export class Resources {
  /** Resources with metadata (RFC 9728). */
  described: readonly ResourceDescription[];
  /** Without the issuer. */
  readonly names: readonly string[];
  readonly #byKey: ReadonlyMap<string, string>;
  readonly #origin: string;

  /**
   * @param identifiers - Resources without metadata, from a list in the options.
   * @param issuer - The server's own API: if there are any resources, it can be named like them.
   */
  constructor(identifiers: readonly string[], described: readonly ResourceDescription[], issuer: string | undefined) {
    const own = new Map([...identifiers, ...described.map(({ resource }) => resource)].map(entryOf));
    this.described = described;
    this.#origin = issuer === undefined ? '' : new URL(issuer).origin;
    this.names = [...own.values()];
    // A resource with the URL of the issuer keeps the spelling of the options.
    this.#byKey = own.size === 0 || issuer === undefined ? own : new Map([entryOf(issuer), ...own]);
  }

  /** The canonical spelling of a resource; `undefined` if it is unknown. */
  find(resource: string): string | undefined {
    return this.#byKey.get(resourceKey(resource));
  }

  /**
   * A resource with metadata.
   *
   * @param name - Its URL, or its path on the host of the issuer.
   */
  describe(name: string): ResourceDescription | undefined {
    const resource = this.find(name.startsWith('/') ? this.#origin + name : name);
    return this.described.find((one) => one.resource === resource);
  }

  /** Names a resource for users, unless it has a name. */
  suggestName(resource: string, name: string): void {
    const key = resourceKey(resource);
    this.described = this.described.map((one) =>
      resourceKey(one.resource) === key && one.name === undefined ? { ...one, name } : one,
    );
  }

  /** The only resource, unless there are several. */
  get only(): string | undefined {
    return this.names.length === 1 ? this.names[0] : undefined;
  }
}
