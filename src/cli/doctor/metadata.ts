import { isLoopbackHost } from '../../core/option-checks.js';
import { type Judge, judgeOf } from './finding.js';
import { type Answer, ProbeFailure } from './probe.js';
import {
  allowsForeign,
  describe,
  type Discovered,
  type EndpointName,
  FOREIGN_ORIGIN,
  isJson,
  letsForeignCookiesIn,
  type Subject,
  tryAsk,
} from './subject.js';

export const METADATA_RULES = {
  reachable: {
    severity: 'error',
    holds: 'The server answers.',
    why: 'Nothing else can be said about a server that does not answer.',
    remedy: 'Check the address, that the server runs, and that a proxy in front of it finds it.',
  },
  certificate: {
    severity: 'error',
    holds: 'The certificate is one that clients accept.',
    why: 'Clients end the connection before they say anything.',
    remedy:
      'Give the server a certificate for this very host, with its intermediates; for one of your own authority set NODE_EXTRA_CA_CERTS and run this again.',
  },
  'metadata-found': {
    severity: 'error',
    holds: 'The metadata is where clients look for it.',
    why: 'Clients find every endpoint through this document (RFC 8414 §3); they follow no redirect to it.',
    remedy:
      'Let the path reach the server: for an issuer with a path, /.well-known/oauth-authorization-server and then that path, at the root of the host (mount oauth.wellKnown there).',
  },
  'metadata-issuer': {
    severity: 'error',
    holds: 'The metadata names the issuer under which it was found.',
    why: 'Clients compare the two character by character and stop when they differ (RFC 8414 §3.3).',
    remedy:
      'Set the option issuer to the address that clients use, with https where a proxy adds it, and ask for that.',
  },
  'issuer-https': {
    severity: 'error',
    holds: 'The issuer is https, or on this machine.',
    why: 'Over http anybody on the way reads codes, tokens and secrets (RFC 8414 §2, RFC 6749 §1.6).',
    remedy: 'Put TLS in front of the server, and https into the option issuer.',
  },
  'metadata-complete': {
    severity: 'error',
    holds: 'The metadata has every field that it must have.',
    why: 'Clients refuse a document without them (RFC 8414 §2).',
    remedy: 'Let the server write the document, and no copy of it that somebody keeps by hand.',
  },
  'metadata-endpoints': {
    severity: 'error',
    holds: 'Every endpoint is an absolute address, as safe as the issuer.',
    why: 'An endpoint on http gives away what the issuer protects; a relative one cannot be asked.',
    remedy: 'Set the option issuer to the https address that clients use; endpoints are made of it.',
  },
  'metadata-host': {
    severity: 'warning',
    holds: 'Every endpoint is on the host of the issuer.',
    why: 'An endpoint elsewhere is often the inner address of a server behind a proxy, which clients cannot reach.',
    remedy: 'If it is not on purpose, set the option issuer to the outer address.',
  },
  'metadata-cache': {
    severity: 'note',
    holds: 'The metadata says how long it may be kept.',
    why: 'Without it some clients ask every time, and others keep an old document for days.',
    remedy: 'Send Cache-Control with a max-age of minutes, and let no proxy remove it.',
  },
  'metadata-cors': {
    severity: 'note',
    holds: 'Scripts of other origins may read the metadata.',
    why: 'A page on another origin cannot be a client of this server.',
    remedy: 'Name the origins of such pages in the option cors.origins; without such pages leave it.',
  },
  'cors-credentials': {
    severity: 'error',
    holds: 'No foreign origin is let in with cookies.',
    why: 'Any page could read answers that are meant for who is signed in.',
    remedy: 'Never send Access-Control-Allow-Credentials with an origin that was only repeated.',
  },
  'host-header': {
    severity: 'error',
    holds: 'The issuer does not follow the Host of a request.',
    why: 'Who can choose it can send clients of a cached document to a server of their own.',
    remedy: 'Set the option issuer, and trust X-Forwarded-Host only from your own proxy.',
  },
  pkce: {
    severity: 'error',
    holds: 'PKCE with S256 is announced.',
    why: 'Without it a stolen authorization code is as good as the token (RFC 9700 §2.1.1).',
    remedy: 'Announce S256 in code_challenge_methods_supported, and ask clients for it.',
  },
  'pkce-plain': {
    severity: 'note',
    holds: 'Only S256 is announced for PKCE.',
    why: 'With plain, who sees the authorization request can redeem the code (RFC 7636 §7.2).',
    remedy: 'Take plain out of code_challenge_methods of every client that can compute SHA-256.',
  },
  'legacy-grants': {
    severity: 'warning',
    holds: 'Neither the password nor the implicit grant is announced.',
    why: 'The one shows passwords to clients, the other leaves tokens in addresses (RFC 9700 §2.1.2, §2.4).',
    remedy:
      'Move the clients that use them to authorization_code or device_code, and take them out of the option grants.',
  },
  'iss-parameter': {
    severity: 'note',
    holds: 'Authorization answers name their issuer.',
    why: 'A client of several servers can otherwise be made to send one server the code of another (RFC 9207).',
    remedy: 'Add iss to authorization answers, and announce it.',
  },
} as const;

type Id = keyof typeof METADATA_RULES;

const WELL_KNOWN = '/.well-known/oauth-authorization-server';

/** Where RFC 8414 §3.1 puts it first: between the host and the path of the issuer. */
const placesOf = (issuer: string): readonly [URL, ...URL[]] => {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const first = new URL(origin + WELL_KNOWN + path);
  return path === '' ? [first] : [first, new URL(issuer + WELL_KNOWN)];
};

const isSafe = (url: URL): boolean => url.protocol === 'https:' || isLoopbackHost(url.hostname);

const problemOf = (answer: Answer | ProbeFailure, url: URL): string | undefined =>
  !(answer instanceof ProbeFailure) && answer.status === 200 && isJson(answer)
    ? undefined
    : `${url.href}: ${describe(answer)}`;

/** Finds the document. A failure that will be the same everywhere ends the search. */
const find = async (subject: Subject, judge: Judge<Id>): Promise<Answer | undefined> => {
  const [first, second] = placesOf(subject.issuer);
  const headers = { origin: FOREIGN_ORIGIN };
  const answer = await tryAsk(subject, first, { headers });
  if (answer instanceof ProbeFailure && answer.kind !== 'oversized') {
    const isCertificate = answer.kind === 'certificate';
    if (isCertificate) judge('reachable');
    judge(isCertificate ? 'certificate' : 'reachable', `${first.href}: ${answer.message}`);
    return undefined;
  }
  judge('reachable');
  if (first.protocol === 'https:') judge('certificate');
  const problem = problemOf(answer, first);
  if (problem === undefined) {
    judge('metadata-found');
    return answer instanceof ProbeFailure ? undefined : answer;
  }
  const other = second && (await tryAsk(subject, second, { headers }));
  const isThere = second !== undefined && other !== undefined && problemOf(other, second) === undefined;
  judge('metadata-found', isThere ? `${problem}; it is only at ${second.href}` : problem);
  return isThere && !(other instanceof ProbeFailure) ? other : undefined;
};

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];

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
  judge: Judge<Id>,
): Discovered['endpoints'] => {
  const endpoints: Partial<Record<EndpointName, URL>> = {};
  const wrong: string[] = [];
  const elsewhere: string[] = [];
  for (const name of ENDPOINTS) {
    const value = document[name];
    if (value === undefined) continue;
    if (typeof value !== 'string' || !/^https?:\/\//.test(value) || !URL.canParse(value)) {
      wrong.push(`${name} is ${JSON.stringify(value)}`);
      continue;
    }
    const url = new URL(value);
    endpoints[name] = url;
    if (!isSafe(url) || value.includes('#')) wrong.push(`${name} is ${value}`);
    if (url.host !== new URL(issuer).host) elsewhere.push(`${name} is on ${url.host}`);
  }
  judge('metadata-endpoints', wrong);
  judge('metadata-host', elsewhere);
  return endpoints;
};

const checkContent = (document: Discovered['document'], issuer: string, judge: Judge<Id>): void => {
  const named = document['issuer'];
  judge('metadata-issuer', named !== issuer && `${issuer} was asked for, and it names ${JSON.stringify(named)}`);
  judge('issuer-https', !isSafe(new URL(issuer)) && `${issuer} is http`);
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
  judge(
    'metadata-complete',
    missing.length > 0 && `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing`,
  );
  const legacy = [
    ...(grants.includes('password') ? ['password'] : []),
    ...(grants.includes('implicit') || types.includes('token') ? ['implicit'] : []),
  ];
  judge('legacy-grants', legacy.length > 0 && `${legacy.join(' and ')} can be used`);
  if (!hasCode) return;
  const methods = textsOf(document['code_challenge_methods_supported']);
  judge(
    'pkce',
    !methods.includes('S256') &&
      `code_challenge_methods_supported is ${JSON.stringify(document['code_challenge_methods_supported']) ?? 'missing'}`,
  );
  judge('pkce-plain', methods.includes('plain') && 'plain is announced beside it');
  const iss = document['authorization_response_iss_parameter_supported'];
  judge('iss-parameter', iss !== true && 'authorization_response_iss_parameter_supported is not true');
};

/** A server that makes its address of what the request says can be made to name any. */
const checkHost = async (subject: Subject, judge: Judge<Id>): Promise<void> => {
  const [place] = placesOf(subject.issuer);
  const foreign = new URL(FOREIGN_ORIGIN).host;
  const followed: string[] = [];
  for (const name of ['host', 'x-forwarded-host']) {
    const answer = await tryAsk(subject, place, { headers: { [name]: foreign } });
    const isTaken = !(answer instanceof ProbeFailure) && answer.status === 200 && answer.text.includes(foreign);
    if (isTaken) followed.push(`a request with ${name}: ${foreign} is answered with that host in the metadata`);
  }
  judge('host-header', followed);
};

/** The metadata, and with it whether there is a server at all. */
export const checkMetadata = async (
  subject: Subject,
): Promise<{ readonly answer: Answer; readonly discovered: Discovered } | undefined> => {
  const judge = judgeOf(METADATA_RULES, subject.findings);
  const answer = await find(subject, judge);
  const document = answer?.json;
  if (answer === undefined || document === undefined) return undefined;
  checkContent(document, subject.issuer, judge);
  const endpoints = checkEndpoints(document, subject.issuer, judge);
  const { headers } = answer;
  judge(
    'metadata-cache',
    !/max-age=\d/i.test(headers['cache-control'] ?? '') && `Cache-Control is ${headers['cache-control'] ?? 'missing'}`,
  );
  const cors = allowsForeign(answer);
  judge('metadata-cors', !cors && 'there is no Access-Control-Allow-Origin for a foreign origin');
  judge('cors-credentials', letsForeignCookiesIn(answer) && `${FOREIGN_ORIGIN} may read the metadata with cookies`);
  await checkHost(subject, judge);
  return { answer, discovered: { document, endpoints, cors } };
};
