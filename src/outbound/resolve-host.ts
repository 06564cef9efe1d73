/** The IP addresses of a host. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<readonly string[]>;

/** Milliseconds for one query to one name server. */
const PATIENCE = 1500;
const TRIES = 2;

/**
 * Queries name servers only: `/etc/hosts` is not read, and no thread of libuv's pool is blocked, as `dns.lookup` would.
 *
 * @param servers - Instead of the system's name servers.
 */
export const hostResolver =
  (servers?: readonly string[]): Resolve =>
  async (host, signal) => {
    const { Resolver } = await import('node:dns/promises');
    signal.throwIfAborted();
    const resolver = new Resolver({ timeout: PATIENCE, tries: TRIES });
    if (servers !== undefined) resolver.setServers(servers);
    const cancel = (): void => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
      const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
      if (addresses.length === 0) throw new Error(`The name servers have no address for ${host}.`);
      return addresses;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
