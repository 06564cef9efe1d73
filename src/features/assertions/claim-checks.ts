import { type Actor, isRecord } from '../../core/feature/index.js';
import { type AssertionClaims, type Issuer, OTHER_TYPES, typeName } from './options.js';
import { Refusal } from './refusal.js';
import { MAX_CLAIMS, type Statement } from './statement.js';

const MAX_SUBJECT = 255;
const MAX_ID = 256;
const MAX_ISSUER = 512;
const MAX_FACT = 256;
const MAX_METHODS = 16;
const MAX_ACTORS = 4;

/** What the claims of assertions are compared with. */
export interface ClaimRules {
  /** Our issuer, in its spellings. */
  readonly issuers: readonly string[];
  /** The URLs of our token endpoint. */
  readonly endpoints: readonly string[];
  /** Whether the audience must not be an array. */
  readonly isAudienceText: boolean;
  /** Seconds. */
  readonly tolerance: number;
  /** Seconds since the epoch. */
  readonly now: number;
}

/** An assertion whose signature and claims are right. */
export interface Checked {
  readonly issuer: Issuer;
  readonly claims: AssertionClaims;
  /** Seconds since the epoch. */
  readonly exp: number;
  readonly iat: number | undefined;
  readonly jti: string | undefined;
  /** The thumbprint of the only key that may use it. */
  readonly jkt: string | undefined;
  /** Who acts for its subject, for reading. */
  readonly act: Actor | undefined;
}

const isText = (given: unknown, max: number): given is string =>
  typeof given === 'string' && given !== '' && given.length <= max;

/** @throws Refusal unless the claim is absent, or a time that is not negative. */
const timeIn = (claims: Statement['claims'], name: string): number | undefined => {
  const given = claims[name];
  if (given === undefined) return undefined;
  if (typeof given !== 'number' || !Number.isFinite(given) || given < 0)
    throw new Refusal('claims', `The ${name} of the assertion must be a number of seconds since the epoch.`);
  return given;
};

const checkType = ({ typ }: Statement, { kind, types = [] }: Issuer): void => {
  const name = typeof typ === 'string' ? typeName(typ) : typ;
  if (kind === 'id-jag') {
    if (name !== 'oauth-id-jag+jwt')
      throw new Refusal('type', 'The typ of the assertion must be oauth-id-jag+jwt: its issuer gives no others.');
    return;
  }
  const isKnown = name === undefined || name === 'jwt' || types.some((one) => typeName(one) === name);
  if (!isKnown || OTHER_TYPES.has(String(name)))
    throw new Refusal('type', 'The typ of the assertion is that of another token. It must be JWT, or absent.');
};

/** An assertion for several servers could be passed on to us by one of the others, so there is exactly one audience. */
const checkAudience = (
  { claims: { aud: given } }: Statement,
  { issuers, endpoints, isAudienceText }: ClaimRules,
  isForEndpoint: boolean,
): void => {
  const aud: unknown = Array.isArray(given) && given.length === 1 && !isAudienceText ? given[0] : given;
  const expected = isForEndpoint ? [...issuers, ...endpoints] : issuers;
  if (typeof aud !== 'string' || !expected.includes(aud))
    throw new Refusal('audience', `The aud of the assertion must be ${issuers[0]}, and no other.`);
};

const checkTimes = (
  { exp, iat, nbf }: { readonly exp: number; readonly iat: number | undefined; readonly nbf: number | undefined },
  { maxLifetime }: Issuer,
  { now, tolerance }: ClaimRules,
): void => {
  if (now >= exp + tolerance) throw new Refusal('expired', 'The assertion has expired. Get a new one from its issuer.');
  if ((nbf ?? 0) > now + tolerance || (iat ?? 0) > now + tolerance)
    throw new Refusal('early', 'The nbf or iat of the assertion is in the future. Compare the clocks of both servers.');
  if (exp - (iat ?? now) > maxLifetime)
    throw new Refusal(
      'lifetime',
      `The assertion lives too long: from iat to exp, there may be ${maxLifetime} seconds.`,
    );
};

/** The thumbprint in `cnf` (RFC 9449 §6.1). A binding of another kind that is ignored would let others use the assertion. */
const thumbprintIn = ({ cnf }: Statement['claims']): string | undefined => {
  if (cnf === undefined) return undefined;
  const { jkt, ...others } = isRecord(cnf) ? cnf : {};
  if (!isText(jkt, MAX_ID) || Object.keys(others).length > 0)
    throw new Refusal('binding', 'The cnf of the assertion must have jkt, and nothing else.');
  return jkt;
};

/** How its subject signed in at the issuer, which becomes how the owner did. */
const checkSignIn = ({ auth_time, acr, amr }: Statement['claims'], { now, tolerance }: ClaimRules): void => {
  if (auth_time !== undefined && !(typeof auth_time === 'number' && auth_time >= 0 && Number.isFinite(auth_time)))
    throw new Refusal('claims', 'The auth_time of the assertion must be a number of seconds since the epoch.');
  if (typeof auth_time === 'number' && auth_time > now + tolerance)
    throw new Refusal('early', 'The auth_time of the assertion is in the future.');
  if (acr !== undefined && !isText(acr, MAX_FACT))
    throw new Refusal('claims', `The acr of the assertion must be text of at most ${MAX_FACT} characters.`);
  const areMethods = Array.isArray(amr) && amr.length <= MAX_METHODS && amr.every((one) => isText(one, MAX_FACT));
  if (amr !== undefined && !areMethods)
    throw new Refusal('claims', `The amr of the assertion must be an array of at most ${MAX_METHODS} texts.`);
};

/**
 * Who acts for the subject of an assertion (RFC 8693 §4.1). A `client_id` in it is that of another server, so it is left out: nobody may take it for a client
 * of this one.
 */
const actorIn = (given: unknown, issuer: string, depth = MAX_ACTORS): Actor => {
  const { sub, iss = issuer, act } = isRecord(given) && depth > 0 ? given : {};
  if (!isText(sub, MAX_SUBJECT) || sub.startsWith('client:') || !isText(iss, MAX_ISSUER))
    throw new Refusal(
      'claims',
      `The act of the assertion must have a sub, which must not begin with client:, perhaps iss and act, and at most ${MAX_ACTORS} actors.`,
    );
  return { sub, iss, ...(act !== undefined && { act: actorIn(act, issuer, depth - 1) }) };
};

/** Somebody acts for an owner, and the token of a client itself is without one. */
const actorOf = ({ claims: { act }, iss }: Statement, { clients }: Issuer): Actor | undefined => {
  if (act === undefined) return undefined;
  if (clients !== undefined)
    throw new Refusal('claims', 'The assertion is about a client and has act, but nobody can act for a client.');
  return actorIn(act, iss);
};

const checkId = (jti: unknown, { kind, use }: Issuer): void => {
  if (jti === undefined && kind === 'id-jag') throw new Refusal('claims', 'The assertion lacks jti.');
  if (jti === undefined && use === 'once')
    throw new Refusal(
      'claims',
      "The assertion has no jti, so it cannot be known whether it was used. If its issuer gives none, the server needs use: 'untilExpiry' for it.",
    );
  if (jti !== undefined && use === 'once' && !isText(jti, MAX_ID))
    throw new Refusal('claims', `The jti of the assertion must be text of 1 to ${MAX_ID} characters.`);
};

/**
 * Checks the claims of an assertion whose signature is right (RFC 7523 §3).
 *
 * @throws Refusal
 */
export const checkClaims = (statement: Statement, issuer: Issuer, rules: ClaimRules): Checked => {
  const { claims, iss } = statement;
  const { kind } = issuer;
  checkType(statement, issuer);
  checkAudience(statement, rules, kind !== 'id-jag');
  const { sub, jti } = claims;
  const [exp, iat, nbf] = [timeIn(claims, 'exp'), timeIn(claims, 'iat'), timeIn(claims, 'nbf')];
  if (exp === undefined) throw new Refusal('claims', 'The assertion lacks exp.');
  if (iat === undefined && kind === 'id-jag') throw new Refusal('claims', 'The assertion lacks iat.');
  checkTimes({ exp, iat, nbf }, issuer, rules);
  if (!isText(sub, MAX_SUBJECT))
    throw new Refusal('claims', `The sub of the assertion must be text of 1 to ${MAX_SUBJECT} characters.`);
  if (Object.keys(claims).length > MAX_CLAIMS)
    throw new Refusal('claims', `The assertion has more than ${MAX_CLAIMS} claims.`);
  checkId(jti, issuer);
  if (claims['authorization_details'] !== undefined)
    throw new Refusal('details', 'The assertion has authorization_details, which this server does not support.');
  const jkt = thumbprintIn(claims);
  if (kind === 'id-jag') checkSignIn(claims, rules);
  const act = actorOf(statement, issuer);
  const id = typeof jti === 'string' ? jti : undefined;
  return { issuer, claims: { ...claims, iss, sub }, exp, iat, jti: id, jkt, act };
};
