import type { WeakStore } from 'oauth-query/testing';

/** A state of the life of a grant, and what changed it: `docs/security.md` draws them. */
export type State =
  | 'nothing'
  | 'half written'
  | 'allowed'
  | 'code'
  | 'personal token'
  | 'first tokens'
  | 'access only'
  | 'refreshed'
  | 'received'
  | 'ended'
  | 'disconnected';

type Rows = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

const ID = /^[^:]*:grant:\{([^}]+)\}(.+)$/;

const stateOf = (rows: Rows, key: string): State => {
  const [, connection = '', own = ''] = ID.exec(key) ?? [];
  const prefix = key.slice(0, key.indexOf(':'));
  const [grant, chain, link] = [
    rows.get(key),
    rows.get(`${prefix}:chain:{${connection}}${own}`),
    rows.get(`${prefix}:connection:{${connection}}`),
  ];
  if (grant === undefined) return chain === undefined ? 'nothing' : 'half written';
  if (grant['client_id'] === '') return 'ended';
  if (link === undefined) return 'half written';
  if (grant['connection'] !== link['generation']) return 'disconnected';
  if (grant['name'] !== undefined) return 'personal token';
  if (chain === undefined) return 'allowed';
  if (chain['taken'] === null) return 'code';
  if (chain['current'] === null) return 'access only';
  if (chain['done'] !== null) return 'received';
  return chain['last'] === null ? 'first tokens' : 'refreshed';
};

/** Watches what writes do to grants. */
export class Lives {
  readonly #store: WeakStore;
  /** From and to, as `first tokens → refreshed`. */
  readonly arrows = new Set<string>();
  /** How often a grant has changed its state. */
  changes = 0;
  #before = new Map<string, State>();

  constructor(store: WeakStore) {
    this.#store = store;
  }

  /** Call before the requests begin. */
  begin(): void {
    this.#before = this.#states();
  }

  #states(): Map<string, State> {
    const rows: Rows = new Map(this.#store.entries() as Iterable<readonly [string, Readonly<Record<string, unknown>>]>);
    const names = new Set([...this.#before.keys()]);
    for (const key of rows.keys()) {
      if (key.includes(':grant:')) names.add(key);
      else if (key.includes(':chain:')) names.add(key.replace(':chain:', ':grant:'));
    }
    return new Map([...names].map((name) => [name, stateOf(rows, name)]));
  }

  async watch<T>(key: string, write: () => Promise<T>): Promise<T> {
    const result = await write();
    if (/:(?:grant|chain|connection):/.test(key)) {
      const now = this.#states();
      for (const [name, state] of now) {
        const before = this.#before.get(name) ?? 'nothing';
        if (before === state) continue;
        this.changes += 1;
        this.arrows.add(`${before} → ${state}`);
      }
      this.#before = now;
    }
    return result;
  }
}
