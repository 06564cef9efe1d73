import {
  fail,
  feature,
  type FeatureHost,
  OAuthError,
  type Parts,
  type PlainFeature,
} from '../../core/feature/index.js';
import { BackChannel, sidOf } from './back-channel.js';
import { ClaimSource } from './claims.js';
import { EndSession } from './end-session.js';
import { IdTokens } from './id-token.js';
import { IdTokenKeys } from './keys.js';
import {
  type CheckedOpenIdOptions,
  checkOpenIdOptions,
  idTokenLifetime,
  OPENID_PATHS,
  type OpenIdOptions,
} from './options.js';
import { MODES, OPENID_PARAMETERS, OpenIdRequests, SIGN_IN_GRANTS } from './request.js';
import { describeClaims, DESCRIPTIONS, OPENID } from './scopes.js';
import { userinfoRoute } from './userinfo.js';

/** The scopes that need no entry in `options.scopes`. */
const scopesOf = ({ scopes }: CheckedOpenIdOptions) => {
  const { openid, profile, email, address, phone } = DESCRIPTIONS;
  return {
    openid,
    profile,
    email,
    ...(Object.hasOwn(scopes, 'address') && { address }),
    ...(Object.hasOwn(scopes, 'phone') && { phone }),
  };
};

/** @throws TypeError that names what is missing. */
const checkServer = ({ issuer, hasSecret, owners }: FeatureHost): string => {
  if (!hasSecret)
    fail(
      'openIdConnect() needs options.secret: sign-ins and requests in progress are encrypted with it, and would end with the process.',
    );
  if (!owners.canSignIn)
    fail('openIdConnect() needs a way to sign in: options.users, or options.owner and options.loginUrl.');
  return issuer ?? fail('openIdConnect() needs options.issuer: every ID token names it.');
};

/** OpenID Connect Core 1.0 §2. */
const isSubject = (sub: string): boolean => /^[\x20-\x7e]{1,255}$/.test(sub);

/** Clients compare the subject, so one that the standard does not allow must not reach them. */
const ownerCheck =
  ({ onError }: FeatureHost): NonNullable<NonNullable<Parts['authorization']>['checkOwner']> =>
  ({ sub }, scope) => {
    if (!scope.includes(OPENID) || isSubject(sub)) return;
    onError(
      new TypeError(
        'The sub of this owner cannot be used with OpenID Connect: it must be at most 255 ASCII characters.',
      ),
    );
    throw new OAuthError('server_error', 'The server could not handle this request.');
  };

/** @throws TypeError for a client that asks for something that this server cannot do. */
const checkClients = ({ clients, records }: FeatureHost, keys: IdTokenKeys): void => {
  for (const { client_id, openId } of clients.listed.values()) {
    const name = `Client ${JSON.stringify(client_id)}`;
    if (openId.backchannel_logout_uri !== undefined && !records.canList)
      fail(
        `${name}: backchannel_logout_uri needs a store that can list, because the clients of an owner are looked up.`,
      );
    const algorithm: string | undefined = openId.id_token_signed_response_alg;
    if (algorithm !== undefined && !keys.has(algorithm))
      fail(`${name}: id_token_signed_response_alg is ${algorithm}, for which openIdConnect: options.keys has no key.`);
  }
};

/** The parts that the hooks and endpoints are made of. */
interface Provider {
  readonly issuer: string;
  readonly options: CheckedOpenIdOptions;
  readonly keys: IdTokenKeys;
  readonly claims: ClaimSource;
  readonly idTokens: IdTokens;
  readonly requests: OpenIdRequests;
  /** Absent if the application signs users in and has no page that signs them out. */
  readonly endSession: EndSession | undefined;
  readonly backChannel: BackChannel;
}

const providerOf = (options: CheckedOpenIdOptions, host: FeatureHost): Provider => {
  const issuer = checkServer(host);
  const { clock, owners, scopes } = host;
  const lifetime = idTokenLifetime(host.accessTokenLifetime);
  const keys = new IdTokenKeys(options.keys, lifetime, host);
  checkClients(host, keys);
  const claims = new ClaimSource(options, scopes, host);
  const idTokens = new IdTokens(keys, issuer, lifetime);
  const requests = new OpenIdRequests({
    idTokens,
    claims,
    known: scopes,
    canRegister: options.canRegister,
    now: () => Math.floor(clock() / 1000),
  });
  const canSignOut = owners.hasSessions || options.logoutUrl !== undefined;
  const endSession = canSignOut ? new EndSession(idTokens, options, host) : undefined;
  const backChannel = new BackChannel(idTokens, options, host);
  return { issuer, options, keys, claims, idTokens, requests, endSession, backChannel };
};

/** A grant that an application issued, or one for a password, is no sign-in at this server. */
const idTokenFields =
  ({ issuer, options, claims, idTokens }: Provider): NonNullable<NonNullable<Parts['tokens']>['fields']> =>
  async ({ grant_type, client, grant, scope, aud, kept }, token) => {
    if (grant === undefined || !scope.split(' ').includes(OPENID) || !SIGN_IN_GRANTS.has(grant.grant_type ?? ''))
      return {};
    const { sub, username } = grant;
    // Without a token for this server, the client cannot ask userinfo.
    const isForServer = aud.length === 0 || aud.includes(issuer);
    const isWhole = options.idTokenClaims === 'granted' || !isForServer;
    const granted = grant.client_id === client.client_id ? grant.claims : undefined;
    const found = await claims.find({
      sub,
      client_id: client.client_id,
      scope,
      use: 'id_token',
      // The registration may have changed since.
      single: claims.allowed(granted?.names ?? [], client),
      ...(username !== null && { username }),
      ...(!isWhole && { only: granted?.id_token ?? [] }),
    });
    const { nonce } = kept;
    const { backchannel_logout_uri, backchannel_logout_session_required: needsSession } = client.openId;
    // Other clients have no use for it.
    const sid = backchannel_logout_uri === undefined ? undefined : kept['sid'];
    if (needsSession === true && kept['sid'] === undefined && grant_type === 'authorization_code')
      throw new TypeError(
        `Client ${JSON.stringify(client.client_id)} has backchannel_logout_session_required, so options.owner must return a sid.`,
      );
    return { id_token: await idTokens.sign({ client, sub, facts: grant, nonce, sid, claims: found, token }) };
  };

const PROTOCOL_CLAIMS = ['sub', 'iss', 'aud', 'exp', 'iat', 'auth_time', 'acr', 'amr', 'nonce', 'at_hash'];

/** The members of the metadata (Discovery 1.0 §3). */
const metadataOf = (
  { issuer, keys, claims, requests, endSession }: Provider,
  { owners, clients, rules }: FeatureHost,
): Readonly<Record<string, unknown>> => ({
  userinfo_endpoint: issuer + OPENID_PATHS.userinfo,
  ...(endSession !== undefined && { end_session_endpoint: issuer + OPENID_PATHS.endSession }),
  backchannel_logout_supported: true,
  // Whether your own sign-in names its sessions, only its answers say; but a client that needs the names is not registered without them.
  backchannel_logout_session_supported:
    owners.hasSessions ||
    [...clients.listed.values()].some(({ openId }) => openId.backchannel_logout_session_required === true),
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: keys.algorithms,
  ...(rules.redirectStatus === undefined && { response_modes_supported: MODES }),
  prompt_values_supported: requests.prompts,
  claims_supported: [...PROTOCOL_CLAIMS, ...claims.names],
  claims_parameter_supported: true,
  request_parameter_supported: false,
  request_uri_parameter_supported: false,
});

const startWith = (options: CheckedOpenIdOptions, host: FeatureHost): Parts => {
  const provider = providerOf(options, host);
  const { claims, endSession, keys, requests, backChannel } = provider;
  return {
    routes: [userinfoRoute(claims, host), ...(endSession === undefined ? [] : [endSession.route])],
    authorization: {
      parameters: OPENID_PARAMETERS,
      isInFragment: (form, client) => requests.isInFragment(form, client),
      askedScope: (asked) => requests.askedScope(asked),
      readRequest: (asked) => requests.read(asked),
      claimsOf: (scopes) => [...claims.coveredBy(scopes)],
      describeClaims,
      checkOwner: ownerCheck(host),
      keepOfSession: (session, scope) => (scope.includes(OPENID) ? { sid: sidOf(session) } : {}),
    },
    clients: {
      ownMetadata: (given, redirectUris) => {
        const { id_token_signed_response_alg: algorithm, ...own } = host.clients.ownOpenId(given, redirectUris);
        return {
          ...own,
          ...(algorithm !== undefined && keys.has(algorithm) && { id_token_signed_response_alg: algorithm }),
          // Whatever it asks for: RFC 7591 §3.2.1.
          ...(given['subject_type'] !== undefined && { subject_type: 'public' }),
        };
      },
    },
    ended: { beforeSignOut: (ending, emit) => backChannel.prepare(ending, emit) },
    tokens: { fields: idTokenFields(provider) },
    keys: () => keys.published(),
    metadata: () => metadataOf(provider, host),
  };
};

/**
 * OpenID Connect: ID tokens and userinfo tell applications who signed in.
 *
 * @throws TypeError for an invalid option, with a sentence that names it and the remedy.
 * @see {@link https://openid.net/specs/openid-connect-core-1_0.html | OpenID Connect Core 1.0}
 */
export const openIdConnect = (given: OpenIdOptions = {}): PlainFeature<'openid', keyof typeof DESCRIPTIONS> => {
  const options = checkOpenIdOptions(given);
  return feature({
    name: 'openid',
    excludes: { 'step-up': 'OpenID Connect reads max_age and acr_values itself; leave stepUp() out' },
    scopes: scopesOf(options),
    keepsSignIn: true,
    start: (host) => startWith(options, host),
  });
};
