import { createHash } from 'node:crypto';
import {
  abortedInTime,
  type Call,
  type Ending,
  type FeatureClient,
  type FeatureHost,
  printable,
  RateLimit,
} from '../../core/feature/index.js';
import type { IdTokens } from './id-token.js';
import type { CheckedOpenIdOptions } from './options.js';
import { OPENID } from './scopes.js';

/** Milliseconds for one request, and for one to a client that has failed several times in a row. */
const TIMEOUT = 5000;
const TIMEOUT_OF_FAILING = 2000;
const FAILURES = 3;

/** Milliseconds until the only repetition. */
const PAUSE = 2000;

/** Messages under way: of ten clients, and of one. A client that keeps failing has one place, so that it takes no time from others. */
const AT_ONCE_PER_CLIENT = 4;
const AT_ONCE = 10 * AT_ONCE_PER_CLIENT;

/** Messages of one client that wait. */
const MAX_WAITING = 100;

/** How often one owner may make clients be told in a minute. */
const PER_MINUTE = 10;
const MINUTE = 60;

const JTI_BYTES = 16;

type Emit = Call['emit'];

/** The name of a session for clients. The `id` is only known to the browser. */
export const sidOf = ({ id }: { readonly id: string }): string =>
  createHash('sha256').update(`sid ${id}`).digest('base64url').slice(0, 22);

/** A client that is to be told that an owner has signed out. */
interface Message {
  readonly client: FeatureClient;
  readonly address: string;
  readonly sub: string;
  readonly sid: string | undefined;
  readonly emit: Emit;
}

/** What one client has still to be told. */
interface Line {
  /** In the order in which they were added, each once. */
  readonly waiting: Map<string, Message>;
  underWay: number;
  /** Messages in a row without a usable response; a refusal is one. */
  failures: number;
}

/** A response that a repetition would not change. */
class Refused extends Error {}

/** Tells clients that an owner has signed out (Back-Channel Logout 1.0). */
export class BackChannel {
  readonly #idTokens: IdTokens;
  readonly #host: FeatureHost;
  readonly #send: NonNullable<CheckedOpenIdOptions['sendLogoutToken']>;
  readonly #rate: RateLimit;
  /** By client, in the order of their turns. */
  readonly #lines = new Map<string, Line>();
  #total = 0;

  constructor(idTokens: IdTokens, { sendLogoutToken }: CheckedOpenIdOptions, host: FeatureHost) {
    this.#idTokens = idTokens;
    this.#host = host;
    this.#send = sendLogoutToken ?? senderFrom(host);
    this.#rate = new RateLimit(host.clock, PER_MINUTE, MINUTE);
  }

  /** Finds the clients, and returns what tells them. */
  async prepare(ending: Ending, emit: Emit): Promise<() => void> {
    const clients = await this.#clientsOf(ending);
    if (clients.length === 0) return () => undefined;
    const { sub, session } = ending;
    const sid = session && sidOf(session);
    return () => {
      const isRefused = this.#rate.take(sub) !== undefined;
      for (const client of clients) {
        const { backchannel_logout_uri: address = '' } = client.openId;
        const message = { client, address, sub, sid, emit };
        if (isRefused) failed(message, 'This owner signs out too often.');
        else this.#add(message);
      }
    };
  }

  /** The clients that an owner is connected to with `openid`, and that the operator has registered with an address. */
  async #clientsOf({ sub, client_id, except }: Ending): Promise<readonly FeatureClient[]> {
    const { clients, owners, records } = this.#host;
    const isUsed =
      !clients.areAllListed || [...clients.listed.values()].some(({ openId }) => openId.backchannel_logout_uri);
    if (!isUsed) return [];
    const found: FeatureClient[] = [];
    const take = async (
      connections: readonly { readonly client_id: string; readonly scope: string }[],
    ): Promise<void> => {
      const ids = connections
        .filter(({ scope }) => scope.split(' ').includes(OPENID))
        .map((connection) => connection.client_id)
        .filter((id) => id !== except && (client_id ?? id) === id);
      const known = await Promise.all(ids.map(async (id) => clients.find(id)));
      found.push(...known.filter((client) => client !== undefined));
    };
    const direct = client_id === undefined ? undefined : await owners.connection(sub, client_id);
    if (direct !== undefined) await take([direct]);
    else if (records.canList) {
      for await (const page of owners.connections(sub)) await take(page);
    }
    // A client that describes itself could name any address.
    return found.filter(({ origin, openId }) => origin === 'operator' && openId.backchannel_logout_uri !== undefined);
  }

  #add(message: Message): void {
    const { client_id } = message.client;
    const line = this.#lines.get(client_id) ?? { waiting: new Map(), underWay: 0, failures: 0 };
    this.#lines.set(client_id, line);
    const name = JSON.stringify([message.sub, message.sid]);
    if (line.waiting.has(name)) return;
    if (line.waiting.size >= MAX_WAITING) failed(message, 'Too many messages are waiting for this client.');
    else line.waiting.set(name, message);
    this.#next();
  }

  #next(): void {
    // A line goes to the end with each message, and is seen again there.
    for (const [client_id, line] of this.#lines) {
      if (this.#total >= AT_ONCE) return;
      const [first] = line.waiting;
      if (first === undefined || line.underWay >= (line.failures < FAILURES ? AT_ONCE_PER_CLIENT : 1)) continue;
      const [name, message] = first;
      line.waiting.delete(name);
      this.#lines.delete(client_id);
      this.#lines.set(client_id, line);
      void this.#tell(message, line);
    }
  }

  async #tell(message: Message, line: Line): Promise<void> {
    line.underWay += 1;
    this.#total += 1;
    try {
      await this.#deliver(message, line.failures < FAILURES ? TIMEOUT : TIMEOUT_OF_FAILING);
      line.failures = 0;
    } catch (error) {
      line.failures = error instanceof Refused ? 0 : line.failures + 1;
      failed(message, error instanceof Error ? error.message : String(error));
    }
    line.underWay -= 1;
    this.#total -= 1;
    // A client that failed is remembered.
    if (line.waiting.size + line.underWay + line.failures === 0) this.#lines.delete(message.client.client_id);
    this.#next();
  }

  async #deliver({ client, address, sub, sid }: Message, milliseconds: number): Promise<void> {
    const jti = Buffer.from(this.#host.random(JTI_BYTES)).toString('base64url');
    const about = { sub, ...(sid !== undefined && { sid }) };
    const token = await this.#idTokens.signLogout(client, about, jti, Math.floor(this.#host.clock() / 1000));
    try {
      await this.#try(address, token, milliseconds);
    } catch (error) {
      if (error instanceof Refused) throw error;
      await new Promise<void>((resolve) => this.#host.timer(resolve, PAUSE));
      await this.#try(address, token, milliseconds);
    }
  }

  async #try(address: string, token: string, milliseconds: number): Promise<void> {
    const error = (): Error => new Error(`It did not answer within ${milliseconds} ms.`);
    const { timer } = this.#host;
    await abortedInTime((signal) => this.#send(address, token, { signal }), { milliseconds, timer, error });
  }
}

/** A message of Node has addresses and codes only; a function of the application may throw anything. */
const failed = ({ client: { client_id }, sub, emit }: Message, reason: string): void =>
  emit?.({ type: 'logout.failed', client_id, sub, reason: printable(reason.slice(0, 300)) });

const senderFrom =
  ({ send }: FeatureHost): NonNullable<CheckedOpenIdOptions['sendLogoutToken']> =>
  async (address, logout_token, { signal }) => {
    const body = new URLSearchParams({ logout_token }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const { status } = await send(address, { method: 'POST', headers, body }, signal);
    if (status === 200 || status === 204) return;
    const problem = `It answers with status ${status} instead of 200.`;
    throw status < 500 ? new Refused(problem) : new Error(problem);
  };
