import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { parseRefreshToken } from '../../../src/core/oauth/records/token-id.js';
import { approve, isActive, newCode, redeemCode, refresh, silentCode } from './oauth-flows.js';
import type { Answer, OAuthProcess } from './oauth-processes.js';

const COUNT = 30;
const OWNERS = 6;
const DEADLINE_MS = 60_000;
/** Refreshes of a client without a pause; while something is awaited that takes long, they would keep the machine from it. */
const AT_ONCE = 10;
const PAUSE_MS = 100;

/** What a client got for its grant. */
interface Chain {
  /** All refresh tokens, oldest first. */
  readonly tokens: string[];
  /** Why it must stop, if so: any answer other than 200 and 503. */
  refusal?: Answer;
}

/** A standby that comes back can interrupt the engine once more: a 503 is repeated, as clients do. */
const answeredRefresh = async (server: OAuthProcess, token: string): Promise<Awaited<ReturnType<typeof refresh>>> => {
  const deadline = performance.now() + DEADLINE_MS;
  for (;;) {
    const answer = await refresh(server, token);
    if (answer.status !== 503 || performance.now() > deadline) return answer;
    await sleep(Number(answer.headers['retry-after']) * 1_000);
  }
};

/** Clients that refresh again and again, each with its own grant; they wait as long as `Retry-After` says, and repeat the same request. */
export class RefreshingClients {
  readonly #servers: readonly OAuthProcess[];
  readonly #chains: readonly Chain[];
  readonly #ended: Promise<unknown>;
  #isOver = false;
  /** How many refreshes each client makes without a pause. */
  #hurry = AT_ONCE;
  #unavailable = 0;
  #unanswered = 0;

  private constructor(servers: readonly OAuthProcess[], chains: readonly Chain[]) {
    this.#servers = servers;
    this.#chains = chains;
    this.#ended = Promise.all(chains.map((chain, index) => this.#live(chain, index)));
  }

  /** @param servers - Each client stays at one of them, and goes to the next when its connection breaks. They may be replaced in the array. */
  static async start(servers: readonly OAuthProcess[]): Promise<RefreshingClients> {
    // The grants of several owners: a cluster keeps those of one owner for a client on one node.
    const owners = Array.from({ length: OWNERS }, (_, index) => ({ 'x-owner': `owner-${index}` }));
    const first = serverOf(servers, 0);
    for (const owner of owners) {
      if ((await silentCode(first, owner)) === undefined) await approve(first, first, owner);
    }
    const grants = Array.from({ length: COUNT }, async (_, index) => {
      const server = serverOf(servers, index);
      const { json } = await redeemCode(server, await newCode(server, owners[index % OWNERS]));
      return { tokens: [String(json['refresh_token'])] };
    });
    return new RefreshingClients(servers, await Promise.all(grants));
  }

  /** How many answers were 503. */
  get unavailable(): number {
    return this.#unavailable;
  }

  /** Waits until each client has refreshed so many times more, or has lost its grant. */
  async haveRefreshed(times: number): Promise<void> {
    const wanted = this.#chains.map(({ tokens }) => tokens.length + times);
    this.#hurry = Math.max(...wanted) + AT_ONCE;
    const deadline = performance.now() + DEADLINE_MS;
    while (this.#chains.some(({ tokens, refusal }, at) => !refusal && tokens.length < (wanted[at] ?? 0))) {
      if (performance.now() > deadline) throw new Error('the clients do not get on');
      await sleep(20);
    }
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#ended;
  }

  /** How many clients were told that their grant has ended. */
  get lost(): number {
    return this.#chains.filter(({ refusal }) => refusal !== undefined).length;
  }

  /** Each grant is alive, with one chain and one live refresh token. */
  async expectAlive(title: string): Promise<void> {
    await this.stop();
    const lost = this.#chains.filter(({ refusal }) => refusal !== undefined);
    const refreshes = this.#chains.reduce((sum, { tokens }) => sum + tokens.length - 1, 0);
    console.log(
      `${title}: ${COUNT} clients, ${refreshes} refreshes, ${this.#unavailable} times 503, ` +
        `${this.#unanswered} without an answer, ${lost.length} grants lost`,
    );
    expect(lost.map(({ refusal }) => refusal?.json)).toEqual([]);
    for (const [index, { tokens }] of this.#chains.entries()) {
      const grant = parseRefreshToken(tokens[0] ?? '')?.grant;
      expect(tokens.map((token) => parseRefreshToken(token)?.grant)).toEqual(tokens.map(() => grant));
      expect(new Set(tokens).size, 'one chain').toBe(tokens.length);
      const last = tokens.slice(-5);
      const server = serverOf(this.#servers, index);
      expect(await Promise.all(last.map((token) => isActive(server, token, 'web')))).toEqual(
        last.map((_, at) => at === last.length - 1),
      );
    }
  }

  /** A refresh token whose successor was used ends its grant. */
  async expectReplaysEndThem(): Promise<void> {
    for (const [index, { tokens }] of this.#chains.entries()) {
      const server = serverOf(this.#servers, index);
      const [replayed = '', , current = ''] = tokens.slice(-3);
      for (const token of [replayed, current]) {
        const { status, json } = await answeredRefresh(server, token);
        expect({ status, ...json }).toMatchObject({ status: 400, error: 'invalid_grant' });
      }
      expect(await isActive(server, current, 'web')).toBe(false);
    }
  }

  async #live(chain: Chain, index: number): Promise<void> {
    for (let turn = index; !this.#isOver;) {
      const answer = await refresh(serverOf(this.#servers, turn), chain.tokens.at(-1) ?? '').catch(() => undefined);
      if (answer === undefined) {
        this.#unanswered += 1;
        turn += 1;
        await sleep(100);
      } else if (answer.status === 503) {
        this.#unavailable += 1;
        await sleep(Number(answer.headers['retry-after']) * 1_000);
      } else if (answer.status === 200) {
        chain.tokens.push(String(answer.json['refresh_token']));
        if (chain.tokens.length > this.#hurry) await sleep(PAUSE_MS);
      } else {
        chain.refusal = answer;
        return;
      }
    }
  }
}

function serverOf(servers: readonly OAuthProcess[], index: number): OAuthProcess {
  const server = servers[index % servers.length];
  if (!server) throw new Error('no process');
  return server;
}
