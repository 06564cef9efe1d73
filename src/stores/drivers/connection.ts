import type { AdaptedClient } from '../redis-client.js';
import type { RedisAddress } from './address.js';

/** Settings for a connection. */
export interface Connecting {
  readonly address: RedisAddress;
  /** Milliseconds for establishing a connection, and for the response to a command. */
  readonly timeout: number;
  /** Called with every connection error; the client keeps retrying. */
  readonly onError: (error: unknown) => void;
}

/** Settings for a pool of connections to an SQL server. */
export interface PoolSettings {
  /** Milliseconds for establishing a connection, and for the response to a statement. */
  readonly timeout: number;
  readonly connections: number;
  readonly onError: (error: unknown) => void;
}

/** A client that has started to connect. */
export interface RedisConnection {
  readonly client: AdaptedClient;
  /** Resolves when the first connection is established, which may be never. */
  readonly connected: Promise<unknown>;
  close(): void;
}

/** Milliseconds after which a connection with an unanswered command is replaced. */
export const silenceOf = (timeout: number): number => timeout + 1_000;

/** Milliseconds until the next attempt to connect, randomised so that processes do not reconnect at once. */
export const reconnectDelay = (attempt: number): number =>
  Math.min(50 * 2 ** attempt, 1_000) + Math.floor(Math.random() * 200);

const MINUTE_MS = 60_000;

/** Reports the same error message at most once a minute: a client that cannot connect fails many times. */
export function seldom(report: (error: unknown) => void): (error: unknown) => void {
  const reported = new Map<string, number>();
  return (error) => {
    const now = performance.now();
    for (const [message, at] of reported) if (now - at > MINUTE_MS) reported.delete(message);
    const message = String(error);
    if (reported.has(message)) return;
    reported.set(message, now);
    report(error);
  };
}
