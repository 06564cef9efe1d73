import type { Clock, ListPage, ListRequest, Store } from '../stores/index.js';

/**
 * What every store may do without a sign of it:
 *
 * - `entries-end`: a group lists a key until the latest expiry that a write named with it, even if the record lives longer;
 * - `entries-stay`: until then it also lists keys whose record was deleted, or whose write changed nothing;
 * - `no-snapshot`: `getMany` and `list` read each key at a moment of its own;
 * - `expired-stay`: what has expired stays in its place and is returned by nothing, until a new record takes the place.
 */
type StoreFreedom = 'entries-end' | 'entries-stay' | 'no-snapshot' | 'expired-stay';

/** What may happen to a command: it is carried out and its caller gets an error; it is carried out after its caller got one; a driver sends it again later. */
type StoreEvent = 'reply lost' | 'late' | 'twice';

/** A command, as a test sees it before the store does. */
interface StoreCommand {
  /** The method. */
  readonly method: 'add' | 'swap' | 'get' | 'getMany' | 'delete' | 'list';
  /** Its key, its keys, or its group. */
  readonly keys: readonly string[];
}

/** Options of `weakStore`, all optional. */
interface WeakStoreOptions {
  /** Milliseconds since the epoch; default `Date.now`. */
  readonly clock?: Clock | undefined;
  /** The freedoms that it takes; default: all. */
  readonly freedoms?: readonly StoreFreedom[] | undefined;
  /** What happens to a command; default: nothing happens to any. */
  readonly event?: (command: StoreCommand) => StoreEvent | undefined;
}

/** The store, with what tests look at. */
export interface WeakStore extends Required<Store> {
  /** Carries out the commands that are late, and those that are sent again, in their order. Resolves to how many there were. */
  carryOut(): Promise<number>;
  /** The records that live. */
  entries(): IterableIterator<readonly [key: string, value: object]>;
  /** The number of records, with those that have expired and still stay. */
  readonly size: number;
}

interface Row {
  readonly json: string;
  readonly expiresAt: number;
}

/** An entry of a group. Its number is its place there. */
interface Entry {
  readonly number: number;
  readonly expiresAt: number;
}

const FREEDOMS: readonly StoreFreedom[] = ['entries-end', 'entries-stay', 'no-snapshot', 'expired-stay'];

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** The records and the groups, with the freedoms that are taken. */
class Rows {
  readonly rows = new Map<string, Row>();
  readonly groups = new Map<string, Map<string, Entry>>();
  readonly clock: Clock;
  lastNumber = 0;
  readonly #freedoms: readonly StoreFreedom[];

  constructor(clock: Clock, freedoms: readonly StoreFreedom[]) {
    this.clock = clock;
    this.#freedoms = freedoms;
  }

  takes(freedom: StoreFreedom): boolean {
    return this.#freedoms.includes(freedom);
  }

  /** As it was given. */
  value(key: string): object | undefined {
    const row = this.#live(key);
    return row === undefined ? undefined : (JSON.parse(row.json) as object); // What was written.
  }

  #live(key: string): Row | undefined {
    const row = this.rows.get(key);
    if (row === undefined || row.expiresAt > this.clock()) return row;
    if (!this.takes('expired-stay')) this.forget(key);
    return undefined;
  }

  forget(key: string): void {
    this.rows.delete(key);
    if (!this.takes('entries-stay')) for (const group of this.groups.values()) group.delete(key);
  }

  /** No write shortens an entry. */
  enter(key: string, expiresAt: number, names: readonly string[]): void {
    for (const name of names) {
      const group = this.groups.get(name) ?? new Map<string, Entry>();
      this.groups.set(name, group);
      const known = group.get(key);
      const number = known !== undefined && this.isListed(key, known) ? known.number : (this.lastNumber += 1);
      group.set(key, { number, expiresAt: Math.max(expiresAt, known?.expiresAt ?? 0) });
    }
  }

  isListed(key: string, { expiresAt }: Entry): boolean {
    if (this.takes('entries-end')) return expiresAt > this.clock();
    return this.#live(key) !== undefined || this.takes('entries-stay');
  }
}

/** The commands, which nothing happens to. */
const commandsOn = (all: Rows): Required<Store> => ({
  async add(key, value, expiresAt, names = []) {
    if (expiresAt <= all.clock()) return false;
    const isFree = all.value(key) === undefined;
    if (isFree || all.takes('entries-stay')) all.enter(key, expiresAt, names);
    if (isFree) all.rows.set(key, { json: JSON.stringify(value), expiresAt });
    return isFree;
  },
  async swap(key, before, value, expiresAt, names = []) {
    const rev = expiresAt > all.clock() ? Reflect.get(all.value(key) ?? {}, 'rev') : undefined;
    const isMeant = rev !== undefined && (rev === before || rev === value.rev);
    if (isMeant || (all.takes('entries-stay') && rev !== undefined)) all.enter(key, expiresAt, names);
    if (isMeant) all.rows.set(key, { json: JSON.stringify(value), expiresAt });
    return isMeant;
  },
  get: async (key) => all.value(key),
  async getMany(keys) {
    const found = new Map<string, object | undefined>();
    for (const key of keys.toReversed()) {
      if (all.takes('no-snapshot')) await nextTurn();
      found.set(key, all.value(key));
    }
    return keys.map((key) => found.get(key));
  },
  async list(name, { after, limit }: ListRequest): Promise<ListPage> {
    const [from = 0, until = all.lastNumber] = /^\d+-\d+$/.test(after ?? '')
      ? (after ?? '').split('-').map(Number)
      : [];
    const keys: string[] = [];
    let last = from;
    for (const [key, entry] of [...(all.groups.get(name) ?? [])].sort(([, a], [, b]) => a.number - b.number)) {
      if (all.takes('no-snapshot')) await nextTurn();
      if (entry.number <= from || entry.number > until || !all.isListed(key, entry)) continue;
      if (keys.length === limit) return { keys, next: `${last}-${until}` };
      keys.push(key);
      last = entry.number;
    }
    return { keys };
  },
  delete: async (key) => all.forget(key),
});

/** A value as a driver sends it: what its caller changes afterwards is not part of it, however late the command is. */
const sent = <T extends object>(value: T): T => JSON.parse(JSON.stringify(value));

/**
 * The weakest store that its contract permits, in memory: whatever works on it relies on nothing that another store could lack. Use it in tests of what is
 * built on a store, next to the real ones.
 */
export function weakStore(options: WeakStoreOptions = {}): WeakStore {
  const { clock = Date.now, freedoms = FREEDOMS, event = () => undefined } = options;
  const all = new Rows(clock, freedoms);
  const commands = commandsOn(all);
  const waiting: (() => Promise<unknown>)[] = [];

  const meet = async <T>(command: StoreCommand, carryOut: () => Promise<T>): Promise<T> => {
    const happens = event(command);
    if (happens === 'late' || happens === 'twice') waiting.push(carryOut);
    const result = happens === 'late' ? undefined : await carryOut();
    if (happens === 'late' || happens === 'reply lost') throw new Error(`The store did not answer ${command.method}.`);
    return result as T; // Of `carryOut`, because it was not late.
  };
  return {
    add: (key, given, ...rest) => {
      const value = sent(given);
      return meet({ method: 'add', keys: [key] }, () => commands.add(key, value, ...rest));
    },
    swap: (key, before, given, ...rest) => {
      const value = sent(given);
      return meet({ method: 'swap', keys: [key] }, () => commands.swap(key, before, value, ...rest));
    },
    get: (key) => meet({ method: 'get', keys: [key] }, () => commands.get(key)),
    getMany: (keys) => meet({ method: 'getMany', keys }, () => commands.getMany(keys)),
    delete: (key) => meet({ method: 'delete', keys: [key] }, () => commands.delete(key)),
    list: (name, page) => meet({ method: 'list', keys: [name] }, () => commands.list(name, page)),
    async carryOut() {
      const late = waiting.splice(0);
      for (const command of late) await command();
      return late.length;
    },
    get size() {
      return all.rows.size;
    },
    *entries() {
      for (const key of [...all.rows.keys()]) {
        const value = all.value(key);
        if (value !== undefined) yield [key, value];
      }
    },
  };
}
