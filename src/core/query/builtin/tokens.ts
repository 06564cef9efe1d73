import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ParamsOf } from '../catalogue/index.js';
import type { MetaHandler } from '../run/handlers.js';
import type { Authorization } from '../../base/authorization.js';
import { deriveKey } from '../../base/secrets.js';
import { message } from '../answer/messages.js';

/** What every token ends with, so that a client that mangles such characters is found out. */
const SUFFIX = '+\\';
/** Types for those who have no account yet. */
const ANONYMOUS_TOKENS = new Set(['login', 'createaccount']);

/** Answers `meta=tokens`. A token is bound to its type and to the caller; without a caller it is the bare suffix. */
export const tokens =
  (secret: Uint8Array): MetaHandler<ParamsOf<'tokens'>> =>
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

/** The key that `meta=tokens` proves its tokens with, from the `secret` option of the server. */
export const queryTokenKey = (secret: string): Uint8Array => deriveKey(secret, 'query tokens');

/** What a token has to be, to be the right one. */
export interface CsrfTokenExpectation {
  /** The `secret` option of the server: its only text, or all of them while they are being changed. */
  readonly secret: string | readonly string[];
  /** What the token is for, as in `meta=tokens`' parameter `type`: `csrf`, `watch`, `patrol` … */
  readonly type: string;
  /** Who brings it: what the guard has put on the request. A token of another user or client is refused. */
  readonly authorization: Pick<Authorization, 'sub' | 'client_id'>;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Seconds after which a token is too old. */
  readonly maxAge: number;
}

/**
 * Whether `meta=tokens` gave this token to this caller, for this use, and not too long ago: for routes of the host that
 * change something, where a MediaWiki client sends its `token`. A form of another site cannot know it.
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

/** 32 hexadecimal digits that prove it, 8 that say when, and the suffix. */
const makeToken = (
  key: Uint8Array,
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
