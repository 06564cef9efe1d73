import type { HttpRequest } from './messages.js';

/** Signs of a proxy, which may have replaced the host or removed a part of the path. */
export const isForwarded = (request: HttpRequest): boolean =>
  ['x-forwarded-for', 'x-forwarded-host', 'forwarded', 'via'].some((name) => request.header(name) !== undefined);
