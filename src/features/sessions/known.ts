import { createHash } from 'node:crypto';
import { type Call, type FeatureHost, type OwnerSession, UnavailableError } from '../../core/feature/index.js';
import { browserOf, type NamedBrowser, namedBrowser } from './browser.js';

/** Sessions of one owner that are kept, each in a place of its own. Whoever signs in once more ends the oldest. */
const PLACES = 50;

/** A change that lost a race is repeated, but not for ever. */
const ATTEMPTS = 50;

/** Seconds for which an emptied place stays: then it is free anyway. */
const EMPTY_FOR = 60;

/** A session with what its owner recognises it by. */
export interface KnownSession extends OwnerSession, NamedBrowser {
  /** Names it on pages, which do not show its id. */
  readonly name: string;
  /** Seconds since the epoch: the sign-in. */
  readonly at: number;
}

interface Place {
  readonly key: string;
  /** Absent if nothing has been written here. */
  readonly rev: string | undefined;
  /** Absent if the place is free. */
  readonly session: KnownSession | undefined;
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** A cluster reads keys with the same part in braces with one command. */
const keysOf = (sub: string): readonly string[] => Array.from({ length: PLACES }, (_, at) => `{${digest(sub)}}:${at}`);

type Found = Awaited<ReturnType<FeatureHost['records']['get']>>[number];

/** What a record says; `undefined` if the place is empty, or another version wrote it in another way. */
const readSession = (found: Found): KnownSession | undefined => {
  if (found === undefined) return undefined;
  const { id, sub, lastSignOut, at, browser, system, exp } = found;
  if (typeof id !== 'string' || typeof sub !== 'string' || typeof at !== 'number') return undefined;
  if (lastSignOut !== null && typeof lastSignOut !== 'string') return undefined;
  return { name: digest(id), id, sub, lastSignOut, at, exp, ...namedBrowser(browser, system) };
};

/**
 * The sessions of owners: a fixed number of places for each, without a list. They are for pages and exports: whether a session has
 * ended, the server decides by records that it writes itself.
 */
export class KnownSessions {
  readonly #host: FeatureHost;

  constructor(host: FeatureHost) {
    this.#host = host;
  }

  /** Keeps a session that begins, before its browser has it. */
  begin(session: OwnerSession, call: Call): Promise<void> {
    const browser = browserOf(call.request.header('user-agent'));
    return this.keep({ ...session, at: this.#now(), ...browser }, call);
  }

  /** Writes a session: into its own place, if its browser was signed in before. */
  async keep(session: Omit<KnownSession, 'name'>, call: Call): Promise<void> {
    await this.#put(session, call);
    // Whoever ended it meanwhile, or erased its owner, may not have seen it.
    if ((await this.#host.owners.live([session])).length === 0) await this.forget(session);
  }

  async #put(session: Omit<KnownSession, 'name'>, call: Call): Promise<void> {
    const { id, sub, lastSignOut, at, browser, system, exp } = session;
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const content = { exp, id, sub, lastSignOut, at, ...namedBrowser(browser, system) };
      if (await this.#write(await this.#placeFor(session, call), content)) return;
    }
    throw new UnavailableError(
      'sessions: the records of an owner were changed too often at the same moment. The request can be repeated.',
    );
  }

  /** Empties the place of a session. */
  async forget({ sub, id }: Pick<OwnerSession, 'sub' | 'id'>): Promise<void> {
    const places = await this.#read(sub);
    await this.#empty(places.filter(({ session }) => session?.id === id));
  }

  /** Empties the places of sessions that have ended. */
  async tidy(sub: string): Promise<void> {
    await this.#empty(await this.#over(await this.#read(sub)));
  }

  /** The sessions of an owner that have not ended, the newest first. */
  async live(sub: string): Promise<readonly KnownSession[]> {
    const live = await this.#host.owners.live(await this.all(sub));
    return live.toSorted((one, other) => other.at - one.at);
  }

  /** Everything that is stored of an owner. */
  async all(sub: string): Promise<readonly KnownSession[]> {
    return (await this.#read(sub)).flatMap(({ session }) => session ?? []);
  }

  /** Deletes everything that is stored of an owner. */
  async erase(sub: string): Promise<void> {
    await Promise.all(keysOf(sub).map((key) => this.#host.records.delete(key)));
  }

  #now(): number {
    return Math.floor(this.#host.clock() / 1000);
  }

  async #read(sub: string): Promise<readonly Place[]> {
    const keys = keysOf(sub);
    const found = await this.#host.records.get(keys);
    return keys.map((key, at) => {
      const rev = found[at]?.['rev'];
      return { key, rev: typeof rev === 'string' ? rev : undefined, session: readSession(found[at]) };
    });
  }

  /** Those whose session has ended. */
  async #over(places: readonly Place[]): Promise<readonly Place[]> {
    const live = new Set(await this.#host.owners.live(places.flatMap(({ session }) => session ?? [])));
    return places.filter(({ session }) => session !== undefined && !live.has(session));
  }

  /** Nothing is deleted here: what another sign-in has written meanwhile stays. */
  async #empty(places: readonly Place[]): Promise<void> {
    await Promise.all(places.map((place) => this.#write(place, { exp: this.#now() + EMPTY_FOR })));
  }

  #write({ key, rev }: Place, content: { readonly exp: number }): Promise<boolean> {
    const { records } = this.#host;
    const record = { ...content, rev: records.rev() };
    return rev === undefined ? records.add(key, record) : records.swap(key, rev, record);
  }

  /** Where a session is written: its own place, a free one, that of one that has ended, or that of the oldest, which ends. */
  async #placeFor({ id, sub }: Pick<OwnerSession, 'id' | 'sub'>, call: Call): Promise<Place> {
    const places = await this.#read(sub);
    const own = places.find(({ session }) => session?.id === id);
    if (own !== undefined) return own;
    const free = places.filter(({ session }) => session === undefined);
    // Simultaneous sign-ins shall not want the same one.
    const some = free[(this.#host.random(1)[0] ?? 0) % (free.length || 1)];
    const usable = some ?? (await this.#over(places))[0];
    if (usable !== undefined) return usable;
    const [oldest] = places.toSorted((one, other) => (one.session?.at ?? 0) - (other.session?.at ?? 0));
    if (oldest?.session === undefined) throw new UnavailableError('sessions: there is no place for a session.');
    await this.#host.owners.endSession(oldest.session, call);
    return oldest;
  }
}
