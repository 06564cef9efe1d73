import {
  ASSERTION_ALGORITHMS,
  fail,
  type FeatureHost,
  type GrantPart,
  isRecord,
  isSecretKey,
  option,
  publicKeyProblem,
  urlProblem,
} from '../../core/feature/index.js';

type MaybePromise<T> = T | Promise<T>;

/** The owner of a token, as `options.owner` returns it. */
export type Owner = NonNullable<Awaited<ReturnType<GrantPart['decide']>>['owner']>;

/** A public key (RFC 7517). */
export type PublicKey = Awaited<ReturnType<FeatureHost['publishedKeys']>>[number];

/** A JWK set (RFC 7517 §5). */
interface KeySet {
  /** Public keys. */
  readonly keys: readonly PublicKey[];
}

/** The claims of an assertion whose signature is right: at most 64 members. What else than these is in it depends on its issuer. */
export interface AssertionClaims extends Readonly<Record<string, unknown>> {
  /** The issuer, as configured. */
  readonly iss: string;
  /** Whom the assertion is about: unique for the issuer, and only for it. */
  readonly sub: string;
}

/** Which assertion a function is asked about. */
export interface IssuerContext {
  /** The issuer of the assertion. */
  readonly issuer: string;
}

/** Who presents an assertion. */
export interface AssertionContext extends IssuerContext {
  /** The client that presents it, which has authenticated itself. */
  readonly client_id: string;
}

/** Returns the owner that an assertion is about. */
type OwnerOf = (claims: AssertionClaims, context: AssertionContext) => MaybePromise<Owner | undefined | null>;

/** Returns the `client_id` of the client that an assertion is about. */
type ClientOf = (claims: AssertionClaims, context: IssuerContext) => MaybePromise<string | undefined | null>;

/** A server whose assertions are accepted. */
export interface AssertionIssuer {
  /** Its identifier, compared character by character with the `iss` of an assertion. */
  readonly issuer: string;
  /**
   * `bearer` (the default): any JWT of RFC 7523. `id-jag`: an identity provider that lets clients act for a person (Identity Assertion JWT
   * Authorization Grant). `workload`: a platform that says which program it runs, such as a cluster.
   */
  readonly kind?: 'bearer' | 'id-jag' | 'workload' | undefined;
  /** Its public keys. Without this, `jwksUri` and `keys`, they are found by its metadata. */
  readonly jwks?: KeySet | undefined;
  /** The address of its public keys. */
  readonly jwksUri?: string | undefined;
  /** Returns its public keys, for an issuer whose address is not public. Called at most twice a minute. */
  readonly keys?: (() => MaybePromise<KeySet>) | undefined;
  /** The algorithms it may sign with; default: ES256, ES384, EdDSA, Ed25519, PS256 and RS256. */
  readonly algorithms?: readonly (typeof ASSERTION_ALGORITHMS)[number][] | undefined;
  /** The seconds from `iat` to `exp`, at most: default 600 for `id-jag`, 3600 for others, 1 to 86400. */
  readonly maxLifetime?: number | undefined;
  /**
   * `once`, the default: an assertion needs a `jti` and works once. `untilExpiry`, the default for `workload`, because several programs read the same file: it
   * works until it expires.
   */
  readonly use?: 'once' | 'untilExpiry' | undefined;
  /** Further values of the header `typ` of its assertions, beside none and `JWT`. */
  readonly types?: readonly string[] | undefined;
  /** The scopes it may vouch for, separated by spaces; default: all that the client may have. */
  readonly scopes?: string;
  /** The resources it may vouch for; default: all. */
  readonly resources?: readonly string[];
  /** Whether an assertion of the kind `id-jag` must name its resources; default `true`. */
  readonly requireResource?: boolean;
  /**
   * Returns the owner that an assertion is about, as `options.owner` does, or nothing if there is none: then it is refused. It may create the account. Two
   * issuers may have the same `sub`, so look up both. Required for `id-jag`.
   */
  readonly owner?: OwnerOf | undefined;
  /**
   * Instead of `owner`: its assertions are about clients, and their tokens are those of the clients themselves. The `client_id` by the exact `sub`, or a
   * function that returns it, or nothing. Required for `workload`.
   */
  readonly clients?: Readonly<Record<string, string>> | ClientOf | undefined;
}

/** Finds issuers, for applications that have many. */
interface AssertionIssuers {
  /** Returns an issuer by its identifier. The result is kept for a minute. */
  find(issuer: string): MaybePromise<AssertionIssuer | undefined | null>;
}

/** Options of {@link assertions}. */
export interface AssertionOptions {
  /** The issuers whose assertions are accepted, or what finds them. */
  readonly issuers: readonly AssertionIssuer[] | AssertionIssuers;
  /**
   * Seconds that access tokens live: default 900, 60 to 86400. The issuer can stop giving assertions, but it cannot end a token: this is how long somebody
   * who has left keeps access.
   */
  readonly tokenLifetime?: number | undefined;
  /** The seconds by which the clock of an issuer may differ: default 30, 0 to 60. */
  readonly clockTolerance?: number | undefined;
}

/** Types of tokens that are no assertions (RFC 8725 §3.11), and that of the kind `id-jag`. */
export const OTHER_TYPES: ReadonlySet<string> = new Set([
  'at+jwt',
  'dpop+jwt',
  'logout+jwt',
  'token-introspection+jwt',
  'secevent+jwt',
  'client-authentication+jwt',
  'oauth-id-jag+jwt',
]);

/** A type as it is compared (RFC 7515 §4.1.9). */
export const typeName = (typ: string): string => typ.toLowerCase().replace(/^application\//, '');

const keySet = option.refined(
  option.value<KeySet>('a JWK set, such as { keys: [ … ] }', (given) => Array.isArray(Object(given).keys)),
  (given, path): KeySet => {
    for (const [index, key] of given.keys.entries()) {
      const problem = isSecretKey(Object(key)) ? 'is private or symmetric' : publicKeyProblem(Object(key));
      if (problem !== undefined) fail(`${path}.keys[${index}] ${problem}.`);
    }
    return given.keys.length === 0 ? fail(`${path} has no keys.`) : given;
  },
);

const address = option.refined(option.text('the URL of a JWK set'), (given, path) => {
  const problem = urlProblem(given);
  return problem === undefined ? given : fail(`${path} ${problem}.`);
});

const types = option.refined(option.listOf('an array of types', option.text('a type')), (given, path) => {
  const other = given.find((typ) => OTHER_TYPES.has(typeName(typ)));
  return other === undefined ? given : fail(`${path} has ${other}, which is the type of other tokens. Leave it out.`);
});

const clientsBySubject = option.refined(
  option.value<Readonly<Record<string, string>>>('a client_id for each sub', isRecord),
  (given, path): ClientOf => {
    const known = new Map(Object.entries(given));
    const wrong = [...known].find(([, client_id]) => typeof client_id !== 'string' || client_id === '');
    if (wrong !== undefined) fail(`${path}[${JSON.stringify(wrong[0])}] must be a client_id.`);
    return known.size === 0 ? fail(`${path} lacks a sub. Add those of your clients.`) : ({ sub }) => known.get(sub);
  },
);

const ISSUER = {
  issuer: option.required(option.text('the identifier of an issuer')),
  kind: option.orElse(option.oneOf('bearer', 'id-jag', 'workload'), 'bearer'),
  jwks: keySet,
  jwksUri: address,
  keys: option.fn<NonNullable<AssertionIssuer['keys']>>('a function that returns a JWK set'),
  algorithms: option.listOf('an array of algorithms', option.required(option.oneOf(...ASSERTION_ALGORITHMS))),
  maxLifetime: option.integer(1, 86_400, 'seconds'),
  use: option.oneOf('once', 'untilExpiry'),
  types,
  scopes: option.neverUndefined(option.text('scopes separated by spaces', /^/)),
  resources: option.neverUndefined(option.listOf('an array of resources', option.required(option.text('a resource')))),
  requireResource: option.neverUndefined(option.flag(true)),
  owner: option.fn<OwnerOf>('a function that returns the owner of an assertion'),
  clients: option.either(
    clientsBySubject,
    option.fn<ClientOf>('a function that returns the client_id of an assertion'),
  ),
} satisfies option.Schema<AssertionIssuer>;

const READ_ISSUER = option.object(ISSUER, { takes: 'an issuer' });

/** A validated issuer. */
export type Issuer = ReturnType<typeof READ_ISSUER.read> & {
  readonly maxLifetime: number;
  readonly use: 'once' | 'untilExpiry';
};

const SUBJECT_OF = {
  bearer: 'either owner, for people, or clients, for programs',
  'id-jag': 'owner, and not clients: its assertions are about people',
  workload: 'clients, and not owner: its assertions are about programs',
} as const;

const checkSubject = ({ kind, owner, clients }: ReturnType<typeof READ_ISSUER.read>, path: string): void => {
  const isRight =
    kind === 'bearer'
      ? (owner === undefined) !== (clients === undefined)
      : (kind === 'workload') === (owner === undefined);
  if (!isRight || (owner === undefined) === (clients === undefined)) fail(`${path} needs ${SUBJECT_OF[kind]}.`);
};

/** Validates an issuer. @throws TypeError with a sentence that names the member. */
export const readIssuer = (given: unknown, path: string, own: string): Issuer => {
  const read = READ_ISSUER.read(given, path);
  if (read.issuer === own)
    fail(`${path}.issuer is this server: it must not accept its own tokens as assertions. Leave it out.`);
  if ([read.jwks, read.jwksUri, read.keys].filter((one) => one !== undefined).length > 1)
    fail(`${path} has several of jwks, jwksUri and keys. Choose one.`);
  checkSubject(read, path);
  const isFound = read.jwks === undefined && read.jwksUri === undefined && read.keys === undefined;
  const problem = isFound ? urlProblem(read.issuer) : undefined;
  if (problem !== undefined)
    fail(`${path}.issuer ${problem}, because its keys are found by its metadata; or add jwks, jwksUri or keys.`);
  return {
    ...read,
    maxLifetime: read.maxLifetime ?? (read.kind === 'id-jag' ? 600 : 3600),
    use: read.use ?? (read.kind === 'workload' ? 'untilExpiry' : 'once'),
  };
};

/** Issuers of one identifier: assertions of the kind `id-jag` say that they are. */
export const checkDistinct = (issuers: readonly Issuer[], path: string): void => {
  const names = new Set<string>();
  for (const { issuer, kind } of issuers) {
    const name = JSON.stringify([issuer, kind === 'id-jag']);
    if (names.has(name))
      fail(
        `${path} has ${JSON.stringify(issuer)} twice. Leave one of them out: only the kind id-jag can be beside another one, because its assertions say so.`,
      );
    names.add(name);
  }
};

/** The table of options. */
export const ASSERTION_OPTIONS = option.required(
  option.object(
    {
      issuers: option.required(
        option.either(
          option.value<readonly AssertionIssuer[]>('an array of issuers', Array.isArray),
          option.having<AssertionIssuers>('an object with find', 'find'),
        ),
        'add the issuers whose assertions are accepted',
      ),
      tokenLifetime: option.wholeNumber(900, 60, 86_400, 'seconds'),
      clockTolerance: option.wholeNumber(30, 0, 60, 'seconds'),
    } satisfies option.Schema<AssertionOptions>,
    { takes: 'an object of options' },
  ),
);
