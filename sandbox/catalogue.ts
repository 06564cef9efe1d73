import type { Pairs } from './request.js';
import { say } from './texts.js';

/** A note on a parameter. */
export interface Annotation {
  readonly name: string;
  readonly values?: readonly (string | number)[];
  readonly text?: string;
}

/** A parameter as `action=paraminfo` describes it. */
export interface Parameter {
  /** Without the prefix of its module. */
  readonly name: string;
  readonly description?: string;
  /** The name of a type, or the allowed values. */
  readonly type: string | readonly string[];
  readonly required?: boolean;
  readonly multi?: boolean;
  readonly default?: string | number;
  readonly deprecated?: boolean;
  readonly sensitive?: boolean;
  readonly deprecatedvalues?: readonly string[];
  readonly allspecifier?: string;
  readonly min?: number;
  readonly max?: number;
  readonly highmax?: number;
  /** The maximum number of values. */
  readonly limit?: number;
  readonly subtypes?: readonly string[];
  readonly extranamespaces?: readonly number[];
  /** Variables in the name, each with the parameter that supplies its values. */
  readonly templatevars?: Readonly<Record<string, string>>;
  readonly info?: readonly Annotation[];
}

/** A module as `action=paraminfo` describes it. */
export interface Module {
  readonly name: string;
  readonly path: string;
  readonly group?: string;
  readonly prefix: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly parameters: readonly Parameter[];
  readonly templatedparameters: readonly Parameter[];
}

/** A namespace of the site. */
export interface Namespace {
  readonly id: number;
  readonly name: string;
}

interface Answer {
  readonly error?: { readonly info?: string };
  readonly paraminfo?: { readonly modules?: readonly Module[] };
  readonly query?: { readonly namespaces?: Readonly<Record<string, Namespace>> };
}

/** The API's description of itself. Each part is requested once, when it is needed. */
export class Catalogue {
  readonly #fetch: (parameters: Pairs) => Promise<unknown>;
  readonly #modules = new Map<string, Module>();
  #namespaces: Promise<readonly Namespace[]> | undefined;

  /** @param fetch - Sends a request to the API and returns its response. */
  constructor(fetch: (parameters: Pairs) => Promise<unknown>) {
    this.#fetch = fetch;
  }

  /** The modules at these paths, in this order, without those that do not exist. */
  async modules(paths: readonly string[]): Promise<readonly Module[]> {
    const missing = paths.filter((path) => !this.#modules.has(path));
    if (missing.length > 0) {
      const { paraminfo } = await this.#read([
        ['action', 'paraminfo'],
        ['modules', missing.join('|')],
        ['helpformat', 'wikitext'],
      ]);
      for (const module of paraminfo?.modules ?? []) this.#modules.set(module.path, module);
    }
    return paths.flatMap((path) => this.#modules.get(path) ?? []);
  }

  /** The namespaces of the site; none if it does not list them. */
  namespaces(): Promise<readonly Namespace[]> {
    this.#namespaces ??= this.#read([
      ['action', 'query'],
      ['meta', 'siteinfo'],
      ['siprop', 'namespaces'],
    ])
      .then(({ query }) => Object.values(query?.namespaces ?? {}).sort((a, b) => a.id - b.id))
      .catch(() => {
        this.#namespaces = undefined;
        return [];
      });
    return this.#namespaces;
  }

  async #read(parameters: Pairs): Promise<Answer> {
    // The API's documented response.
    const answer = (await this.#fetch([...parameters, ['format', 'json'], ['formatversion', '2']])) as Answer;
    if (answer.error) throw new Error(answer.error.info ?? say('noDescription'));
    return answer;
  }
}
