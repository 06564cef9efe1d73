/** One or more characters of %x21 / %x23-5B / %x5D-7E (RFC 6749 §3.3). */
const SCOPE_TOKEN = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

export const isScopeToken = (text: string): boolean => SCOPE_TOKEN.test(text);

/** Lets the holder of a token introspect. A client only gets it by naming it. */
export const INTROSPECT = 'introspect';

/** Requests a refresh token; it grants no access to a resource (OpenID Connect Core 1.0 §11). */
export const OFFLINE_ACCESS = 'offline_access';

/**
 * The scopes of a request in order, without duplicates; `undefined` unless the text consists of scopes separated by single
 * spaces (RFC 6749 §3.3).
 */
export const parseScope = (text: string): readonly string[] | undefined => {
  if (text === '') return [];
  const tokens = text.split(' ');
  if (!tokens.every(isScopeToken)) return undefined;
  return tokens.length === 1 ? tokens : [...new Set(tokens)];
};

export const formatScope = (scopes: readonly string[]): string => scopes.join(' ');

/** Whether a granted scope, already validated, contains all of these. */
export const hasScopes = (granted: string, wanted: readonly string[]): boolean => {
  if (wanted.length === 1 && wanted[0] === granted) return true;
  const scopes = granted.split(' ');
  return wanted.every((scope) => scopes.includes(scope));
};

/** Whether every scope of `inner` is in `outer`, in any order. */
export const isSubset = (inner: readonly string[], outer: readonly string[] | ReadonlySet<string>): boolean => {
  if (inner.length === 0) return true;
  const allowed = outer instanceof Set ? outer : new Set(outer);
  return inner.every((scope) => allowed.has(scope));
};
