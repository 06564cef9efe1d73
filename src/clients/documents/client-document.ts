import { parseUrl } from '../../core/base/addresses/url.js';
import {
  ASSERTION_ALGORITHMS,
  type AssertionAlgorithm,
  isSecretKey,
  publicKeyProblem,
} from '../../core/base/public-keys.js';
import { isRecord } from '../../core/base/schema.js';
import {
  type GivenMetadata,
  member,
  ownRestrictions,
  type OwnRestrictions,
  readClientMetadata,
  refuse,
  textsOf,
} from '../../core/oauth/clients/client-metadata.js';
import { ownOpenId, type OwnOpenId } from '../../core/oauth/clients/client-openid.js';

const MAX_ADDRESS_LENGTH = 512;

/** A name with a top-level domain. IP addresses, `localhost` and single-label names lead into the operator's own network. */
const HOST_NAME = /^(?:[a-z\d_](?:[a-z\d_-]*[a-z\d])?\.)+[a-z](?:[a-z\d-]*[a-z\d])?$/;

/**
 * Why a URL cannot be that of a document, as the end of a sentence; `undefined` if it can. Each document has a single valid spelling of its URL, because
 * the URL identifies the client.
 *
 * @see {@link https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/ | Client ID Metadata Document §3}
 */
export const documentAddressProblem = (text: string): string | undefined => {
  if (text.length > MAX_ADDRESS_LENGTH) return `has more than ${MAX_ADDRESS_LENGTH} characters`;
  const url = text.startsWith('https://') ? parseUrl(text) : undefined;
  if (url === undefined) return 'is not an https URL';
  if (text.includes('#')) return 'has a fragment';
  if (url.username !== '' || url.password !== '') return 'has a user name or password';
  if (url.port !== '') return 'has a port; only 443 is allowed';
  // Dot segments, capital letters in the host, other notations of an IP address: parsing changes all of them.
  if (url.href !== text) return `must be spelled ${url.href}`;
  if (url.pathname === '/') return 'has no path';
  if (!HOST_NAME.test(url.hostname)) return 'has a host that is not a public name';
  return undefined;
};

/** The authentication methods of a client that publishes a document: it cannot share a secret. */
type Method = 'none' | 'private_key_jwt';

export type Jwk = Readonly<Record<string, unknown>>;

/** The used part of a client's document. All of it is claimed by the client itself. */
export interface ClientDocument extends OwnRestrictions, OwnOpenId {
  /** The URL of the document. */
  readonly client_id: string;
  /** Its name for users. */
  readonly client_name: string;
  /** Redirect URIs: https, or http on loopback. Others are omitted. */
  readonly redirect_uris: readonly string[];
  /** `authorization_code`, and `refresh_token` if the client wants to refresh. */
  readonly grant_types: readonly ('authorization_code' | 'refresh_token')[];
  /** The grants of features that it may use, such as that of `assertions`; absent if there are none. */
  readonly feature_grant_types?: readonly string[];
  /** The supported authentication methods. */
  readonly token_endpoint_auth_methods_supported: readonly Method[];
  /** The only algorithm of its assertions, if it names one. */
  readonly token_endpoint_auth_signing_alg?: AssertionAlgorithm;
  /** Its public keys, if the document contains them. */
  readonly jwks?: {
    /** The usable keys. */
    readonly keys: readonly Jwk[];
  };
  /** The URL of its public keys, if the document does not contain them. */
  readonly jwks_uri?: string;
}

const MAX_KEYS = 20;

/** The maximum size of a stored document with its keys: 4 KiB with the rest of its record. A part is reserved for keys from a `jwks_uri`. */
const MAX_BYTES = 3840;
const MAX_KEY_BYTES = 1024;

const bytesOf = (value: object): number => Buffer.byteLength(JSON.stringify(value));

const METHODS: readonly Method[] = ['none', 'private_key_jwt'];
const SYMMETRIC: readonly unknown[] = ['client_secret_basic', 'client_secret_post', 'client_secret_jwt'];
const SECRETS = ['client_secret', 'client_secret_expires_at'];
const PUBLIC_MEMBERS = ['kty', 'crv', 'x', 'y', 'n', 'e', 'kid', 'alg'];

const readMethods = (given: GivenMetadata): readonly Method[] => {
  const supported = textsOf(given, 'token_endpoint_auth_methods_supported') ?? [];
  const named = [member(given, 'token_endpoint_auth_method'), ...supported].filter((name) => name !== undefined);
  const secret = named.find((method) => SYMMETRIC.includes(method));
  if (secret !== undefined)
    refuse(`It names the method ${JSON.stringify(secret)}: a published document cannot share a secret.`);
  if (named.length === 0) return ['none'];
  const methods = METHODS.filter((method) => named.includes(method));
  return methods.length > 0 ? methods : refuse('It supports neither of the methods none and private_key_jwt.');
};

/**
 * The usable public keys of a JWK set, reduced to the members that are needed.
 *
 * @throws MetadataProblem for a private or symmetric key, whatever else the set contains.
 */
export const readKeys = (given: unknown): readonly Jwk[] => {
  const keys: unknown = isRecord(given) ? member(given, 'keys') : undefined;
  if (!Array.isArray(keys) || !keys.every(isRecord)) return refuse('The JWK set has no array of keys.');
  if (keys.some(isSecretKey))
    return refuse('The JWK set contains a private or symmetric key. Replace that key: it has been published.');
  if (keys.length > MAX_KEYS) return refuse(`The JWK set has more than ${MAX_KEYS} keys.`);
  return keys
    .filter((key) => member(key, 'use') !== 'enc')
    .map((key) => Object.fromEntries(Object.entries(key).filter(([name]) => PUBLIC_MEMBERS.includes(name))))
    .filter((key) => bytesOf(key) <= MAX_KEY_BYTES && publicKeyProblem(key) === undefined);
};

const readAlgorithm = (given: GivenMetadata): Pick<ClientDocument, 'token_endpoint_auth_signing_alg'> => {
  const named = member(given, 'token_endpoint_auth_signing_alg');
  if (named === undefined) return {};
  const algorithm = ASSERTION_ALGORITHMS.find((known) => known === named);
  return algorithm === undefined
    ? refuse(`Its token_endpoint_auth_signing_alg is none of ${ASSERTION_ALGORITHMS.join(', ')}.`)
    : { token_endpoint_auth_signing_alg: algorithm };
};

/** Without usable keys, only `none` remains. */
const readAuthentication = (
  given: GivenMetadata,
): Pick<
  ClientDocument,
  'token_endpoint_auth_methods_supported' | 'token_endpoint_auth_signing_alg' | 'jwks' | 'jwks_uri'
> => {
  const methods = readMethods(given);
  const jwks = member(given, 'jwks');
  const jwks_uri = member(given, 'jwks_uri');
  const keys = jwks === undefined ? [] : readKeys(jwks);
  const none = { token_endpoint_auth_methods_supported: ['none'] } as const;
  if (!methods.includes('private_key_jwt')) return none;
  if (jwks !== undefined && jwks_uri !== undefined) return refuse('It has both jwks and jwks_uri (RFC 7591 §2).');
  const signing = { token_endpoint_auth_methods_supported: methods, ...readAlgorithm(given) };
  if (keys.length > 0) return { ...signing, jwks: { keys } };
  const problem = typeof jwks_uri === 'string' ? documentAddressProblem(jwks_uri) : 'is missing';
  if (problem === undefined) return { ...signing, jwks_uri: jwks_uri as string }; // A string, as just checked.
  if (methods.includes('none')) return none;
  return refuse(jwks === undefined ? `Its jwks_uri ${problem}.` : 'Its jwks contains no usable key.');
};

/**
 * Reads the document of a client, ignoring what is not needed.
 *
 * @param featureGrants - The grants of features that it may name.
 * @throws MetadataProblem
 */
export const readDocument = (
  address: string,
  given: unknown,
  featureGrants: readonly string[] = [],
): ClientDocument => {
  if (!isRecord(given)) return refuse('It is not a JSON object.');
  if (member(given, 'client_id') !== address) return refuse('Its client_id is not the URL it was fetched from.');
  const secret = SECRETS.find((name) => Object.hasOwn(given, name));
  if (secret !== undefined) refuse(`It contains ${secret}, which is not secret once it is published.`);
  const named = textsOf(given, 'grant_types') ?? [];
  const further = featureGrants.filter((name) => named.includes(name));
  const stated = readClientMetadata(given, { schemes: [], omitsUnusable: true, hasOther: further.length > 0 });
  const document: ClientDocument = {
    client_id: address,
    ...stated,
    // Apart from the others: a process without the feature reads this record too, and would reject a client with a grant that it does not have.
    ...(further.length > 0 && { feature_grant_types: further }),
    ...ownRestrictions(given),
    client_name: stated.client_name ?? refuse('client_name is missing, or has no visible character.'),
    ...readAuthentication(given),
    ...ownOpenId(given, stated.redirect_uris),
  };
  const most = document.jwks_uri === undefined ? MAX_BYTES : MAX_BYTES - MAX_KEY_BYTES;
  if (bytesOf(document) > most) return refuse(`The used part of it is longer than ${most} bytes.`);
  return document;
};

/** As many of these keys as fit into the record of the document, in order. */
export const keysThatFit = (document: ClientDocument, keys: readonly Jwk[]): readonly Jwk[] => {
  let room = MAX_BYTES - bytesOf(document);
  return keys.filter((key) => (room -= bytesOf(key) + 1) >= 0);
};
