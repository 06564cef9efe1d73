import type { Bound } from '../base/deadline.js';
import { OAuthError, tooManyRequests } from '../base/errors.js';
import type { FailureLimiter } from '../base/limits/failure-limiter.js';
import { RateLimit } from '../base/limits/rate-limit.js';
import { sourceOf } from '../base/limits/source.js';
import { PERSONAL_TOKENS } from '../base/personal-tokens.js';
import { type ExpiringRecord, isNumber, type Records, type Shape } from '../base/records.js';
import { parseScope } from '../base/scope.js';
import { ownSecrets, Seal } from '../base/seal.js';
import { deriveKey, type RandomSource } from '../base/secrets.js';
import { didYouMean } from '../base/spelling.js';
import type { AddressLimit, ClientRoute, FeatureClients, FeatureHost, SelfDescribedClients } from '../feature/host.js';
import type { SigningKeysInit, SigningKeys } from '../feature/keys.js';
import type { Call, FeatureRoute } from '../feature/parts.js';
import type { FeatureRecords } from '../feature/records.js';
import { checkClient } from '../oauth/clients/check-client.js';
import { MetadataProblem, readClientMetadata, selfDescribed } from '../oauth/clients/client-metadata.js';
import { ownOpenId } from '../oauth/clients/client-openid.js';
import type { Clients } from '../oauth/clients/clients.js';
import { redirectHost, redirectUriMatches } from '../oauth/clients/redirect-uri.js';
import { AUTHORIZATION_PARAMETERS } from '../oauth/code/authorization-request.js';
import { handOver } from '../oauth/code/handed-over.js';
import { readJson } from '../oauth/facts/json-body.js';
import { checkedForm, parseParameters } from '../oauth/facts/parameters.js';
import { provenKey, withNonce } from '../oauth/kernel/bound-tokens.js';
import { CLIENT_PARAMETERS } from '../oauth/kernel/client-authentication.js';
import type { OAuthConfig } from '../oauth/kernel/config.js';
import type { RequestScope } from '../oauth/kernel/request-scope.js';
import { boundSource, KeyRing } from '../oauth/keys/signing-keys.js';
import { ownerGrants } from '../oauth/owners/owner-grants.js';
import { scopeViews } from '../oauth/pages/access-views.js';
import { findToken } from '../oauth/token/derived-token.js';
import type { Services } from './create-services.js';
import { featureOwners, tokenRoute } from './feature-owners.js';
import { admission, identify } from './guard.js';
import type { Observer } from './observer.js';
import { hostDeadline } from './options/host-functions.js';
import { checkSelfDescribedScopes, resourceAt } from './options/resources.js';
import type { CheckedOptions } from './options/server-table.js';

/** Why a page cannot sign users in as a client, as the end of a sentence. */
const pageClientProblem = (client_id: string, { listed, areAllListed }: Clients): string | undefined => {
  const client = listed.get(client_id);
  if (client === undefined) {
    return areAllListed ? `is not registered in options.clients.${didYouMean(client_id, listed.keys())}` : undefined;
  }
  if (!client.public) return 'has a secret, which a page cannot keep. Use a public client.';
  if (!client.grantTypes.has('authorization_code'))
    return 'cannot sign users in. Add authorization_code to its grant_types.';
  return undefined;
};

const signInPaths = ({ grants, paths, issuer }: OAuthConfig): FeatureHost['signIn'] =>
  grants.has('authorization_code')
    ? { authorize: paths.authorize[0], token: paths.token[0], revoke: paths.revoke[0], issuer }
    : undefined;

/** What {@link clientRoute} hands to a feature, as the kernel knows it. */
type HandedOver = Parameters<typeof handOver>[0] & RequestScope;

const clientRoute = (
  { path, fields, answer }: ClientRoute,
  { readForm, authenticate, proofs, issuer }: Services,
): FeatureRoute => ({
  path,
  cors: true,
  POST: async (call) => {
    const { request, emit } = call;
    const form = checkedForm(await readForm(request, { ...fields(), ...CLIENT_PARAMETERS }));
    const paths = typeof path === 'string' ? [path] : path;
    const proven = await provenKey(request, paths, { proofs, issuer, emit });
    try {
      const client = await authenticate(call, form);
      const response = await answer({ request, emit, form, client, jkt: proven?.jkt });
      return proven === undefined ? response : { ...response, headers: { ...response.headers, ...proven.headers } };
    } catch (error) {
      throw withNonce(error, proven);
    }
  },
});

const RECORD: Shape<ExpiringRecord> = { exp: isNumber };

/** Characters of the keys and groups of a feature: a store takes 200 in all. */
const NAME = /^[\x21-\x7e]{1,60}$/;

/** The records of one feature. Its name has no percent sign, so that no two features have a key in common. */
export const recordsOf = (
  feature: string,
  { records, random }: { readonly records: Records; readonly random: Pick<RandomSource, 'rev'> },
): FeatureRecords => {
  const prefix = `own:${feature.replaceAll(':', '%')}:`;
  const named = (name: string): string => {
    if (!NAME.test(name)) throw new TypeError(`feature ${feature}: a key must have 1 to 60 visible ASCII characters.`);
    return prefix + name;
  };
  const all = (groups: readonly string[] = []): readonly string[] => groups.map(named);
  return {
    add: (key, record, groups) => records.add(named(key), record, all(groups)),
    swap: (key, before, record, groups) => records.swap(named(key), before, record, all(groups)),
    // It is plain JSON data, of which only the expiry is known here.
    get: (keys) => records.getMany(keys.map(named), RECORD) as ReturnType<FeatureRecords['get']>,
    delete: (key) => records.delete(named(key)),
    canList: records.canList,
    list: async (group, page) => {
      const { keys, ...rest } = await records.list(named(group), page);
      return { keys: keys.map((key) => key.slice(prefix.length)), ...rest };
    },
    rev: () => random.rev(),
  };
};

/** Sends requests to public servers. It is loaded when the first one is sent. */
const sending = (issuer: string | undefined): FeatureHost['send'] => {
  let made: Promise<FeatureHost['send']> | undefined;
  return async (address, request, signal) => {
    made ??= import('../../outbound/send.js').then(({ sender }) => sender(issuer));
    return (await made)(address, request, signal);
  };
};

const featureClients = ({ clients, allowLocalhostRedirects }: Services): FeatureClients => ({
  // Personal tokens are not a client of the application.
  listed: new Map([...clients.listed].filter(([client_id]) => client_id !== PERSONAL_TOKENS)),
  areAllListed: clients.areAllListed,
  find: (client_id) => clients.find(client_id),
  isRegistered: (address, registered) =>
    registered?.some((uri) => redirectUriMatches(address, uri, allowLocalhostRedirects)) ?? false,
  ownOpenId,
});

/** Keys of a feature. Which algorithms a function has keys for is not known at the start: those of the init. */
const signingKeys = (
  { source: given, algorithms, lifetime, option }: SigningKeysInit,
  { clock, onError, rules }: Services,
  bound: Bound,
): SigningKeys => {
  const source = boundSource(given, option, bound);
  const ring = new KeyRing({
    source,
    algorithms,
    clock,
    tokenLifetimeMs: lifetime * 1000,
    onError,
    option,
    limit: rules.signing,
  });
  return {
    algorithms: typeof source === 'function' ? algorithms : ring.algorithms,
    sign: (header, payload, algorithm) => ring.sign(header, payload, algorithm),
    find: (header) => ring.find(header),
    published: async () => (await ring.jwks()).keys,
  };
};

const tooManyFailures = (retryAfter: number): OAuthError =>
  tooManyRequests('Too many wrong credentials from this address.', retryAfter);

const attempting =
  (limit: FailureLimiter): FeatureHost['attempt'] =>
  async (name, request, prove) => {
    const known = name === undefined ? undefined : `feature ${name}`;
    let obstacle = known === undefined ? undefined : limit.obstacle(known, request);
    while (known !== undefined && obstacle instanceof Promise) {
      await obstacle;
      obstacle = limit.obstacle(known, request);
    }
    if (typeof obstacle === 'number') throw tooManyFailures(obstacle);
    const proven = await prove();
    if (proven !== undefined) return proven;
    const retryAfter = await (known === undefined
      ? limit.failStranger('feature', request)
      : limit.fail(known, request));
    if (typeof retryAfter === 'number') throw tooManyFailures(retryAfter);
    return undefined;
  };

const limitingByAddress = (
  { name, max, message }: AddressLimit,
  { clock, limitAt }: Services,
): ((call: Call) => void) => {
  const limit = new RateLimit(clock, max, 60);
  return ({ request: { ip }, emit }) => {
    const refused = limit.take(sourceOf(ip), limitAt(ip, max));
    if (refused === undefined) return;
    if (refused.isFirst) emit?.({ type: 'limit.reached', limit: name });
    throw tooManyRequests(message, refused.retryAfter);
  };
};

const selfDescribing = ({ scopes }: CheckedOptions, { hooks }: Services): SelfDescribedClients => ({
  read: (given, schemes) => {
    try {
      const stated = readClientMetadata(given, { schemes });
      return { ...stated, ...hooks.ownMetadata?.(given, stated.redirect_uris) };
    } catch (error) {
      if (!(error instanceof MetadataProblem)) throw error;
      const isRedirect = error.member === 'redirect_uris';
      throw new OAuthError(isRedirect ? 'invalid_redirect_uri' : 'invalid_client_metadata', error.message);
    }
  },
  registration: (client_id, metadata, own) => {
    const { redirect_uris, client_name = redirectHost(redirect_uris[0] ?? '') } = metadata;
    return selfDescribed({ ...metadata, client_id, client_name }, own);
  },
  checkScopes: (own, option) => checkSelfDescribedScopes({ scopes: own }, scopes, option),
});

/** Checks registrations by what this server has; the grants of features follow when they have started. */
const checking =
  ({ scopes, customGrants, featureGrants, vouchedClients }: OAuthConfig): FeatureHost['checkClient'] =>
  (registration) =>
    checkClient(registration, {
      scopes: Object.fromEntries(scopes),
      customGrants: [...customGrants.keys(), ...featureGrants.keys()],
      vouchedClients,
    });

/** What this server offers to all of its features. */
export const featureHost = (
  options: CheckedOptions,
  secrets: readonly [string, ...string[]],
  context: Services,
  observer: Observer,
): Omit<FeatureHost, 'use' | 'records' | 'ownerRoute'> => {
  const { issuer, secret, onWarning } = options;
  const { config, clock, timer, onError } = context;
  const { random } = options.runtime;
  const bound = hostDeadline(options);
  return {
    issuer,
    clock,
    random,
    timer,
    frame: context.frame,
    requestTimeout: options.timeout,
    onError,
    onWarning: onWarning ?? (() => undefined),
    hasSecret: secret !== undefined,
    bindsTokens: config.bindsTokens,
    limitAt: context.limitAt,
    onLimit: (event, request) => observer.tell(event, request),
    signIn: signInPaths(config),
    rules: config.rules,
    grants: config.grants,
    scopes: config.scopes,
    accessTokenLifetime: config.lifetimes.accessToken,
    basePath: context.basePath,
    clients: featureClients(context),
    owners: featureOwners(context),
    findToken: (token) => findToken(token, context),
    signsTokens: config.jwt !== undefined,
    tokenRoute: (route) => tokenRoute(route, context),
    read: ({ request }, fields) =>
      request.method === 'POST' ? context.readForm(request, fields) : parseParameters(request.query, fields),
    readJson: ({ request }, code) => readJson(request, context, code),
    limitByAddress: (limit) => limitingByAddress(limit, context),
    selfDescribed: selfDescribing(options, context),
    signingKeys: (init) => signingKeys(init, context, bound),
    send: sending(issuer),
    tokenEndpoints: issuer === undefined ? [] : config.paths.token.map((path) => issuer + path),
    attempt: attempting(context.clientLimit),
    clientRoute: (route) => clientRoute(route, context),
    ownerGrants: ({ emit }) => ownerGrants({ ...context, emit }),
    describeScopes: (names, locale) => scopeViews(names, config, locale),
    checkClient: checking(config),
    handedOver: {
      get fields() {
        return { ...context.hooks.parameters, ...AUTHORIZATION_PARAMETERS };
      },
      // It is the form and the client that clientRoute has made.
      read: (call, until) => handOver(call as HandedOver, until, call, context.requests),
    },
    personalTokens: context.personal,
    rightsOf: ({ scope }) => (parseScope(scope) ?? []).flatMap((name) => config.scopes.get(name)?.rights ?? []),
    pageClientProblem: (client_id) => pageClientProblem(client_id, config.clients),
    resource: (path, name) => {
      const resource = resourceAt(path, issuer);
      if (name !== undefined) config.resources.suggestName(resource, name);
      return config.resources.find(resource) ?? resource;
    },
    findResource: (named) => config.resources.find(named),
    key: (purpose) => deriveKey(secrets[0], purpose),
    seal: (purpose) => new Seal(ownSecrets(secrets, issuer), purpose, clock, random),
    publishedKeys: context.publishedKeys,
    bound,
    identify: (request) => identify(request, context),
    guard: (request, requirement) => admission(request, requirement, context),
  };
};
