import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Authorization } from '../../base/authorization.js';
import { message } from '../answer/messages.js';
import type { ParamsOf } from '../catalogue/index.js';
import type { MetaHandler } from '../run/handlers.js';
import { queryTokenKey } from '../token-key.js';

/** The end of every token, which detects clients that mangle these characters. */
const SUFFIX = '+\\';
/** Types for users without an account. */
const ANONYMOUS_TOKENS = new Set(['login', 'createaccount']);

/** Answers `meta=tokens`. A token is bound to its type and the caller; without a caller it is only the suffix. */
export const tokens =
  (secret: string): MetaHandler<ParamsOf<'tokens'>> =>
  ({ params: { type }, caller, isolated, clock, warn }) => {
    if (isolated) {
      warn('tokens-origin', message('apiwarn-tokens-origin'));
      return { data: undefined };
    }
    const issued = Math.floor(clock() / 1000);
    return {
      data: Object.fromEntries(
        type.map((one) => [
          `${one}token`,
          caller || ANONYMOUS_TOKENS.has(one) ? makeToken(secret, one, caller?.authorization, issued) : SUFFIX,
        ]),
      ),
    };
  };

/** What `verifyCsrfToken` requires of a token. */
interface CsrfTokenExpectation {
  /** The `secret` option of the server: one secret, or all of them during a rotation. */
  readonly secret: string | readonly string[];
  /** The token's purpose, as in the parameter `type` of `meta=tokens`: `csrf`, `watch`, `patrol` … */
  readonly type: string;
  /** The authorization that the guard set on the request. Tokens of other users or clients are rejected. */
  readonly authorization: Pick<Authorization, 'sub' | 'client_id'>;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The maximum age in seconds. */
  readonly maxAge: number;
}

/**
 * Returns whether `meta=tokens` issued this token to this caller, for this purpose, within `maxAge`. Use it in routes
 * that change data and receive a `token` from MediaWiki clients; it protects them against cross-site request forgery.
 */
export const verifyCsrfToken = (
  token: string,
  { secret, type, authorization, now, maxAge }: CsrfTokenExpectation,
): boolean => {
  const stamp = /^[0-9a-f]{32}([0-9a-f]{8})\+\\$/.exec(token)?.[1];
  if (stamp === undefined) return false;
  const issued = Number.parseInt(stamp, 16);
  if (now / 1000 - issued > maxAge) return false;
  const secrets = typeof secret === 'string' ? [secret] : secret;
  return secrets.some((one) =>
    timingSafeEqual(Buffer.from(makeToken(queryTokenKey(one), type, authorization, issued)), Buffer.from(token)),
  );
};

/** 32 hexadecimal digits of the MAC, 8 of the time, and the suffix. */
const makeToken = (
  key: string,
  type: string,
  owner: CsrfTokenExpectation['authorization'] | undefined,
  issued: number,
): string => {
  const stamp = issued.toString(16).padStart(8, '0').slice(-8);
  const subject = owner ? [owner.sub, owner.client_id] : [];
  const proof = createHmac('sha256', key)
    .update(JSON.stringify([type, stamp, ...subject]))
    .digest('hex')
    .slice(0, 32);
  return `${proof}${stamp}${SUFFIX}`;
};
