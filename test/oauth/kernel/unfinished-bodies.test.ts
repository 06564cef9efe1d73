import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { selfRegistration } from 'oauth-query/self-registration';
import { afterEach, describe, expect, test } from 'vitest';
import { query } from '../../../src/core/query/index.js';
import { mcp } from '../../../src/mcp/index.js';
import { everyTransport } from '../../hosts.js';
import { acceptedSockets } from '../../hosts/accepted.js';
import { share } from '../../rows.js';
import { fixture } from '../support/fixture.js';

const LENGTH = 1_000_000;
/** So many bodies of a million bytes fit into 16 MiB if they arrive in few parts: each takes some more. */
const FIT = 16;
const TYPE = 'application/x-www-form-urlencoded';

const open = new Set<Socket>();
afterEach(() => {
  for (const socket of open) socket.destroy();
  open.clear();
});

const acceptedOf = acceptedSockets();

/** A request whose body has arrived but for its last byte. */
class Unfinished {
  text = '';
  readonly #socket: Socket;
  readonly #size: number;

  constructor(base: string, from: string, { path = '/api', length = LENGTH, type = TYPE, chunks = 0 } = {}) {
    const { hostname, port, pathname } = new URL(base);
    const socket = connect({ host: hostname, port: Number(port), localAddress: from });
    open.add(socket);
    socket.setEncoding('utf8').on('data', (chunk: string) => (this.text += chunk));
    socket.on('error', () => undefined); // The server may close while the rest is under way.
    const sent = `POST ${pathname === '/' ? '' : pathname}${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: ${type}\r\n${chunks > 0 ? `Transfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(chunks)}` : `Content-Length: ${length}\r\n\r\naction=query&x=${'x'.repeat(length - 16)}`}`;
    socket.write(sent);
    this.#size = sent.length;
    this.#socket = socket;
  }

  /** Whether the server has read all that was sent, or has closed. */
  get hasArrived(): boolean {
    return this.isClosed || acceptedOf(this.#socket)?.bytesRead === this.#size;
  }

  /** Whether the server has begun to respond. */
  get isAnswered(): boolean {
    return this.isClosed || (acceptedOf(this.#socket)?.bytesWritten ?? 0) > 0;
  }

  /** Sends the last byte. Resolves to the status of the response. */
  async finish(): Promise<number> {
    this.#socket.write('x');
    await expect.poll(() => this.text).toContain('\r\n\r\n');
    return this.status;
  }

  /** Resolves when the server knows. */
  async abort(): Promise<void> {
    const accepted = acceptedOf(this.#socket);
    this.#socket.destroy();
    await expect.poll(() => accepted?.closed).toBe(true);
  }

  get status(): number {
    return Number(this.text.slice(9, 12));
  }

  get isClosed(): boolean {
    return this.#socket.closed;
  }
}

// In front of us, a parser of the application reads bodies itself.
const HOSTS = everyTransport.filter(({ mount }) => mount === 'bare');

const hosted = async ({ start }: (typeof HOSTS)[number]) => {
  const { options, errors } = fixture({
    timeout: 60_000,
    features: [query(), mcp(), selfRegistration()],
  });
  const { base } = await start({ options });
  const fill = async (from: string, count: number, length = LENGTH): Promise<readonly Unfinished[]> => {
    const all = Array.from({ length: count }, () => new Unfinished(base, from, { length }));
    await expect.poll(() => all.every(({ hasArrived }) => hasArrived)).toBe(true);
    return all;
  };
  /** Sends bodies until one is refused; resolves to it, and to those that are held. */
  const fillUp = async (from: string, { length = LENGTH, atOnce = 12 } = {}) => {
    const held = [...(await fill(from, atOnce, length))];
    for (;;) {
      const [one = expect.fail()] = await fill(from, 1, length);
      held.push(one);
      await setTimeout(50);
      const refused = held.filter(({ isAnswered }) => isAnswered);
      await expect.poll(() => refused.every(({ isClosed }) => isClosed)).toBe(true);
      const [last] = refused;
      // A busy server may have refused another one since.
      if (last !== undefined) return { held: held.filter((other) => !other.isAnswered), last };
    }
  };
  /** Resolves when a body was refused: what was sent before it has arrived by then. */
  const refused = async (from: string, more = {}): Promise<Unfinished> => {
    const one = new Unfinished(base, from, more);
    await expect.poll(() => one.isClosed).toBe(true);
    return one;
  };
  return { base, errors, fill, fillUp, refused };
};

describe.each(share(HOSTS))('$name', (host) => {
  test('#117 parts of one byte take more room than their bytes', async () => {
    const { base, errors, fill } = await hosted(host);
    // 262,144 such parts would be 16 MiB of small objects, and more.
    const many = new Unfinished(base, '127.0.0.1', { chunks: 100_000 });
    await expect.poll(() => many.isClosed).toBe(true);
    expect(many.status).toBe(503);
    const [next] = await fill('127.0.0.1', 1);
    expect(await next?.finish()).toBe(200);
    expect(errors).toEqual([]);
  });

  test('#117 an address holds 16 MiB of unfinished bodies: a further one is 503 and closes, those before it and other addresses go on', async () => {
    const { errors, fill, fillUp } = await hosted(host);
    const { held, last } = await fillUp('127.0.0.1');
    const { text } = last;
    expect(held.length).toBeLessThanOrEqual(FIT);
    expect(held.length).toBeGreaterThan(FIT / 2);
    expect(text).toMatch(/^HTTP\/1\.1 503 /);
    expect(text).toMatch(/\r\nretry-after: 5\r\n/i);
    expect(text).toMatch(/\r\nconnection: close\r\n/i);
    const [other] = await fill('127.0.0.2', 1);
    expect(await other?.finish()).toBe(200);
    // The last byte takes room, too.
    await held.pop()?.abort();
    expect(await Promise.all(held.map((one) => one.finish()))).toEqual(held.map(() => 200));
    // What is answered has given its room back.
    const again = await fill('127.0.0.1', FIT / 2);
    expect(await Promise.all(again.map((one) => one.finish()))).toEqual(again.map(() => 200));
    expect(errors).toEqual([]);
  });
});

// All hosts of a process share the count; two of them read streams in different ways.
describe.each(HOSTS.filter(({ name }) => /^(?:express5|fetch)/.test(name)))('$name', (host) => {
  test('#117 the process holds 64 MiB of unfinished bodies; those that are aborted give their room back; every endpoint refuses in its own way', async () => {
    const { errors, fill, fillUp, refused } = await hosted(host);
    // Four addresses have their share, and the fifth has what is left.
    const all: Unfinished[] = [];
    for (const from of ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4']) all.push(...(await fillUp(from)).held);
    all.push(...(await fillUp('127.0.0.5', { atOnce: 0 })).held);
    expect(all.length).toBeGreaterThan(3.5 * FIT);
    expect(all.length).toBeLessThanOrEqual(67);
    const small = (await fillUp('127.0.0.6', { length: 50_000, atOnce: 0 })).held;
    const answers = await Promise.all([
      refused('127.0.0.6', { type: 'multipart/form-data; boundary=x' }),
      refused('127.0.0.6', { path: '/mcp', type: 'application/json', length: 200_000 }),
      refused('127.0.0.6', { path: '/oauth/token', length: 60_000 }),
      refused('127.0.0.6', { path: '/oauth/authorize', length: 60_000 }),
      refused('127.0.0.6', { path: '/oauth/register', type: 'application/json', length: 60_000 }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503, 503]);
    for (const { text } of answers) expect(text).toMatch(/\r\nretry-after: 5\r\n/i);
    await all.pop()?.abort();
    const [later] = await fill('127.0.0.6', 1);
    expect(await later?.finish()).toBe(200);
    const rest = [...all, ...small].filter(({ isClosed }) => !isClosed);
    expect(rest.length).toBeGreaterThan(3.5 * FIT);
    expect(await Promise.all(rest.map((one) => one.finish()))).toEqual(rest.map(() => 200));
    expect(errors).toEqual([]);
  });
});
