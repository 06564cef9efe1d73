import type { FeatureHost } from '../base/feature.js';
import { parseScope } from '../base/scope.js';
import { ownSecrets, Seal } from '../base/seal.js';
import { deriveKey } from '../base/secrets.js';
import { didYouMean } from '../base/spelling.js';
import type { Clients } from '../oauth/clients/clients.js';
import type { OAuthConfig } from '../oauth/kernel/config.js';
import type { OAuthContext } from '../oauth/kernel/context.js';
import { admission, identify } from './guard.js';
import type { Observer } from './observer.js';
import { hostDeadline } from './options/host-functions.js';
import { resourceAt } from './options/resources.js';
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

/** What this server offers to its features. */
export const featureHost = (
  options: CheckedOptions,
  secrets: readonly [string, ...string[]],
  context: OAuthContext,
  observer: Observer,
): FeatureHost => {
  const { issuer, secret, onWarning } = options;
  const { config, clock, timer, onError } = context;
  const { random } = options.runtime;
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
    rightsOf: ({ scope }) => (parseScope(scope) ?? []).flatMap((name) => config.scopes.get(name)?.rights ?? []),
    pageClientProblem: (client_id) => pageClientProblem(client_id, config.clients),
    resource: (path) => {
      const resource = resourceAt(path, issuer);
      return config.resources.find(resource) ?? resource;
    },
    key: (purpose) => deriveKey(secrets[0], purpose),
    seal: (purpose) => new Seal(ownSecrets(secrets, issuer), purpose, clock, random),
    bound: hostDeadline(options),
    identify: (request) => identify(request, context),
    guard: (request, requirement) => admission(request, requirement, context),
  };
};
