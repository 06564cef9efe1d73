/**
 * Assertions of other servers (RFC 7523): a JWT that an identity provider or a partner has signed is exchanged for an access token, without a
 * page: `oauthQuery({ features: [assertions({ issuers: [ … ] })] })`.
 *
 * @module oauth-query/assertions
 */

import {
  contradiction,
  fail,
  feature,
  type FeatureHost,
  type Parts,
  type PlainFeature,
} from '../../core/feature/index.js';
import { ClientStatements } from './client-statements.js';
import { assertionGrant } from './grant.js';
import { isList, Issuers } from './issuers.js';
import { ASSERTION_OPTIONS, type AssertionIssuer, type AssertionOptions } from './options.js';
import { JWT_BEARER } from './statement.js';
import { Subjects } from './subject.js';
import { Uses } from './uses.js';
import { AssertionVerifier } from './verifier.js';

export type { AssertionIssuer, AssertionOptions } from './options.js';

/** Identity Assertion JWT Authorization Grant, in the metadata. */
const ID_JAG_PROFILE = 'urn:ietf:params:oauth:grant-profile:id-jag';

/**
 * Accepts assertions of other servers: as a grant for people that they vouch for (RFC 7523 §2.1, Identity Assertion JWT Authorization Grant).
 *
 * @throws TypeError with a sentence that names the option and the remedy.
 */
export const assertions = (given: AssertionOptions): PlainFeature<'assertions'> => {
  const options = ASSERTION_OPTIONS.read(given, 'assertions: options');
  return feature({
    name: 'assertions',
    grantTypes: [JWT_BEARER],
    allowsDocuments: mayBe(options.issuers, isIdJag),
    vouchesForClients: mayBe(options.issuers, ({ clients }) => clients !== undefined),
    start: (host) => partsOf(options, host),
  });
};

const isIdJag = ({ kind }: Partial<AssertionIssuer>): boolean => kind === 'id-jag';

/** Whether some issuer is like this, or may be. */
const mayBe = (issuers: AssertionOptions['issuers'], is: (one: Partial<AssertionIssuer>) => boolean): boolean =>
  !isList(issuers) || issuers.some((one) => is(one ?? {}));

const partsOf = (
  { issuers: given, tokenLifetime, clockTolerance }: ReturnType<typeof ASSERTION_OPTIONS.read>,
  host: FeatureHost,
): Parts => {
  const { issuer: own } = host;
  if (own === undefined)
    return fail('assertions() needs options.issuer: an assertion names the server that it is for.', 'OQ112');
  checkTolerance(clockTolerance, host.rules);
  const issuers = new Issuers(given, own, host);
  warnOfRepetitions(issuers, Math.min(tokenLifetime, host.accessTokenLifetime), host);
  const uses = new Uses(host, clockTolerance);
  const verifier = new AssertionVerifier(own, clockTolerance, issuers, host);
  const subjects = new Subjects(host);
  const statements = new ClientStatements({ issuers, verifier, subjects, uses });
  const services = { host, verifier, uses, subjects, statements, tokenLifetime };
  return {
    grants: { [JWT_BEARER]: assertionGrant(services) },
    ...(mayBe(given, ({ clients }) => clients !== undefined) && {
      clients: { authenticate: (call) => statements.authenticate(call) },
    }),
    ended: { beforeEnd: (grants) => uses.end(grants) },
    metadata: () => (mayBe(given, isIdJag) ? { authorization_grant_profiles_supported: [ID_JAG_PROFILE] } : {}),
  };
};

/** @throws TypeError for a tolerance that contradicts a rule of another feature. */
const checkTolerance = (
  seconds: number,
  { clockAheadLeast: least, clockAheadMost: most }: FeatureHost['rules'],
): void => {
  const setting = `assertions({ clockTolerance }) is ${seconds}`;
  if (least !== undefined && seconds < least.value)
    fail(contradiction(setting, least, `at least ${least.value} seconds`, `Set it to ${least.value}.`));
  if (most !== undefined && seconds > most.value)
    fail(contradiction(setting, most, `at most ${most.value} seconds`, `Set it to ${most.value}.`));
};

/** Clients may send an assertion of the kind `id-jag` again once their token has expired (Identity Assertion JWT Authorization Grant §4.4.3). */
const warnOfRepetitions = ({ listed }: Issuers, lifetime: number, { onWarning }: FeatureHost): void => {
  const lasting = listed.find(
    ({ kind, use, maxLifetime }) => kind === 'id-jag' && use === 'once' && maxLifetime > lifetime,
  );
  if (lasting !== undefined)
    onWarning(
      `Assertions of ${lasting.issuer} may live ${lasting.maxLifetime} seconds, but their tokens live ${lifetime}: a client that sends one again gets an error. Raise tokenLifetime, or set use: 'untilExpiry'.`,
      'OQ214',
    );
};
