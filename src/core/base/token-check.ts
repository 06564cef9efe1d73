import {
  type CheckOptions,
  type GuardingServer,
  guardRequirement,
  type RequiredScope,
  scopesOf,
} from './guard-requirement.js';
import type { CheckResult, GuardRequirement } from './http/bearer.js';
import type { GivenProof } from './possession.js';
import { fail, object, required, type Schema, text, value } from './schema.js';

/**
 * Checks a token where there is no middleware, such as in the upgrade request of a WebSocket, a subscription or a job: the decision
 * of a guard with the same scope and options. If the token cannot be checked, it is refused with the status 503.
 *
 * @param token - The access token itself. Anything but text counts as no token, or as an invalid one.
 * @throws TypeError if the options are invalid, or the server has no issuer.
 */
export type TokenCheck<Scope extends string = string, C extends object = {}> = CheckMethod<Scope, C>['check'] &
  CheckAny<C>;

/** A method, so that what checks some scopes fits where any may be named. */
interface CheckMethod<Scope extends string, C extends object> {
  check(token: unknown, options: ScopedOptions<Scope>): Promise<CheckResult<C>>;
}

interface CheckAny<C extends object> {
  /** The same, whatever the scopes of the token. */
  any(token: unknown, options?: CheckOptions): Promise<CheckResult<C>>;
}

interface ScopedOptions<Scope extends string = string> extends CheckOptions {
  /** The scopes that the token must have. */
  readonly scope: RequiredScope<Scope>;
}

/** Whoever forgets `await` would find nothing refused. */
const awaited = (decide: () => Promise<CheckResult>): Promise<CheckResult> => {
  const get = (): never => fail('check(token, options) returns a promise. Write: const { refused } = await check(…).');
  return Object.defineProperties(decide(), { refused: { get }, authorization: { get } });
};

/** A client sends the proof, so whatever it is, it is no mistake of the application. */
const PROOF = object({
  jwt: value<string>('a string', () => true),
  method: required(text("a method such as 'GET'")),
  url: required(text('the URL of the request')),
} satisfies Schema<GivenProof>);

/** What checks a token once its requirement is known. */
interface CheckingServer extends GuardingServer {
  check(token: unknown, requirement: GuardRequirement, proof: GivenProof | undefined): Promise<CheckResult>;
}

/** The number of different scopes that are compared with those of the server. */
const COMPARED = 100;

/** A token may be checked with each message, so a scope that does not exist is reported only once. */
export const checkOf = (server: CheckingServer): TokenCheck => {
  const compared = new Set<string>();
  const checkScopes = (scopes: readonly string[]): void => {
    const text = scopes.join(' ');
    if (compared.has(text) || compared.size >= COMPARED) return;
    compared.add(text);
    server.checkScopes?.(scopes);
  };
  const known: GuardingServer = { ...server, checkScopes };
  const decide = async (token: unknown, scopes: readonly string[], options: CheckOptions): Promise<CheckResult> => {
    const { proof, ...required } = options;
    if (proof !== undefined) PROOF.read(proof, 'check(token, options): options.proof');
    return server.check(token, guardRequirement(scopes, required, known), proof);
  };
  const check = (token: unknown, { scope, ...options }: Partial<ScopedOptions> = {}): Promise<CheckResult> =>
    awaited(async () => decide(token, scopesOf(scope), options));
  const any: TokenCheck['any'] = (token, options = {}) => awaited(async () => decide(token, [], options));
  return Object.assign(check, { any });
};
