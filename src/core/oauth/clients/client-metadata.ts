import { withoutHidden } from '../../base/printable.js';
import { MAX_LENGTH, normalizeText } from '../../base/text.js';
import { ownOpenId, type OwnOpenId } from './client-openid.js';
import type { ClientRegistration } from './client.js';
import { redirectUriProblem } from './redirect-uri.js';

/** Metadata as clients send or publish it (RFC 7591 §2). */
export type GivenMetadata = Readonly<Record<string, unknown>>;

const MAX_NAME_LENGTH = 100;
const MAX_REDIRECT_URIS = 100;

/** Why metadata is rejected, as a sentence in ASCII. */
export class MetadataProblem extends Error {
  /** The member at fault, if it is a single one. */
  readonly member: string | undefined;

  constructor(sentence: string, member?: string) {
    super(sentence);
    this.member = member;
  }
}

/** @throws MetadataProblem */
export const refuse = (sentence: string, member?: string): never => {
  throw new MetadataProblem(sentence, member);
};

/** An own member; `null` counts as absent. */
export const member = (given: GivenMetadata, name: string): unknown =>
  Object.hasOwn(given, name) && given[name] !== null ? given[name] : undefined;

const textOf = (given: GivenMetadata, name: string): string | undefined => {
  const value = member(given, name);
  return value === undefined || typeof value === 'string' ? value : refuse(`${name} must be a string.`, name);
};

export const textsOf = (given: GivenMetadata, name: string): readonly string[] | undefined => {
  const value = member(given, name);
  return value === undefined || (Array.isArray(value) && value.every((item) => typeof item === 'string'))
    ? value
    : refuse(`${name} must be an array of strings.`, name);
};

export const NAME_TAKES = `a string of at most ${MAX_NAME_LENGTH} characters`;

/**
 * The name of a client for users: one line without characters that are invisible or distort the text around it.
 *
 * @returns empty if nothing of it is visible; `undefined` if it is too long.
 */
export const shownName = (text: string): string | undefined => {
  if (text.length > MAX_LENGTH.name) return undefined;
  const visible = withoutHidden(text.replace(/[^\S\ufeff]+/gu, ' '));
  const name = normalizeText(visible, 'NFC', MAX_LENGTH.name)?.replace(/ +/g, ' ').trim();
  if (name === undefined || [...name].length > MAX_NAME_LENGTH) return undefined;
  return /[^\p{M}\p{Z}]/u.test(name) ? name : '';
};

const nameOf = (given: GivenMetadata): string | undefined => {
  const text = textOf(given, 'client_name');
  const name = text === undefined ? '' : shownName(text);
  if (name === undefined) return refuse(`client_name must be ${NAME_TAKES}.`, 'client_name');
  return name === '' ? undefined : name;
};

/** What a client may state. */
interface Rules {
  /** Schemes of apps, in addition to https and http on loopback. Any app on a device can claim one. */
  readonly schemes: readonly string[];
  /** Omits unusable redirect URIs if there are others; by default, one rejects the client. */
  readonly omitsUnusable?: true;
  /** Whether it has another grant: then it may do without authorization_code, and without redirect URIs. */
  readonly hasOther?: boolean;
}

const redirectUrisOf = (given: GivenMetadata, { schemes, omitsUnusable }: Rules): readonly string[] => {
  const uris = textsOf(given, 'redirect_uris') ?? [];
  if (uris.length === 0 || uris.length > MAX_REDIRECT_URIS)
    return refuse(`redirect_uris must be an array of 1 to ${MAX_REDIRECT_URIS} URIs.`, 'redirect_uris');
  const isAllowed = (uri: string): boolean =>
    ['http', 'https', ...schemes].includes(uri.slice(0, uri.indexOf(':')).toLowerCase());
  const problems = uris.map(
    (uri) =>
      redirectUriProblem(uri) ??
      (isAllowed(uri) ? undefined : 'has a scheme that this server does not allow; use https or a loopback URL'),
  );
  const usable = uris.filter((_, at) => problems[at] === undefined);
  return usable.length === uris.length || (omitsUnusable && usable.length > 0)
    ? [...new Set(usable)]
    : refuse(`One of redirect_uris ${problems.find((problem) => problem !== undefined)}.`, 'redirect_uris');
};

/** Unsupported grants are omitted, as RFC 7591 §2 allows, but a client must be able to use what it gets. */
const grantTypesOf = (given: GivenMetadata, { hasOther }: Rules): StatedMetadata['grant_types'] => {
  const grants = textsOf(given, 'grant_types') ?? ['authorization_code', 'refresh_token'];
  if (hasOther && !grants.includes('authorization_code')) return [];
  if (!grants.includes('authorization_code'))
    return refuse('grant_types must contain authorization_code, the only grant of such clients.', 'grant_types');
  if (textsOf(given, 'response_types')?.includes('code') === false)
    return refuse('response_types must contain code.', 'response_types');
  return grants.includes('refresh_token') ? ['authorization_code', 'refresh_token'] : ['authorization_code'];
};

/** What a client may forbid itself, so that nobody else can do it in its name. */
export interface OwnRestrictions {
  /** Its tokens are always bound to a key (RFC 9449 §5.2). */
  readonly dpop_bound_access_tokens?: true;
  /** Its authorization requests must be pushed (RFC 9126 §6). */
  readonly require_pushed_authorization_requests?: true;
}

/** The restrictions among other members. */
export const ownRestrictions = ({
  dpop_bound_access_tokens: bound,
  require_pushed_authorization_requests: pushed,
}: { readonly [Name in keyof OwnRestrictions]?: unknown }): OwnRestrictions => ({
  ...(bound === true && { dpop_bound_access_tokens: true }),
  ...(pushed === true && { require_pushed_authorization_requests: true }),
});

/** What a client states about itself. */
export interface StatedMetadata {
  /** As pages show it. */
  readonly client_name?: string;
  /** Valid, with schemes that the server allows. */
  readonly redirect_uris: readonly string[];
  /** Default: authorization code and refresh token (RFC 7591 §2 has the first alone). */
  readonly grant_types: readonly ('authorization_code' | 'refresh_token')[];
}

/**
 * Reads what a client registers or publishes about itself.
 *
 * @throws MetadataProblem
 */
export const readClientMetadata = (given: GivenMetadata, rules: Rules): StatedMetadata => {
  const grant_types = grantTypesOf(given, rules);
  const hasNone = grant_types.length === 0 && member(given, 'redirect_uris') === undefined;
  const redirect_uris = hasNone ? [] : redirectUrisOf(given, rules);
  const client_name = nameOf(given);
  return { ...(client_name !== undefined && { client_name }), redirect_uris, grant_types };
};

/** Seconds in which these clients may repeat a refresh: the longest there is, because they often refresh from several processes at once. */
const REFRESH_GRACE = 60;

/**
 * The registration of a client that described itself. It is public.
 *
 * @param scopes - Which it may request; default: all but `introspect`.
 */
export const selfDescribed = (
  {
    client_id,
    client_name,
    redirect_uris,
    grant_types,
    ...own
  }: StatedMetadata & OwnRestrictions & OwnOpenId & { readonly client_id: string; readonly client_name: string },
  scopes: readonly string[] | undefined,
): ClientRegistration => ({
  client_id,
  client_name,
  redirect_uris,
  grant_types,
  require_pkce: true,
  refresh_grace: REFRESH_GRACE,
  ...(grant_types.includes('refresh_token') && { refresh: 'rotating' }),
  ...ownRestrictions(own),
  ...ownOpenId(own, redirect_uris),
  ...(scopes !== undefined && { scope: scopes.join(' ') }),
});
