import type { Owner } from '../records/owner.js';

/** What a request wants from the sign-in page, as sent by the client. For `options.loginUrl`. */
export interface SignInWishes {
  /** The client that the owner signs in for. */
  readonly client_id: string;
  /** Such as `login` or `select_account`: values separated by spaces (OpenID Connect Core 1.0 §3.1.2.1). */
  readonly prompt?: string;
  /** Seconds: how old a sign-in may be. */
  readonly max_age?: string;
  /** The name or the e-mail address that the client expects. Not verified. */
  readonly login_hint?: string;
  /** Authentication context classes in order of preference, separated by spaces. */
  readonly acr_values?: string;
  /** Such as `popup`. */
  readonly display?: string;
  /** Languages in order of preference, separated by spaces. */
  readonly ui_locales?: string;
}

/**
 * The sign-in that an authorization request asks for. Features read it from their parameters; without them, any sign-in will do. It
 * travels with the encrypted request.
 */
export interface AskedSignIn {
  /** Seconds since the epoch: when the request arrived. A sign-in since then satisfies `fresh` and every `maxAge`. */
  readonly began: number;
  /** Whether the browser has been sent to the sign-in page for this request: only then can a sign-in be newer than it. */
  readonly sent?: true;
  /** No page may be shown: what would need one is an error at the client. */
  readonly silent?: true;
  /** Requires a new sign-in. */
  readonly fresh?: true;
  /** Seconds: how old a sign-in may be. */
  readonly maxAge?: number;
  /** Lets the owner choose another account. */
  readonly choose?: true;
  /** Asks for consent again, whatever was allowed before. */
  readonly consent?: true;
  /** The only owner that may answer. */
  readonly sub?: string;
  /** Authentication context classes: the sign-in must have one of them. */
  readonly acr?: readonly string[];
  /** What the sign-in page is told, as the client sent it. */
  readonly wishes: SignInWishes;
}

/** Why the sign-in is not enough: the owner must sign in, must sign in with another class, or may choose an account. */
export type SignInShortfall = 'sign_in' | 'class' | 'choose';

const isTooOld = ({ began, sent, fresh, maxAge }: AskedSignIn, { auth_time }: Owner, now: number): boolean => {
  if (fresh === undefined && maxAge === undefined) return false;
  if (auth_time === undefined) return true;
  if (sent === true && auth_time >= began) return false;
  return fresh === true || maxAge === undefined || maxAge === 0 || now - auth_time > maxAge;
};

/**
 * What is missing for a request; `undefined` if nothing is.
 *
 * @param owner - The signed-in owner.
 * @param now - Seconds since the epoch.
 */
export const shortfallOf = (
  asked: AskedSignIn | undefined,
  owner: Owner | undefined,
  now: number,
): SignInShortfall | undefined => {
  if (owner === undefined) return 'sign_in';
  if (asked === undefined) return undefined;
  if ((asked.sub !== undefined && asked.sub !== owner.sub) || isTooOld(asked, owner, now)) return 'sign_in';
  if (asked.acr !== undefined && !asked.acr.includes(owner.acr ?? '')) return 'class';
  return asked.choose === true && asked.sent === undefined ? 'choose' : undefined;
};
