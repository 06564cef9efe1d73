import { fail } from './schema.js';

/** A limit, and the clause of a standard that asks for it. */
interface Rule<T> {
  /** The limit. */
  readonly value: T;
  /** As errors name it, such as `FAPI 2.0 Security Profile 5.3.2.1 (9)`. */
  readonly clause: string;
}

/** Limits for the whole server, which the kernel and the built-in features enforce. A rule that is absent limits nothing. */
export interface Rules {
  /** The issuer is configured, so that no request decides about it; a configured one has https, or is on loopback. */
  readonly configuredIssuer?: Rule<true> | undefined;
  /** Grants that must not be enabled. */
  readonly excludedGrants?: Rule<readonly string[]> | undefined;
  /** How clients may authenticate: names of RFC 7591. Without `none`, there are no public clients and no self-registration. */
  readonly clientAuthentication?: Rule<readonly string[]> | undefined;
  /** Names of JWS algorithms: of assertions, proofs, access tokens and ID tokens. */
  readonly signing?: Rule<readonly string[]> | undefined;
  /** How refresh tokens may be used. The first one is the default. */
  readonly refresh?: Rule<readonly ('rotating' | 'reusable')[]> | undefined;
  /** The methods of PKCE; every client needs one of them. */
  readonly challengeMethods?: Rule<readonly string[]> | undefined;
  /** The longest life of an authorization code, in seconds. */
  readonly authorizationCode?: Rule<number> | undefined;
  /** The longest time in which a second use of a code revokes nothing, in seconds. */
  readonly codeReplayTolerance?: Rule<number> | undefined;
  /** The longest life of the reference to a pushed request, in seconds. */
  readonly pushedRequestLifetime?: Rule<number> | undefined;
  /** Every authorization request is pushed, and names its redirect URI. */
  readonly pushedRequests?: Rule<true> | undefined;
  /** Every access token is bound to a key. A token request without a proof is `invalid_request`. */
  readonly boundTokens?: Rule<true> | undefined;
  /** Seconds by which the clock of a client may be ahead, in everything that it signs: at least this is accepted. */
  readonly clockAheadLeast?: Rule<number> | undefined;
  /** The same: more than this is refused. */
  readonly clockAheadMost?: Rule<number> | undefined;
  /** The `aud` of an assertion is the issuer as a text, not in an array. */
  readonly audienceIsText?: Rule<true> | undefined;
  /** No http redirect URI but those on loopback addresses, with their ports. */
  readonly exactRedirects?: Rule<true> | undefined;
  /** Responses to clients are redirects with this status, and their parameters are in the query. */
  readonly redirectStatus?: Rule<303> | undefined;
  /** Warns of clients whose requests without a scope get everything, and of clients whose users are not asked. */
  readonly leastPrivilege?: Rule<true> | undefined;
}

/** A rule, and the feature that it is from. */
export interface EnforcedRule<T> extends Rule<T> {
  /** The feature's name. */
  readonly feature: string;
}

/** The rules of all features together. Frozen. */
export type EnforcedRules = {
  readonly [Name in keyof Rules]: NonNullable<Rules[Name]> extends Rule<infer T> ? EnforcedRule<T> | undefined : never;
};

export const NO_RULES: EnforcedRules = Object.freeze({});

/** How two limits meet in the stricter one; `undefined` if nothing satisfies both. */
type Meet<T> = (one: T, other: T) => T | undefined;

const inBoth = <T>(one: readonly T[], other: readonly T[]): readonly T[] | undefined => {
  const both = one.filter((item) => other.includes(item));
  return both.length === 0 ? undefined : both;
};
const inEither = (one: readonly string[], other: readonly string[]): readonly string[] => [
  ...new Set([...one, ...other]),
];
const smaller: Meet<number> = (one, other) => Math.min(one, other);
const larger: Meet<number> = (one, other) => Math.max(one, other);
const same = <T>(one: T): T => one;

const MEET: { readonly [Name in keyof Rules]-?: NonNullable<Rules[Name]> extends Rule<infer T> ? Meet<T> : never } = {
  configuredIssuer: same,
  excludedGrants: inEither,
  clientAuthentication: inBoth,
  signing: inBoth,
  refresh: inBoth,
  challengeMethods: inBoth,
  authorizationCode: smaller,
  codeReplayTolerance: smaller,
  pushedRequestLifetime: smaller,
  pushedRequests: same,
  boundTokens: same,
  clockAheadLeast: larger,
  clockAheadMost: smaller,
  audienceIsText: same,
  exactRedirects: same,
  redirectStatus: same,
  leastPrivilege: same,
};

const isRuleName = (name: string): name is keyof Rules => Object.hasOwn(MEET, name);

/** A feature with its rules. */
interface WithRules {
  readonly name: string;
  readonly rules?: Rules | undefined;
}

const meet = (name: keyof Rules, one: EnforcedRule<unknown>, other: EnforcedRule<unknown>): EnforcedRule<unknown> => {
  const join = MEET[name] as Meet<unknown>; // Of the same rule as both values.
  const value = join(one.value, other.value);
  if (value === undefined)
    return fail(
      `options.features: ${one.feature}() and ${other.feature}() have the rule ${name} (${one.clause}; ${other.clause}), and nothing satisfies both. Leave one of them out.`,
    );
  // The stricter of both is named; if the result is neither, the first one.
  return JSON.stringify(value) === JSON.stringify(other.value) && JSON.stringify(value) !== JSON.stringify(one.value)
    ? { ...other, value }
    : { ...one, value };
};

/**
 * The rules of several features as one: where two of them have the same rule, the stricter value counts.
 *
 * @throws TypeError for a rule that is none, and for two that nothing satisfies.
 */
export const joinRules = (features: readonly WithRules[]): EnforcedRules => {
  const joined: { -readonly [Name in keyof Rules]?: EnforcedRule<unknown> } = {};
  for (const { name: feature, rules = {} } of features) {
    for (const [name, rule] of Object.entries(rules) as [string, Rule<unknown> | undefined][]) {
      if (!isRuleName(name))
        return fail(`feature ${feature}: there is no rule ${name}. Known are ${Object.keys(MEET).join(', ')}.`);
      if (rule === undefined) continue;
      if (typeof rule.clause !== 'string' || rule.value === undefined)
        fail(`feature ${feature}: rules.${name} must be an object with value and clause.`);
      const own = { ...rule, feature };
      const other = joined[name];
      joined[name] = Object.freeze(other === undefined ? own : meet(name, other, own));
    }
  }
  const { clockAheadLeast: least, clockAheadMost: most } = joined as EnforcedRules; // Each was checked under its name.
  if (least !== undefined && most !== undefined && least.value > most.value)
    fail(
      `options.features: ${least.feature}() accepts clocks that are ${least.value} seconds ahead, and ${most.feature}() at most ${most.value}. Leave one of them out.`,
    );
  return Object.freeze(joined) as EnforcedRules; // As above.
};

/**
 * The sentence about a setting that contradicts a rule.
 *
 * @param setting - The setting as a part of a sentence, such as `options.lifetimes.authorizationCode is 120`.
 * @param limit - The end of "… requires", such as `at most 60 seconds`.
 */
export const contradiction = (
  setting: string,
  { feature, clause }: EnforcedRule<unknown>,
  limit: string,
  remedy: string,
): string => `${setting}, but ${feature}() requires ${limit} (${clause}). ${remedy}`;

/** What a rule leaves of a list: everything without the rule. */
export const allowedBy = <T extends string>(
  rule: EnforcedRule<readonly string[]> | undefined,
  all: readonly T[],
): readonly T[] => (rule === undefined ? all : all.filter((name) => rule.value.includes(name)));
