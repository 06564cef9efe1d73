import { resourceMetadataAddress } from '../core/base/addresses/resource.js';
import type { Authorization } from '../core/base/authorization.js';
import {
  admit,
  type CheckResult,
  givenToken,
  type GuardRequirement,
  type GuardResult,
  requiredToken,
} from '../core/base/http/bearer.js';
import type { HttpRequest, Route } from '../core/base/http/messages.js';
import { errorResponse, type RefusedRoute, refusalOf } from '../core/base/http/responses.js';
import { proofOf, provenAtResource, withGivenProof, type WithProof } from '../core/base/possession.js';
import { type ResourceDefinition, resourceMetadataRoute } from '../core/base/resource-metadata.js';
import { joinRules } from '../core/base/rules.js';
import { ownKeys } from '../core/base/seal.js';
import { checkOf, type TokenCheck } from '../core/base/token-check.js';
import type { ResolvedCommonOptions } from './option-checks.js';

/** Checks the tokens of an authorization server in another process: the argument of `remoteGuard` of every adapter. */
export interface Verifier {
  /** Never rejects: if a token cannot be checked, the response is a 503. */
  guard(request: HttpRequest, requirement: GuardRequirement): Promise<GuardResult>;
  /** Checks a token without a request and without a framework, for WebSockets, subscriptions and jobs. */
  readonly check: TokenCheck;
  /** Whether it accepts tokens that are bound to keys. */
  readonly bindsTokens: boolean;
  /** The metadata of its resource, if it has one. */
  readonly documents: readonly Route[];
  /** Receives every failure that clients see as a 503. */
  readonly onError: (error: unknown) => void;
  /** Closes idle connections. */
  close(): void;
}

/** RFC 6750 §2.1. Anything else is not a token, and needs no check. */
const B64TOKEN = /^[\w.~+/-]+=*$/;

/** Resolves to the authorization of a live access token; `undefined` for any other text. */
type TokenLookup = (token: string) => Promise<Authorization | undefined>;

/** Options of a verifier except those for tokens; `issuer` is required with a resource. */
type GuardedTokens = Pick<
  ResolvedCommonOptions,
  'audience' | 'resource' | 'onError' | 'features' | 'clock' | keyof ResourceDefinition
> & {
  readonly issuer?: string;
};

/** Creates a verifier from a function that checks tokens. */
export const tokenVerifier = (
  lookUp: TokenLookup,
  { issuer = '', resource, audience: ownAudience, onError, features, clock, ...about }: GuardedTokens,
  close: () => void,
): Verifier => {
  const origins = resource === undefined ? [] : [resource];
  const rules = joinRules(features);
  const keys = (purpose: string, secrets: readonly string[] = []): readonly string[] =>
    ownKeys(secrets, issuer, purpose);
  const verifications = features.flatMap(({ name, verify }) =>
    verify === undefined ? [] : [verify({ name: `${name}()`, clock, keys, issuer, rules, origins })],
  );
  const [proofs] = verifications.flatMap((one) => one.proofs ?? []);
  const checks = verifications.flatMap(({ check }) => check ?? []);
  const hasClaims = features.some(({ claims }) => claims !== undefined);
  const decide = async <Refused>(
    read: (audience: readonly string[] | undefined) => WithProof,
    { audience: other, ...requirement }: GuardRequirement,
    refused: (error: unknown, route: RefusedRoute) => Refused,
  ): Promise<{ readonly authorization: Authorization } | Refused> => {
    const audience = other ?? (resource === undefined ? ownAudience : [resource]);
    try {
      const presented = read(audience);
      const authorization = B64TOKEN.test(presented.token) ? await lookUp(presented.token) : undefined;
      const proven = proofs && (await provenAtResource(authorization, presented, requirement, proofs, undefined));
      // Without a resource a guard protects the issuer's own API, like a guard in the authorization server's process.
      const wanted = audience ?? (authorization === undefined ? [] : [authorization.iss]);
      const admitted = admit(
        authorization,
        { ...requirement, audience: wanted },
        { isProven: proven !== undefined, now: clock() },
      );
      for (const check of checks) await check(admitted);
      const found = hasClaims && admitted.claims === undefined ? { ...admitted, claims: {} } : admitted;
      return { authorization: found, ...(proven !== undefined && { headers: proven.headers }) };
    } catch (error) {
      const metadata = other === undefined && resource !== undefined ? resourceMetadataAddress(resource) : undefined;
      return refused(error, { scopes: requirement.scopes, metadata, proofAlgorithms: proofs?.algorithms });
    }
  };
  return {
    guard: (request, requirement) =>
      decide(
        (audience) => proofOf(request, requiredToken(request, proofs !== undefined), { audience }, proofs),
        requirement,
        (error, route): GuardResult => ({ response: errorResponse(error, onError, route) }),
      ),
    check: checkOf({
      bindsTokens: proofs !== undefined,
      check: (token, requirement, proof) =>
        decide(
          () => withGivenProof(givenToken(token), proof),
          requirement,
          (error, route): CheckResult => ({ refused: refusalOf(error, onError, route) }),
        ),
    }),
    bindsTokens: proofs !== undefined,
    documents: resource === undefined ? [] : [resourceMetadataRoute({ ...about, resource }, issuer, proofs)],
    onError,
    close,
  };
};
