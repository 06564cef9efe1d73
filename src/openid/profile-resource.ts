import type { Authorization } from '../core/base/authorization.js';
import type { AuthorizationFeature } from '../core/base/feature.js';
import { requiredToken } from '../core/base/http/bearer.js';
import type { MaybePromise } from '../core/base/ports.js';
import { fail, fn, isRecord, listOf, object, orElse, path, required, type Schema, text } from '../core/base/schema.js';
import { parseScope } from '../core/base/scope.js';
import { featureOf } from '../core/oauth/kernel/oauth-feature.js';
import { ownerEndpoint } from './token-owner.js';

/** Options of `profileResource`. */
export interface ProfileOptions {
  /** Where it is served. Default: `/oauth/profile`. */
  readonly path?: string | readonly string[];
  /** The scopes that a token needs, separated by spaces. Default: none, so every token of an owner will do. */
  readonly scope?: string;
  /**
   * Returns the document about the owner of a token. Called for each request, with the contents of the token; check its `scope` before you return
   * anything private. At most 32 KiB as JSON. If it fails, the response is a 500; if it takes too long, a 503.
   */
  readonly claims: (authorization: Authorization) => MaybePromise<Readonly<Record<string, unknown>>>;
}

const TABLE = required(
  object({
    path: path('/oauth/profile'),
    scope: orElse(text('scopes separated by spaces'), ''),
    claims: required(fn<ProfileOptions['claims']>('a function that returns the document about an owner')),
  } satisfies Schema<ProfileOptions>),
);

const MAX_BYTES = 32_768;

/** @throws TypeError if it is no object, is about a different owner, or is too large. */
const checkDocument = (given: unknown, sub: string): object => {
  if (!isRecord(given)) throw new TypeError('profileResource: claims must return an object.');
  if (given['sub'] !== undefined && given['sub'] !== sub)
    throw new TypeError('profileResource: claims returned the sub of a different owner.');
  if (Buffer.byteLength(JSON.stringify(given)) > MAX_BYTES)
    throw new TypeError(`profileResource: claims returned more than ${MAX_BYTES} bytes.`);
  return given;
};

/**
 * A document about the owner of an access token, for the option `profile` of the server: applications that sign users in with OAuth alone
 * read it. OpenID Connect is not needed.
 *
 * @throws TypeError for an invalid option, with a sentence that names it and the remedy.
 */
export const profileResource = (given: ProfileOptions): AuthorizationFeature => {
  const { path: paths, scope, claims } = TABLE.read(given, 'profileResource');
  const scopes = parseScope(scope) ?? fail('profileResource: scope must be scopes separated by single spaces.');
  return featureOf(({ config }, host) => {
    const unknown = scopes.find((name) => !config.scopes.has(name));
    if (unknown !== undefined)
      fail(`profileResource: scope names ${JSON.stringify(unknown)}, which options.scopes does not have.`);
    const describe = host.bound('The claims of profileResource', claims);
    const answer = ownerEndpoint(
      scopes,
      (request, { proofs }) => requiredToken(request, proofs !== undefined),
      async ({ authorization }) => checkDocument(await describe(authorization), authorization.sub),
    );
    return { hooks: {}, endpoints: [{ paths, methods: { GET: answer }, pageMethods: [], cors: true }] };
  });
};

/** A user, as {@link mediaWikiProfile} needs it. */
export interface MediaWikiUser {
  /** The user name. */
  readonly username: string;
  /** How many edits the user has made. Default: 0. */
  readonly editcount?: number;
  /** Whether the user has confirmed an e-mail address. Default: false. */
  readonly confirmed_email?: boolean;
  /** Whether the user is blocked. Default: false. */
  readonly blocked?: boolean;
  /** When the user registered; `null` if that is not known. */
  readonly registered?: Date | null;
  /** Such as `sysop`. Default: `*`, `user`. */
  readonly groups?: readonly string[];
  /** Such as `edit`. Default: none. */
  readonly rights?: readonly string[];
  /** Only shown to a token with the scope for private data. */
  readonly realname?: string;
  /** Only shown to a token with the scope for private data. */
  readonly email?: string;
}

/** Options of `mediaWikiProfile`. */
export interface MediaWikiProfileOptions {
  /** Returns the owner of a token by `sub`. If it fails, the response is a 500; if it takes too long, a 503. */
  readonly user: (sub: string) => MaybePromise<MediaWikiUser>;
  /** Where it is served. Default: `/rest.php/oauth2/resource/profile`. */
  readonly path?: string | readonly string[];
  /** The scopes with which an application reads `realname` and `email`. Default: `['mwoauth-authonlyprivate']`. */
  readonly privateScopes?: readonly string[];
}

/** The scope of MediaWiki's OAuth extension for identity with private data. */
const PRIVATE_SCOPES: readonly string[] = ['mwoauth-authonlyprivate'];

const MEDIAWIKI = required(
  object({
    user: required(fn<MediaWikiProfileOptions['user']>('a function that returns a user by sub')),
    path: path('/rest.php/oauth2/resource/profile'),
    privateScopes: orElse(listOf('an array of scopes', text('the name of a scope')), PRIVATE_SCOPES),
  } satisfies Schema<MediaWikiProfileOptions>),
);

/** The form of a timestamp in MediaWiki, such as `20260102030405`. */
const timestamp = (date: Date): string => date.toISOString().replace(/\D/g, '').slice(0, 14);

/**
 * {@link profileResource} in the form and at the path of MediaWiki's OAuth extension, for applications that sign users in with a wiki.
 *
 * @throws TypeError for an invalid option, with a sentence that names it and the remedy.
 */
export const mediaWikiProfile = (given: MediaWikiProfileOptions): AuthorizationFeature => {
  const { user: find, path: paths, privateScopes } = MEDIAWIKI.read(given, 'mediaWikiProfile');
  return profileResource({
    path: paths,
    claims: async ({ sub, scope }) => {
      const user = await find(sub);
      const isPrivate = scope.split(' ').some((name) => privateScopes.includes(name));
      const { username, editcount = 0, confirmed_email = false, blocked = false, registered = null } = user;
      return {
        sub,
        username,
        editcount,
        confirmed_email,
        blocked,
        registered: registered === null ? null : timestamp(registered),
        groups: user.groups ?? ['*', 'user'],
        rights: user.rights ?? [],
        ...(isPrivate && { realname: user.realname ?? '', email: user.email ?? '' }),
      };
    },
  });
};
