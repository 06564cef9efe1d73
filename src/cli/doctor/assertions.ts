import { decodeJwt, decodeProtectedHeader, errors, type JWTPayload } from 'jose';
import { error, note, warning } from './finding.js';
import type { Answer } from './probe.js';
import { basic, type Credentials, describe, isJson, memberOf, noStoreProblem, shown, textsOf } from './subject.js';
import { type Document, isSafeUrl, Walk, type WalkSubject } from './walk.js';

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const ID_JAG_PROFILE = 'urn:ietf:params:oauth:grant-profile:id-jag';
const ID_JAG_TYPE = 'oauth-id-jag+jwt';

const SENT = 'Let its issuer sign a new assertion.';

/** The requirements of a server that accepts assertions, and of an assertion for it, in the order in which they are checked. */
export const ASSERTION_RULES = {
  'assertions-found': error(
    'The metadata of the server is available.',
    'Clients find the token endpoint there (RFC 8414 §3).',
    'Make sure that /.well-known/oauth-authorization-server reaches the server.',
  ),
  'assertions-issuer': error(
    'The metadata has the issuer it was requested from.',
    'Issuers of assertions write it into aud, and it is compared as text (RFC 7523 §3).',
    'Give issuers exactly the option issuer, and set it to the public https URL.',
  ),
  'assertions-grant': error(
    'The grant of assertions is announced.',
    'Clients that look into grant_types_supported stop without it.',
    'Add assertions({ issuers: [ … ] }) to options.features.',
  ),
  'assertions-profile': note(
    'Identity providers of companies can vouch for people.',
    'Assistants look for the profile in authorization_grant_profiles_supported.',
    "If companies should manage access, add an issuer with kind: 'id-jag'.",
  ),
  'assertions-documents': warning(
    'Both metadata documents say the same.',
    'Which of them a client reads differs.',
    'Make sure that both paths reach the same server, and that nothing caches one of them.',
  ),
  'assertions-refused': error(
    'A text that nobody signed is refused.',
    'Otherwise something in front of the server answers in its place.',
    'Make sure that POST requests with a form reach the token endpoint, and that responses are not modified.',
  ),
  'assertion-jwt': error(
    'The assertion is a JWT of at most 16,384 characters.',
    'Three parts of base64url, of which two are JSON (RFC 7515 §3.1).',
    SENT,
  ),
  'assertion-algorithm': error(
    'It is signed with a known algorithm.',
    'ES256, ES384, EdDSA, Ed25519, PS256 or RS256, and no extension that must be understood.',
    SENT,
  ),
  'assertion-type': error(
    'Its typ is that of an assertion.',
    'Access tokens and proofs must not be taken for assertions (RFC 8725 §3.11).',
    `Its header must have the typ ${ID_JAG_TYPE}, JWT or none.`,
  ),
  'assertion-issuer': error(
    'It names another server as its issuer.',
    'The server looks for the keys of that issuer, and accepts no statements of its own.',
    'iss must be the issuer in the options of assertions, character by character.',
  ),
  'assertion-audience': error(
    'It is for this server alone.',
    'An assertion for several could be passed on by each of them.',
    'aud must be the issuer of this server; except in an ID-JAG, the URL of its token endpoint is accepted too.',
  ),
  'assertion-times': error(
    'It is valid now.',
    'exp must not have passed, and iat and nbf must not be ahead of the clock.',
    'Compare the clocks of both servers, and send a new assertion.',
  ),
  'assertion-lifetime': warning(
    'It lives no longer than the server accepts by default.',
    'From iat to exp there may be 600 seconds in an ID-JAG, and 3,600 in others.',
    'Shorten it, or raise maxLifetime of the issuer.',
  ),
  'assertion-subject': error('It says whom it is about.', 'sub is text of 1 to 255 characters (RFC 7523 §3).', SENT),
  'assertion-id': warning(
    'It can be told from others.',
    'Without jti, of at most 256 characters, it cannot be known whether it was used.',
    "Add jti, or set use: 'untilExpiry' for the issuer.",
  ),
  'assertion-claims': error(
    'It has what its kind needs.',
    'An ID-JAG names its client and its resources, and no assertion may have limits that the server does not know.',
    SENT,
  ),
  'assertion-accepted': error(
    'The server accepts it.',
    'All that can be seen from outside was checked before; what is left are the keys, the account and the registration.',
    'The event assertion.refused of the server has the reason.',
  ),
};

type Id = keyof typeof ASSERTION_RULES;

/** The server under test, and an assertion for it. */
export interface AssertionSubject extends WalkSubject {
  /** Without a trailing slash. */
  readonly issuer: string;
  readonly assertion: string | undefined;
  /** Whether it is redeemed, which may use it up. */
  readonly send: boolean;
  readonly credentials: Credentials | undefined;
}

type AssertionWalk = Walk<Id, AssertionSubject>;

const ALGORITHMS: readonly unknown[] = ['ES256', 'ES384', 'EdDSA', 'Ed25519', 'PS256', 'RS256'];
const KNOWN_TYPES: readonly unknown[] = [undefined, 'jwt', ID_JAG_TYPE];
const COMPARED = ['issuer', 'token_endpoint', 'grant_types_supported', 'authorization_grant_profiles_supported'];
const MAX_LENGTH = 16_384;
const TOLERANCE = 30;

const metadata = async (walk: AssertionWalk): Promise<Document> => {
  const { origin, pathname } = new URL(walk.subject.issuer);
  const path = pathname.replace(/\/$/, '');
  const place = new URL(`${origin}/.well-known/oauth-authorization-server${path}`);
  const document = walk.document('assertions-found', place, await walk.ask(place));
  const { issuer: named, token_endpoint: endpoint } = document;
  const isNamed = [walk.subject.issuer, `${walk.subject.issuer}/`].includes(String(named)) && isSafeUrl(endpoint);
  walk.check('assertions-issuer', !isNamed && `it names ${shown(named)} with the token_endpoint ${shown(endpoint)}`);
  const grants = textsOf(document['grant_types_supported']);
  walk.check('assertions-grant', !grants.includes(JWT_BEARER) && memberOf(document, 'grant_types_supported'));
  const profiles = textsOf(document['authorization_grant_profiles_supported']);
  walk.check(
    'assertions-profile',
    !profiles.includes(ID_JAG_PROFILE) && memberOf(document, 'authorization_grant_profiles_supported'),
  );
  const { json: other = {} } = await walk.ask(new URL(`${walk.subject.issuer}/.well-known/openid-configuration`));
  const different = COMPARED.filter((name) => JSON.stringify(other[name]) !== JSON.stringify(document[name]));
  walk.check('assertions-documents', different.length > 0 && `they differ in ${different.join(', ')}`);
  return document;
};

const present = (walk: AssertionWalk, endpoint: URL, assertion: string): Promise<Answer> => {
  const { credentials } = walk.subject;
  const headers = credentials === undefined ? {} : basic(credentials.client_id, credentials.client_secret);
  return walk.ask(endpoint, { form: { grant_type: JWT_BEARER, assertion }, headers });
};

const checkRefusal = async (walk: AssertionWalk, endpoint: URL): Promise<void> => {
  const answer = await present(walk, endpoint, 'eyJhbGciOiJFUzI1NiJ9.e30.AAAA');
  // Whoever runs this often has to wait.
  const refusals = ['400 invalid_grant', '401 invalid_client', '429 temporarily_unavailable'];
  const isRefused = isJson(answer) && refusals.includes(`${answer.status} ${String(answer.json?.['error'])}`);
  const noStore = noStoreProblem(answer);
  walk.check('assertions-refused', isRefused ? noStore : `it is answered with ${describe(answer)}`);
};

interface Decoded {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: JWTPayload;
}

const decoded = (assertion: string): Decoded | string => {
  if (assertion.length > MAX_LENGTH) return `it has ${assertion.length} characters`;
  try {
    return { header: { ...decodeProtectedHeader(assertion) }, claims: decodeJwt(assertion) };
  } catch (problem) {
    if (problem instanceof errors.JOSEError || problem instanceof TypeError) return problem.message;
    throw problem;
  }
};

const typeOf = ({ header: { typ } }: Decoded): unknown =>
  typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : typ;

const timeProblems = ({ exp, iat, nbf }: JWTPayload, now: number): readonly string[] => [
  ...(typeof exp === 'number' ? [] : [`exp is ${shown(exp)}`]),
  ...(typeof exp === 'number' && exp + TOLERANCE <= now ? [`exp passed ${Math.round(now - exp)} seconds ago`] : []),
  ...Object.entries({ iat, nbf }).flatMap(([name, at]) =>
    at === undefined
      ? []
      : typeof at !== 'number'
        ? [`${name} is ${shown(at)}`]
        : at > now + TOLERANCE
          ? [`${name} is ahead by ${Math.round(at - now)} seconds`]
          : [],
  ),
];

const claimProblems = (claims: JWTPayload, isGrant: boolean, client_id: string | undefined): readonly string[] => {
  const { client_id: named, scope, cnf, authorization_details: details } = claims;
  const required = isGrant ? ['client_id', 'resource', 'iat', 'jti'] : [];
  return [
    ...required.filter((name) => claims[name] === undefined).map((name) => `${name} is missing`),
    ...(isGrant && client_id !== undefined && named !== client_id ? [`client_id is ${shown(named)}`] : []),
    ...(scope !== undefined && typeof scope !== 'string' ? [`scope is ${shown(scope)}`] : []),
    ...(cnf !== undefined && Object.keys(Object(cnf)).join() !== 'jkt' ? ['cnf has more than jkt'] : []),
    ...(details === undefined ? [] : ['authorization_details is not supported']),
  ];
};

/** Reads an assertion, and stops at the first rule that it breaks. Nothing is sent. */
const checkAssertion = (walk: AssertionWalk, { issuer, token_endpoint: endpoint }: Document): void => {
  const { assertion = '', issuer: server, credentials } = walk.subject;
  const found = decoded(assertion);
  if (typeof found === 'string') return walk.check('assertion-jwt', found);
  walk.check('assertion-jwt', false);
  const { header, claims } = found;
  const isKnown = ALGORITHMS.includes(header['alg']) && header['crit'] === undefined;
  walk.check('assertion-algorithm', !isKnown && `alg is ${shown(header['alg'])}, and crit is ${shown(header['crit'])}`);
  const type = typeOf(found);
  walk.check('assertion-type', !KNOWN_TYPES.includes(type) && `typ is ${shown(header['typ'])}`);
  const { iss, sub, aud, exp, iat, jti } = claims;
  const isOther = typeof iss === 'string' && iss !== '' && iss !== issuer;
  walk.check('assertion-issuer', !isOther && `iss is ${shown(iss)}`);
  const isGrant = type === ID_JAG_TYPE;
  const [only, ...others] = [aud ?? []].flat();
  const expected = [
    issuer,
    ...(new URL(server).pathname === '/' ? [`${server}/`, server] : []),
    ...(isGrant ? [] : [endpoint]),
  ];
  walk.check('assertion-audience', (others.length > 0 || !expected.includes(only)) && `aud is ${shown(aud)}`);
  const now = Date.now() / 1000;
  walk.check('assertion-times', timeProblems(claims, now));
  const lifetime = (exp ?? 0) - (iat ?? now);
  walk.check('assertion-lifetime', lifetime > (isGrant ? 600 : 3600) && `it lives ${Math.round(lifetime)} seconds`);
  const isSubject = typeof sub === 'string' && sub !== '' && sub.length <= 255;
  walk.check('assertion-subject', !isSubject && `sub is ${shown(sub)}`);
  const isId = typeof jti === 'string' && jti !== '' && jti.length <= 256;
  walk.check('assertion-id', !isId && `jti is ${shown(jti)}`);
  walk.check('assertion-claims', claimProblems(claims, isGrant, credentials?.client_id));
};

/** Checks how a server accepts assertions, and an assertion for it. */
export const examineAssertions = (subject: AssertionSubject): Promise<void> => {
  const walk = new Walk<Id, AssertionSubject>(subject, ASSERTION_RULES);
  return walk.take(async () => {
    const document = await metadata(walk);
    const endpoint = new URL(String(document['token_endpoint'])); // Checked above.
    await checkRefusal(walk, endpoint);
    const { assertion, send } = subject;
    if (assertion === undefined) return;
    checkAssertion(walk, document);
    if (!send) return;
    const answer = await present(walk, endpoint, assertion);
    const { access_token: token, error_description: why = '' } = answer.json ?? {};
    walk.check('assertion-accepted', typeof token !== 'string' && `${describe(answer)} ${shown(why)}`);
  });
};
