import { AsyncLocalStorage } from 'node:async_hooks';
import { oauthQuery } from 'oauth-query/fetch';
import type { Clock, MaybePromise, Store } from '../../../src/core/base/ports.js';
import { basic } from '../../hosts.js';
import { turns } from './nodes.js';

/** What happens to one call of the store. */
const FATES = [
  'lost',
  'carried out, and its answer lost',
  'carried out later',
  'sent twice',
  'the last of a process',
] as const;

/** The fate of one call of a request. */
interface Plan {
  readonly call: number;
  readonly fate: (typeof FATES)[number];
  calls: number;
  isDead: boolean;
  onDeath: () => void;
}

const plans = new AsyncLocalStorage<Plan>();
const never = new Promise<never>(() => undefined);

/** A store whose calls have the fate that the request they belong to has planned. */
const frailStore = (store: Store, late: (() => Promise<unknown>)[]): Store => {
  const call = async <T>(work: () => Promise<T>, isWrite: boolean): Promise<T> => {
    const plan = plans.getStore();
    if (plan?.isDead === true) return never;
    if (plan === undefined || (plan.calls += 1) !== plan.call) return work();
    if (plan.fate === 'sent twice') return work().then(work);
    if (plan.fate === 'the last of a process') {
      plan.isDead = true;
      await work();
      plan.onDeath();
      return never;
    }
    if (plan.fate === 'carried out, and its answer lost') await work();
    if (plan.fate === 'carried out later' && isWrite) late.push(work);
    throw new Error('The connection to the store was cut.');
  };
  return {
    add: (...record) => call(() => store.add(...record), true),
    swap: (...record) => call(() => store.swap(...record), true),
    delete: (key) => call(() => store.delete(key), true),
    get: (key) => call(() => store.get(key), false),
    getMany: (keys) => call(() => store.getMany?.(keys) ?? Promise.all(keys.map((key) => store.get(key))), false),
  };
};

/** Linear congruential, so that a failure can be repeated by its seed. */
const randomFrom = (seed: number) => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return {
    chance: (probability: number): boolean => next() < probability,
    upTo: (count: number): number => Math.floor(next() * count),
    pick: <T>(list: readonly [T, ...T[]]): T => list[Math.floor(next() * list.length)] ?? list[0],
  };
};

const AHEAD = [0, 15_000, 30_000] as const;
const GAPS = [0, 0, 1, 5, 9, 12, 60, 3600, 86_400] as const;
const PAUSES = [0, 1, 12, 60, 3600, 3 * 86_400] as const;
const ISSUER = 'https://chains.example';
const WEB = { client_id: 'web', client_secret: 'web-secret', redirect_uris: ['https://web.example/cb'] } as const;

const serverOn = (store: Store, clock: Clock) =>
  oauthQuery({
    issuer: ISSUER,
    store,
    secret: 'a secret of the test that has 32 characters',
    clients: [WEB],
    scopes: { read: 'Read' },
    owner: () => undefined,
    loginUrl: '/login',
    // Short waits are over at once; the deadline of a request never comes.
    runtime: { clock, timer: (run, milliseconds) => (milliseconds < 1000 && setImmediate(run), () => undefined) },
    onError: () => undefined,
    onWarning: () => undefined,
  });

/** What must all be 0, and how much was tried. */
export interface Tally {
  readonly grants: number;
  refreshes: number;
  faults: number;
  repetitions: number;
  thieves: number;
  /** An honest client was refused. */
  losses: string[];
  /** More than one refresh token of a grant could be used, or none. */
  wrongChains: string[];
  /** A used token was exchanged for tokens other than those that its owner has. */
  oldTokens: string[];
  /** A used token was presented, and the grant lives on. */
  unpunished: string[];
}

/** The answer to a request. */
interface Outcome {
  readonly status: number;
  readonly json: Readonly<Record<string, unknown>>;
}

/** There is none, because its process died. */
const DEAD: Outcome = { status: 0, json: {} };

/** Honest clients and thieves at three processes with different clocks, whose calls of the store fail at random. */
export class ChainModel {
  readonly #random: ReturnType<typeof randomFrom>;
  readonly #servers: ReturnType<typeof oauthQuery>[] = [];
  readonly #late: (() => Promise<unknown>)[] = [];
  #now = Date.UTC(2026, 0, 1);

  private constructor(seed: number) {
    this.#random = randomFrom(seed);
  }

  /** @param open - Opens the common store for a process with this clock. */
  static async start(seed: number, open: (clock: Clock) => MaybePromise<Store>): Promise<ChainModel> {
    const model = new ChainModel(seed);
    for (const ahead of AHEAD) {
      const clock = (): number => model.#now + ahead;
      model.#servers.push(serverOn(frailStore(await open(clock), model.#late), clock));
    }
    return model;
  }

  async play(grants: number): Promise<Tally> {
    const tally: Tally = {
      ...{ grants, refreshes: 0, faults: 0, repetitions: 0, thieves: 0 },
      ...{ losses: [], wrongChains: [], oldTokens: [], unpunished: [] },
    };
    for (let grant = 0; grant < grants; grant += 1) await this.#playGrant(`grant ${grant}`, tally);
    return tally;
  }

  async #playGrant(name: string, tally: Tally): Promise<void> {
    const { refresh_token } = (await this.#servers[0]?.issue({ sub: 'alice', client_id: 'web' })) ?? {};
    const tokens = [String(refresh_token)];

    const steps = 2 + this.#random.upTo(6);
    for (let step = 0; step < steps; step += 1) {
      this.#now += this.#random.pick(GAPS) * 1000;
      const next = await this.#refreshPatiently(tokens.at(-1) ?? '', tally);
      if (typeof next !== 'string') {
        tally.losses.push(`${name} step ${step}: ${JSON.stringify(next)}`);
        return;
      }
      tokens.push(next);
      tally.refreshes += 1;
      await this.#expectChain(tokens, tokens.length - 1, `${name} step ${step}`, tally);
    }
    await this.#rob(tokens, name, tally);
  }

  /** Repeats a refresh until it succeeds, at any process. */
  async #refreshPatiently(token: string, tally: Tally): Promise<string | Outcome> {
    for (let attempt = 0; ; attempt += 1) {
      const isFaulty = attempt < 4 && this.#random.chance(0.6);
      const outcome = isFaulty ? await this.#refreshFaulty(token, tally) : await this.#refresh(token);
      await turns(4); // What is done after a response is done before the next request.
      if (attempt > 0) tally.repetitions += 1;
      if (outcome.status === 200) {
        const access = String(outcome.json['access_token']);
        // Until a moment before it ends, because at another process it may have ended.
        if (Number(outcome.json['expires_in']) > 30 && !(await this.#isActive(access))) return outcome;
        return String(outcome.json['refresh_token']);
      }
      if ((outcome !== DEAD && outcome.status !== 503) || attempt > 8) return outcome;
      if (this.#random.chance(0.5)) await this.#carryOutLate();
      this.#now += this.#random.pick(PAUSES) * 1000;
    }
  }

  /** Commands that were thought lost arrive. */
  async #carryOutLate(): Promise<void> {
    for (const work of this.#late.splice(0)) await work();
  }

  async #refreshFaulty(token: string, tally: Tally): Promise<Outcome> {
    let onDeath = (): void => undefined;
    const death = new Promise<Outcome>((resolve) => (onDeath = () => resolve(DEAD)));
    const plan = { call: 1 + this.#random.upTo(4), fate: this.#random.pick(FATES), calls: 0, isDead: false, onDeath };
    // A process that dies after its response has left dies too late for its client to notice.
    const outcome = await plans.run(plan, () =>
      Promise.race([this.#refresh(token), death.then(async (dead) => (await turns(4), dead))]),
    );
    if (plan.calls >= plan.call) tally.faults += 1;
    return outcome;
  }

  async #refresh(token: string): Promise<Outcome> {
    return this.#post('/oauth/token', { grant_type: 'refresh_token', refresh_token: token });
  }

  async #post(path: string, form: Readonly<Record<string, string>>, at = this.#random.upTo(3)): Promise<Outcome> {
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: basic('web', 'web-secret').authorization,
    };
    const body = new URLSearchParams(form).toString();
    const response = await this.#servers[at]?.handler(new Request(ISSUER + path, { method: 'POST', headers, body }));
    const json: unknown = await response?.json();
    return { status: response?.status ?? 0, json: json as Readonly<Record<string, unknown>> }; // Of a JSON endpoint.
  }

  async #isActive(token: string): Promise<boolean> {
    return (await this.#post('/oauth/introspect', { token })).json['active'] === true;
  }

  /** @param live - The only token that can be used, if any. */
  async #expectChain(tokens: readonly string[], live: number | undefined, what: string, tally: Tally): Promise<void> {
    const active = await Promise.all(tokens.map((token) => this.#isActive(token)));
    const found = active.flatMap((isActive, at) => (isActive ? [at] : []));
    if (found.join() !== [live].join()) tally.wrongChains.push(`${what}: ${found.join()} of ${tokens.length}`);
  }

  /** Presents a used token, sometimes at the same moment at which its owner refreshes. */
  async #rob(tokens: string[], name: string, tally: Tally): Promise<void> {
    const current = tokens.at(-1) ?? '';
    const stolen = tokens[this.#random.upTo(tokens.length - 1)] ?? '';
    await this.#carryOutLate();
    this.#now += this.#random.pick(PAUSES) * 1000;
    tally.thieves += 1;
    const isTogether = this.#random.chance(0.5);
    const [thief, owner] = await Promise.all([this.#refresh(stolen), isTogether ? this.#refresh(current) : undefined]);
    if (owner?.status === 200) tokens.push(String(owner.json['refresh_token']));
    if (thief.status === 200) {
      // Within the grace window a repetition gets what its owner has.
      if (thief.json['refresh_token'] !== current) tally.oldTokens.push(`${name}: ${JSON.stringify(thief.json)}`);
      return this.#expectChain(tokens, tokens.length - 1, `${name} repeated`, tally);
    }
    const end = Number.parseInt(stolen.slice(-72, -65), 36) * 1000;
    // At one process it may have expired already, and not at another.
    if (end > this.#now && end <= this.#now + 30_000) return;
    const isExpired = end <= this.#now;
    const survives = (await this.#isActive(tokens.at(-1) ?? '')) || (isTogether && isExpired);
    if (survives !== isExpired && this.#isFresh(tokens))
      tally.unpunished.push(`${name}: ${thief.status}, ${String(isTogether)}`);
    await this.#expectChain(tokens, survives ? tokens.length - 1 : undefined, `${name} robbed`, tally);
  }

  /** Whether the current token has not expired at any process. */
  #isFresh(tokens: readonly string[]): boolean {
    return Number.parseInt(tokens.at(-1)?.slice(-72, -65) ?? '', 36) * 1000 > this.#now + 30_000;
  }
}
