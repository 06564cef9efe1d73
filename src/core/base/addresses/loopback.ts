const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether the host can only be reached from the same machine, so that plain `http` cannot be intercepted. */
export const isLoopbackHost = (hostname: string): boolean => LOOPBACK_HOSTS.has(hostname);

/** Whether a server is for the world, and not only for this machine. A server without an issuer is in development. */
export const isPublicIssuer = (issuer: string | undefined): issuer is string =>
  issuer !== undefined && !isLoopbackHost(new URL(issuer).hostname);
