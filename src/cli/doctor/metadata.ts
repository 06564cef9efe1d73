import { isProtected } from '../../core/base/addresses/request-addresses.js';
import { parseUrl } from '../../core/base/addresses/url.js';
import { error, note, type Recorder, recorderOf, warning } from './finding.js';
import type { Answer } from './probe.js';
import {
  allowsForeign,
  describe,
  type Discovered,
  type EndpointName,
  FOREIGN_ORIGIN,
  isJson,
  letsForeignCookiesIn,
  lifetimeProblem,
  memberOf,
  type Subject,
  textsOf,
} from './subject.js';

export const METADATA_RULES = {
  reachable: error(
    'The server responds.',
    'Nothing else can be checked.',
    'Check the URL, that the server is running, and that the proxy forwards to it.',
  ),
  certificate: error(
    'Clients accept the certificate.',
    'Otherwise clients close the connection before sending anything.',
    'Install a certificate for this host, with its intermediates; for a certificate of your own authority, set NODE_EXTRA_CA_CERTS and run this again.',
  ),
  'metadata-found': error(
    'The metadata is at the location used by clients.',
    'Clients discover every endpoint through this document (RFC 8414 §3), and follow no redirects to it.',
    'Make sure that the path reaches the server: for an issuer with a path, /.well-known/oauth-authorization-server and then that path, at the root of the host (mount oauth.wellKnown there).',
  ),
  'metadata-issuer': error(
    'The metadata names the issuer it was requested from.',
    'Clients compare the two as strings and stop if they differ (RFC 8414 §3.3).',
    'Set the option issuer to the URL used by clients, with https if a proxy adds it, and check that URL.',
  ),
  'issuer-https': error(
    'The issuer is https, or on loopback.',
    'Over http, codes, tokens and secrets can be read in transit (RFC 8414 §2, RFC 6749 §1.6).',
    'Put TLS in front of the server, and set the option issuer to the https URL.',
  ),
  'metadata-complete': error(
    'The metadata has all required members.',
    'Clients reject a document without them (RFC 8414 §2).',
    'Serve the generated document instead of a copy maintained by hand.',
  ),
  'metadata-endpoints': error(
    'Every endpoint is an absolute URL, as secure as the issuer.',
    'An http endpoint exposes what the issuer protects; a relative URL cannot be called.',
    'Set the option issuer to the https URL used by clients; endpoints are derived from it.',
  ),
  'metadata-host': warning(
    'Every endpoint is on the host of the issuer.',
    'A different host is often the internal address of a server behind a proxy, which clients cannot reach.',
    'Unless this is intended, set the option issuer to the public URL.',
  ),
  'metadata-cache': note(
    'The metadata states how long it may be cached.',
    'Otherwise some clients fetch it every time, and others keep an outdated document for days.',
    'Send Cache-Control with a max-age of minutes, and make sure that no proxy removes it.',
  ),
  'metadata-cors': note(
    'Scripts of other origins may read the metadata.',
    'Otherwise a page on another origin cannot be a client of this server.',
    'Add the origins of such pages to the option cors; if there are none, ignore this.',
  ),
  'cors-credentials': error(
    'No foreign origin may send cookies.',
    'Otherwise any page could read responses meant for the signed-in user.',
    'Never send Access-Control-Allow-Credentials with an origin echoed from the request.',
  ),
  'host-header': error(
    'The issuer does not depend on the Host header.',
    'Otherwise an attacker can poison a cached document and send clients to a server of theirs.',
    'Set the option issuer, and trust X-Forwarded-Host only from your own proxy.',
  ),
  pkce: error(
    'PKCE with S256 is supported.',
    'Without it, a stolen authorization code is as good as a token (RFC 9700 §2.1.1).',
    'List S256 in code_challenge_methods_supported, and require it of clients.',
  ),
  'pkce-plain': note(
    'PKCE does not support plain.',
    'With plain, anyone who sees the authorization request can redeem the code (RFC 7636 §7.2).',
    'Remove plain from code_challenge_methods of every client that can compute SHA-256.',
  ),
  'legacy-grants': warning(
    'Neither the password nor the implicit grant is enabled.',
    'The first exposes passwords to clients, the second puts tokens into URLs (RFC 9700 §2.1.2, §2.4).',
    'Move their clients to authorization_code or device_code, and remove them from the option grants.',
  ),
  'iss-parameter': note(
    'Authorization responses contain the issuer.',
    'Otherwise a client of several servers can be tricked into sending the code of one server to another (RFC 9207).',
    'Add iss to authorization responses, and advertise it.',
  ),
};

type Id = keyof typeof METADATA_RULES;

const WELL_KNOWN = '/.well-known/oauth-authorization-server';

/** The location in RFC 8414 §3.1: between the host and the path of the issuer. */
const placesOf = (issuer: string): readonly [URL, ...URL[]] => {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const first = new URL(origin + WELL_KNOWN + path);
  return path === '' ? [first] : [first, new URL(issuer + WELL_KNOWN)];
};

const problemOf = (answer: Answer, url: URL): string | undefined =>
  answer.status === 200 && isJson(answer) ? undefined : `${url.href}: ${describe(answer)}`;

/** Finds the document. A failure that would be the same at every location ends the search. */
const find = async (subject: Subject, record: Recorder<Id>): Promise<Answer | undefined> => {
  const [first, second] = placesOf(subject.issuer);
  const headers = { origin: FOREIGN_ORIGIN };
  const answer = await subject.probe.ask(first, { headers });
  const { failure } = answer;
  if (failure !== undefined && failure.kind !== 'oversized') {
    const isCertificate = failure.kind === 'certificate';
    if (isCertificate) record('reachable');
    record(isCertificate ? 'certificate' : 'reachable', `${first.href}: ${failure.message}`);
    return undefined;
  }
  record('reachable');
  if (first.protocol === 'https:') record('certificate');
  const problem = problemOf(answer, first);
  if (problem === undefined) {
    record('metadata-found');
    return answer;
  }
  const other = second && (await subject.probe.ask(second, { headers }));
  const isThere = second !== undefined && other !== undefined && problemOf(other, second) === undefined;
  record('metadata-found', isThere ? `${problem}; it is only at ${second.href}` : problem);
  return isThere ? other : undefined;
};

const ENDPOINTS: readonly EndpointName[] = [
  'authorization_endpoint',
  'token_endpoint',
  'device_authorization_endpoint',
  'introspection_endpoint',
  'revocation_endpoint',
  'jwks_uri',
];

const checkEndpoints = (
  document: Discovered['document'],
  issuer: string,
  record: Recorder<Id>,
): Discovered['endpoints'] => {
  const endpoints: Partial<Record<EndpointName, URL>> = {};
  const wrong: string[] = [];
  const elsewhere: string[] = [];
  for (const name of ENDPOINTS) {
    const value = document[name];
    if (value === undefined) continue;
    const text = typeof value === 'string' ? value : '';
    const url = /^https?:\/\//.test(text) ? parseUrl(text) : undefined;
    if (url === undefined) {
      wrong.push(memberOf(document, name));
      continue;
    }
    endpoints[name] = url;
    if (!isProtected(url) || text.includes('#')) wrong.push(`${name} is ${text}`);
    if (url.host !== new URL(issuer).host) elsewhere.push(`${name} is on ${url.host}`);
  }
  record('metadata-endpoints', wrong);
  record('metadata-host', elsewhere);
  return endpoints;
};

const checkContent = (document: Discovered['document'], issuer: string, record: Recorder<Id>): void => {
  const named = document['issuer'];
  record('metadata-issuer', named !== issuer && `${issuer} was asked for, and it names ${JSON.stringify(named)}`);
  record('issuer-https', !isProtected(new URL(issuer)) && `${issuer} is http`);
  const types = textsOf(document['response_types_supported']);
  // Absent, it means these two (RFC 8414 §2).
  const grants =
    document['grant_types_supported'] === undefined
      ? ['authorization_code', 'implicit']
      : textsOf(document['grant_types_supported']);
  const hasCode = grants.includes('authorization_code');
  const needed = ['issuer', 'token_endpoint', ...(hasCode ? ['authorization_endpoint'] : [])];
  const missing = needed.filter((name) => document[name] === undefined);
  if (!Array.isArray(document['response_types_supported'])) missing.push('response_types_supported');
  record(
    'metadata-complete',
    missing.length > 0 && `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing`,
  );
  const legacy = [
    ...(grants.includes('password') ? ['password'] : []),
    ...(grants.includes('implicit') || types.includes('token') ? ['implicit'] : []),
  ];
  record('legacy-grants', legacy.length > 0 && `${legacy.join(' and ')} enabled`);
  if (!hasCode) return;
  const methods = textsOf(document['code_challenge_methods_supported']);
  record('pkce', !methods.includes('S256') && memberOf(document, 'code_challenge_methods_supported'));
  record('pkce-plain', methods.includes('plain') && 'plain is also listed');
  const iss = document['authorization_response_iss_parameter_supported'];
  record('iss-parameter', iss !== true && 'authorization_response_iss_parameter_supported is not true');
};

/** Detects a server that derives its URL from request headers. */
const checkHost = async (subject: Subject, record: Recorder<Id>): Promise<void> => {
  const [place] = placesOf(subject.issuer);
  const foreign = new URL(FOREIGN_ORIGIN).host;
  const followed: string[] = [];
  for (const name of ['host', 'x-forwarded-host']) {
    const { status, text } = await subject.probe.ask(place, { headers: { [name]: foreign } });
    if (status === 200 && text.includes(foreign))
      followed.push(`a request with ${name}: ${foreign} is answered with that host in the metadata`);
  }
  record('host-header', followed);
};

/** Checks the metadata, and thereby whether there is a server at all. */
export const checkMetadata = async (
  subject: Subject,
): Promise<{ readonly answer: Answer; readonly discovered: Discovered } | undefined> => {
  const record = recorderOf(METADATA_RULES, subject.findings);
  const answer = await find(subject, record);
  const document = answer?.json;
  if (answer === undefined || document === undefined) return undefined;
  checkContent(document, subject.issuer, record);
  const endpoints = checkEndpoints(document, subject.issuer, record);
  record('metadata-cache', lifetimeProblem(answer));
  const cors = allowsForeign(answer);
  record('metadata-cors', !cors && 'there is no Access-Control-Allow-Origin for a foreign origin');
  record('cors-credentials', letsForeignCookiesIn(answer) && `${FOREIGN_ORIGIN} may read the metadata with cookies`);
  await checkHost(subject, record);
  return { answer, discovered: { document, endpoints, cors } };
};
