import { randomBytes } from 'node:crypto';
import { createLocalJWKSet, errors, type JSONWebKeySet, jwtVerify } from 'jose';
import { checkBoundToken } from './bound-token.js';
import { error, type Recorder, recorderOf, warning } from './finding.js';
import type { Answer } from './probe.js';
import {
  basic,
  describe,
  type Discovered,
  headerOf,
  memberOf,
  noStoreProblem,
  type Subject,
  textsOf,
} from './subject.js';

export const CREDENTIAL_RULES = {
  'secret-host': error(
    'The secret is only sent to the origin of the issuer.',
    'Otherwise, whoever can change the metadata receives the secrets of clients.',
    'Set the option issuer to the public URL; all endpoints are derived from it.',
  ),
  'client-accepted': error(
    'The client can get a token with its credentials.',
    'All further checks need a token from the client_credentials grant.',
    'Check client_id and secret, and that grant_types of this client contain client_credentials.',
  ),
  'issued-shape': error(
    'The token response is complete.',
    'Clients need access_token, token_type and a positive expires_in (RFC 6749 §5.1).',
    'Make sure that no proxy modifies the response.',
  ),
  'issued-no-store': error(
    'The token response must not be cached.',
    'A cached token would be sent to the next caller (RFC 6749 §5.1).',
    'Send Cache-Control: no-store, and make sure that no proxy overwrites it.',
  ),
  'issued-compressed': warning(
    'The token response is not compressed.',
    'The length of a compressed response reveals something about the secrets in it.',
    'Disable compression for the token endpoint, in the proxy or the application.',
  ),
  'issued-lifetime': warning(
    'The token expires within a day.',
    'A stolen token works until then (RFC 9700 §2.2).',
    'Lower lifetimes.accessToken; an hour is usual.',
  ),
  'wrong-secret': error(
    'The client is rejected with a different secret.',
    'Otherwise any caller can act as this client.',
    'Find the component in front of the server that adds its own authentication.',
  ),
  'two-methods': error(
    'A request with two authentication methods is rejected.',
    'Components that each read a different method could see two different clients (RFC 6749 §2.3).',
    'Answer invalid_request.',
  ),
  'exchange-unknown': error(
    'A token that the server did not issue is not exchanged.',
    'Otherwise any service can act for any user (RFC 8693 §2.2.2).',
    'Answer invalid_request, and find the component that answers instead of the server.',
  ),
  'issued-active': error(
    'Introspection returns the token as active, with its client.',
    'Otherwise resource servers reject valid tokens (RFC 7662 §2.2).',
    'Check that the token and the introspection endpoint use the same store on every instance.',
  ),
  'issued-signature': error(
    'The token is signed by a published key, for this issuer.',
    'Otherwise resource servers that verify tokens locally reject it (RFC 9068 §4).',
    'Configure the same keys on every instance, and publish each key before it signs.',
  ),
  'revoked-inactive': error(
    'A revoked token becomes inactive immediately.',
    'Clients and users rely on revocation (RFC 7009 §2.2).',
    'Check that all instances use the same store, and that nothing caches introspection.',
  ),
};

type Id = keyof typeof CREDENTIAL_RULES;

const DAY = 86_400;

const isGranted = ({ json }: Answer): boolean => json?.['access_token'] !== undefined;

const checkIssued = (issued: Answer, record: Recorder<Id>): void => {
  const { json = {}, headers } = issued;
  const { token_type: type, expires_in: seconds } = json;
  record('issued-shape', [
    ...(typeof type === 'string' ? [] : ['token_type is missing']),
    ...(typeof seconds === 'number' && seconds > 0 ? [] : [memberOf(json, 'expires_in')]),
  ]);
  record('issued-no-store', noStoreProblem(issued));
  record('issued-compressed', headers['content-encoding'] !== undefined && headerOf(issued, 'Content-Encoding'));
  if (typeof seconds === 'number') record('issued-lifetime', seconds > DAY && `expires_in is ${seconds}`);
};

/** Credentials that must be rejected. */
const checkRefusals = async (subject: Subject, token: URL, record: Recorder<Id>): Promise<void> => {
  if (subject.credentials === undefined) return;
  const { client_id, client_secret } = subject.credentials;
  const form = { grant_type: 'client_credentials' };
  const problem = (answer: Answer): string | false => isGranted(answer) && 'it gets a token';
  const { probe } = subject;
  record('wrong-secret', problem(await probe.ask(token, { form, headers: basic(client_id, `${client_secret}x`) })));
  const twice = { form: { ...form, client_id, client_secret }, headers: basic(client_id, client_secret) };
  record('two-methods', problem(await probe.ask(token, twice)));
};

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';

/** Where the metadata announces token exchange: a token that nobody has. */
const checkExchange = async (subject: Subject, token: URL, record: Recorder<Id>): Promise<void> => {
  if (subject.credentials === undefined) return;
  const { client_id, client_secret } = subject.credentials;
  const subject_token_type = 'urn:ietf:params:oauth:token-type:access_token';
  const form = { grant_type: EXCHANGE, subject_token: randomBytes(32).toString('base64url'), subject_token_type };
  const answer = await subject.probe.ask(token, { form, headers: basic(client_id, client_secret) });
  record('exchange-unknown', (isGranted(answer) || answer.status !== 400) && `it is answered with ${describe(answer)}`);
};

const checkSignature = async (subject: Subject, token: string, keys: URL, record: Recorder<Id>): Promise<void> => {
  const { json } = await subject.probe.ask(keys);
  const jwks = (json ?? {}) as unknown as JSONWebKeySet; // jose validates the keys.
  try {
    await jwtVerify(token, createLocalJWKSet(jwks), { issuer: subject.issuer, typ: 'at+jwt', clockTolerance: 10 });
    record('issued-signature');
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error;
    record('issued-signature', error.message);
  }
};

/** With a client's credentials: requests a token, inspects it, and revokes it. */
export const checkCredentials = async (subject: Subject, { document, endpoints }: Discovered): Promise<void> => {
  const { credentials, findings, probe } = subject;
  const {
    token_endpoint: tokenUrl,
    introspection_endpoint: introspection,
    revocation_endpoint: revocation,
  } = endpoints;
  if (credentials === undefined || tokenUrl === undefined) return;
  const record = recorderOf(CREDENTIAL_RULES, findings);
  const { origin } = new URL(subject.issuer);
  const elsewhere = Object.entries({ token: tokenUrl, introspection, revocation }).flatMap(([name, url]) =>
    url === undefined || url.origin === origin ? [] : [`the ${name} endpoint is at ${url.origin}`],
  );
  record('secret-host', elsewhere.length > 0 && `${elsewhere.join(', ')}, so the secret was not sent`);
  if (elsewhere.length > 0) return;
  const headers = basic(credentials.client_id, credentials.client_secret);
  const issued = await probe.ask(tokenUrl, {
    form: { grant_type: 'client_credentials' },
    headers: { ...headers, 'accept-encoding': 'gzip' },
  });
  const token = issued.json?.['access_token'];
  record('client-accepted', typeof token !== 'string' && `it is answered with ${describe(issued)}`);
  if (typeof token !== 'string') return;
  checkIssued(issued, record);
  await checkRefusals(subject, tokenUrl, record);
  if (textsOf(document['grant_types_supported']).includes(EXCHANGE)) await checkExchange(subject, tokenUrl, record);
  await checkBoundToken(subject, tokenUrl, document['dpop_signing_alg_values_supported']);
  if (endpoints.jwks_uri !== undefined && /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/.test(token))
    await checkSignature(subject, token, endpoints.jwks_uri, record);
  if (introspection === undefined) return;
  const look = (): Promise<Answer> => probe.ask(introspection, { form: { token }, headers });
  const known = await look();
  const isKnown = known.json?.['active'] === true && known.json['client_id'] === credentials.client_id;
  record('issued-active', !isKnown && `it is answered with ${describe(known)}, and not as active for this client`);
  if (revocation === undefined || !isKnown) return;
  const ended = await probe.ask(revocation, { form: { token }, headers });
  const after = await look();
  const isDead = after.json?.['active'] === false;
  record(
    'revoked-inactive',
    !isDead && `after a revocation (${describe(ended)}) introspection is answered with ${describe(after)}`,
  );
};
