import {
  fail,
  feature,
  type FeatureHost,
  isRecord,
  option,
  parseScope,
  type Parts,
  type PlainFeature,
  type TokenOwner,
} from '../../core/feature/index.js';
import type { MaybePromise } from './options.js';

/** Options of `profileResource`. */
export interface ProfileOptions {
  /** Where it is served. Default: `/oauth/profile`. */
  readonly path?: string | readonly string[] | undefined;
  /** The scopes that a token needs, separated by spaces. Default: none, so every token of an owner will do. */
  readonly scope?: string | undefined;
  /**
   * Returns the document about the owner of a token. Called for each request, with the contents of the token; check its `scope` before you return
   * anything private. At most 32 KiB as JSON. If it fails, the response is a 500; if it takes too long, a 503.
   */
  readonly claims: (authorization: TokenOwner['authorization']) => MaybePromise<Readonly<Record<string, unknown>>>;
}

const TABLE = option.required(
  option.object({
    path: option.path('/oauth/profile'),
    scope: option.orElse(option.text('scopes separated by spaces'), ''),
    claims: option.required(option.fn<ProfileOptions['claims']>('a function that returns the document about an owner')),
  } satisfies option.Schema<ProfileOptions>),
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
 * A document about the owner of an access token: applications that sign users in with OAuth alone
 * read it. OpenID Connect is not needed.
 *
 * @throws TypeError for an invalid option, with a sentence that names it and the remedy.
 */
export const profileResource = (given: ProfileOptions): PlainFeature<'profile'> => profileNamed('profile', given);

const profileNamed = <const Name extends string>(name: Name, given: ProfileOptions): PlainFeature<Name> => {
  const { path: paths, scope, claims } = TABLE.read(given, 'profileResource');
  const scopes = parseScope(scope) ?? fail('profileResource: scope must be scopes separated by single spaces.');
  const start = (host: FeatureHost): Parts => {
    const unknown = scopes.find((one) => !host.scopes.has(one));
    if (unknown !== undefined)
      fail(`profileResource: scope names ${JSON.stringify(unknown)}, which options.scopes does not have.`);
    const describe = host.bound('The claims of profileResource', claims);
    const route = host.tokenRoute({
      path: paths,
      scopes,
      answer: async ({ authorization }) => checkDocument(await describe(authorization), authorization.sub),
    });
    return { routes: [route] };
  };
  return feature({ name, start });
};

/** A user, as {@link mediaWikiProfile} needs it. */
interface MediaWikiUser {
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
interface MediaWikiProfileOptions {
  /** Returns the owner of a token by `sub`. If it fails, the response is a 500; if it takes too long, a 503. */
  readonly user: (sub: string) => MaybePromise<MediaWikiUser>;
  /** Where it is served. Default: `/rest.php/oauth2/resource/profile`. */
  readonly path?: string | readonly string[] | undefined;
  /** The scopes with which an application reads `realname` and `email`. Default: `['mwoauth-authonlyprivate']`. */
  readonly privateScopes?: readonly string[] | undefined;
}

/** The scope of MediaWiki's OAuth extension for identity with private data. */
const PRIVATE_SCOPES: readonly string[] = ['mwoauth-authonlyprivate'];

const MEDIAWIKI = option.required(
  option.object({
    user: option.required(option.fn<MediaWikiProfileOptions['user']>('a function that returns a user by sub')),
    path: option.path('/rest.php/oauth2/resource/profile'),
    privateScopes: option.orElse(
      option.listOf('an array of scopes', option.text('the name of a scope')),
      PRIVATE_SCOPES,
    ),
  } satisfies option.Schema<MediaWikiProfileOptions>),
);

/** The form of a timestamp in MediaWiki, such as `20260102030405`. */
const timestamp = (date: Date): string => date.toISOString().replace(/\D/g, '').slice(0, 14);

/**
 * {@link profileResource} in the form and at the path of MediaWiki's OAuth extension, for applications that sign users in with a wiki.
 *
 * @throws TypeError for an invalid option, with a sentence that names it and the remedy.
 */
export const mediaWikiProfile = (given: MediaWikiProfileOptions): PlainFeature<'mediawiki-profile'> => {
  const { user: find, path: paths, privateScopes } = MEDIAWIKI.read(given, 'mediaWikiProfile');
  return profileNamed('mediawiki-profile', {
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
