import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
/**
 * Measures the memory of token families in the memory store: `node --expose-gc families.js <families> <refreshes of each>`.
 * Prints a line of JSON with the shape of {@link FamilyMemory}.
 */
import { oauthQuery } from 'oauth-query/fetch';
import { memoryStore } from 'oauth-query/stores/memory';
import type { FamilyMemory } from '../report/results.js';
import { basic, FORM_TYPE, LIFETIMES, OWNER, PATHS, REDIRECT_URI, SCOPE, WEB } from '../servers/setting.js';

const MINUTE = 60_000;
/** Refreshes after which the chain of a family has all its parts. */
const FIRST = 1;
/** The connection of the owner and the client, the grant and its chain. */
const RECORDS = 3;
const ISSUER = 'https://auth.example';

const heap = async (): Promise<number> => {
  for (let turn = 0; turn < 3; turn += 1) {
    // A dereferenced weak reference keeps its target alive until the current job ends.
    await nextTurn();
    globalThis.gc?.();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

/** A server with a clock that the benchmark sets. */
class Server {
  #now = Date.now();
  readonly #clock = (): number => this.#now;
  readonly #store = memoryStore({ max: 16_000_000, clock: this.#clock });
  readonly #oauth = oauthQuery({
    issuer: ISSUER,
    secret: 'a secret of the benchmark, which is public',
    clients: [{ ...WEB, redirect_uris: [REDIRECT_URI], scope: SCOPE }],
    scopes: { [SCOPE]: 'Read the content' },
    owner: () => ({ sub: OWNER }),
    loginUrl: '/login',
    lifetimes: { accessToken: LIFETIMES.access, refreshTokenIdle: LIFETIMES.refresh },
    store: this.#store,
    runtime: { clock: this.#clock },
    onWarning: () => undefined,
  });

  get records(): number {
    return this.#store.size;
  }

  /** The first refresh token of a new family. */
  async begin(sub: string): Promise<string> {
    const { refresh_token = '' } = await this.#oauth.issue({ sub, client_id: WEB.client_id });
    return refresh_token;
  }

  async refresh(token: string): Promise<string> {
    const request = new Request(ISSUER + PATHS.token, {
      method: 'POST',
      headers: { authorization: basic(WEB), 'content-type': FORM_TYPE },
      body: `grant_type=refresh_token&refresh_token=${token}`,
    });
    const body: unknown = await (await this.#oauth.handler(request)).json();
    const next = typeof body === 'object' && body !== null && 'refresh_token' in body ? body.refresh_token : undefined;
    if (typeof next !== 'string') throw new Error(`A refresh returned ${JSON.stringify(body)}.`);
    return next;
  }

  /** Lets all access tokens expire and removes their records: each write looks at a few, so as many writes as records look at all. */
  async expire(): Promise<void> {
    this.#now += LIFETIMES.access * 1000 + MINUTE;
    for (let left = this.#store.size; left > 0; left -= 1) {
      // Each time a different key: a Map finds a key more slowly for every time that it was deleted before.
      const key = `tidy-${left}`;
      await this.#store.add(key, {}, this.#now + 1);
      await this.#store.delete(key);
    }
  }
}

/** Refresh tokens in one buffer, outside of the measured heap. */
class Kept {
  readonly #length = 94;
  readonly #bytes: Buffer;

  constructor(count: number) {
    this.#bytes = Buffer.alloc(count * this.#length);
  }

  get(index: number): string {
    return this.#bytes.toString('latin1', index * this.#length, (index + 1) * this.#length);
  }

  set(index: number, token: string): void {
    this.#bytes.write(token, index * this.#length, 'latin1');
  }
}

async function measure(families: number, refreshes: number): Promise<FamilyMemory> {
  const server = new Server();
  const kept = new Kept(families);
  await server.refresh(await server.begin(OWNER));
  await server.expire();
  const empty = await heap();
  for (let index = 0; index < families; index += 1) kept.set(index, await server.begin(`${OWNER}-${index}`));
  const refreshAll = async (): Promise<void> => {
    for (let index = 0; index < families; index += 1) kept.set(index, await server.refresh(kept.get(index)));
    await server.expire();
  };
  // The first refresh also writes what later ones replace.
  for (let round = 0; round < FIRST; round += 1) await refreshAll();
  const begun = await heap();
  for (let round = 0; round < refreshes; round += 1) await refreshAll();
  const bytesPerRefresh = ((await heap()) - begun) / (families * refreshes);
  // Read at the end, because a server without references would be collected before.
  if (server.records !== (families + 1) * RECORDS)
    throw new Error(`${server.records} records for ${families} families.`);
  return { families, bytesPerFamily: (begun - empty) / families, bytesPerRefresh };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [families = '10000', refreshes = '3'] = process.argv.slice(2);
  console.log(JSON.stringify(await measure(Number(families), Number(refreshes))));
}
