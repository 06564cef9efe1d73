import { randomBytes } from 'node:crypto';
import { parseUrl } from '../../core/base/addresses/url.js';
import { error, type Finding, recorderOf, type Rules } from './finding.js';
import { checkKeys } from './keys.js';
import type { Answer, Probe } from './probe.js';
import { allowsForeign, describe, FOREIGN_ORIGIN, isJson, memberOf, shown, textsOf, withQuery } from './subject.js';
import { oldProtocol, weakSuite } from './tls.js';
import { hstsProblem } from './transport.js';
import { type Document, isDocument, isSafeUrl } from './walk.js';

/** What the FAPI 2.0 Security Profile requires of an authorization server, as far as it shows from the outside. The numbers are its clauses. */
export const FAPI2_RULES = {
  'fapi2-metadata': error(
    'The metadata is at its location, and names the issuer.',
    'Clients get the endpoints from it alone (5.3.2.1-1).',
    'Set the option issuer to the public URL, and make sure that /.well-known/oauth-authorization-server reaches the server.',
  ),
  'fapi2-https': error(
    'Every endpoint has an https URL.',
    'Requests, codes and tokens must be encrypted (5.2.1-1). Only loopback, for development, is exempt.',
    'Set the option issuer to the public https URL.',
  ),
  'fapi2-tls-version': error(
    'The server refuses TLS 1.0 and 1.1.',
    'They are broken (5.2.1-1).',
    'Allow TLS 1.2 and 1.3 only, in the proxy.',
  ),
  'fapi2-tls-suites': error(
    'With TLS 1.2, the server refuses cipher suites without forward secrecy or authenticated encryption.',
    'BCP 195 recommends only ECDHE with AES-GCM (5.2.1-2).',
    'Remove the suite in the proxy.',
  ),
  'fapi2-hsts': error(
    'Browsers are required to use https.',
    'Otherwise the first http request of a browser can be intercepted (5.2.3).',
    'Send Strict-Transport-Security with a max-age of at least half a year, from the proxy or the application.',
  ),
  'fapi2-grants': error(
    'Neither password nor implicit is a grant, and code is the only response type.',
    'Both hand over what others can use (5.3.2.1-2, 5.3.2.2-1).',
    'Remove them from the option grants.',
  ),
  'fapi2-authentication': error(
    'Clients authenticate by signature or mutual TLS, never with a secret, and there are no public ones.',
    'A secret can be stolen from the server or in transit (5.3.2.1-3, 5.3.2.1-6).',
    'Add fapi2() to options.features, and register jwks or jwks_uri for each client.',
  ),
  'fapi2-bound-tokens': error(
    'Access tokens can be bound to keys of clients.',
    'A stolen token must be useless (5.3.2.1-4, 5.3.2.1-5).',
    'Add fapi2() to options.features.',
  ),
  'fapi2-algorithms': error(
    'Only PS256, ES256 and EdDSA sign.',
    'RS256 and symmetric algorithms are excluded (5.4.1-1).',
    'Add fapi2() to options.features; write alg: PS256 to RSA keys.',
  ),
  'fapi2-pushed': error(
    'Authorization requests must be pushed.',
    'Otherwise a browser can read and change them (5.3.2.2-2, 5.3.2.2-3).',
    'Add fapi2() to options.features.',
  ),
  'fapi2-pushed-authentication': error(
    'A request cannot be pushed without authentication.',
    'Otherwise anybody can begin an authorization in the name of a client (5.3.2.2-4).',
    'Make sure that the request reaches the server unchanged, and that every client has keys.',
  ),
  'fapi2-pkce': error(
    'S256 is the only method of PKCE.',
    'With plain, whoever reads the request can redeem the code (5.3.2.2-5).',
    'Remove plain from code_challenge_methods of each client.',
  ),
  'fapi2-iss': error(
    'Authorization responses name the issuer.',
    'Otherwise a client can be led to send a code to another server (5.3.2.2-7).',
    'Serve the generated metadata.',
  ),
  'fapi2-redirect': error(
    'The authorization endpoint never redirects with 307 or 308.',
    'The browser would post the form with the password again, to the client (5.3.2.2-10).',
    'Find the component in front of the server that redirects.',
  ),
  'fapi2-no-cors': error(
    'Scripts of other origins cannot read the authorization endpoint.',
    'Browsers are sent there; no script has to call it (5.2.1-5).',
    'Make sure that no proxy adds Access-Control-Allow-Origin.',
  ),
  'fapi2-unpushed': error(
    'A request that was not pushed is refused, also of a registered client.',
    'The metadata promises it (5.3.2.2-3).',
    'Add fapi2() to options.features.',
  ),
  'fapi2-client': error(
    'A registered client gets no token without authentication.',
    'It would be a public client (5.3.2.1-3).',
    'Register jwks or jwks_uri for the client.',
  ),
} satisfies Rules<string>;

type Id = keyof typeof FAPI2_RULES;

/** The server under test. */
interface Fapi2Subject {
  readonly probe: Probe;
  /** Without a trailing slash. */
  readonly issuer: string;
  readonly findings: Finding[];
  /** The client_id of a client that is not registered. */
  readonly unknownClient: string;
  /** A registered client, for a request that was not pushed. */
  readonly client: { readonly client_id: string; readonly redirect_uri: string } | undefined;
}

const METHODS = ['private_key_jwt', 'tls_client_auth', 'self_signed_tls_client_auth'];
const ALGORITHMS = ['PS256', 'ES256', 'EdDSA', 'Ed25519'];

/** Members that end so list algorithms of signatures. */
const ALGORITHM_LIST = /_signing_alg(?:_values)?_supported$/;

/** The values of a member that are not allowed. */
const strangers = (document: Document, name: string, allowed: readonly string[]): readonly string[] => {
  const others = textsOf(document[name]).filter((one) => !allowed.includes(one));
  return others.length === 0 ? [] : [`${name} has ${others.join(', ')}`];
};

const checkDocument = (document: Document, record: (id: Id, problems: readonly string[]) => void): void => {
  const problem = (isWrong: boolean, name: string): readonly string[] => (isWrong ? [memberOf(document, name)] : []);
  const endpoints = Object.keys(document).filter((name) => /_endpoint$|^jwks_uri$/.test(name));
  record(
    'fapi2-https',
    endpoints.flatMap((name) => problem(!isSafeUrl(document[name]), name)),
  );
  // RFC 8414 §2: what a document without the member means.
  const grants = textsOf(document['grant_types_supported'] ?? ['authorization_code', 'implicit']);
  const excluded = grants.filter((name) => name === 'password' || name === 'implicit');
  record('fapi2-grants', [
    ...(excluded.length > 0 ? [`${excluded.join(' and ')} enabled`] : []),
    ...strangers(document, 'response_types_supported', ['code']),
  ]);
  const methods = Object.keys(document).filter((name) => name.endsWith('_endpoint_auth_methods_supported'));
  record('fapi2-authentication', [
    ...problem(
      document['token_endpoint_auth_methods_supported'] === undefined,
      'token_endpoint_auth_methods_supported',
    ),
    ...methods.flatMap((name) => strangers(document, name, METHODS)),
  ]);
  const isBound =
    textsOf(document['dpop_signing_alg_values_supported']).length > 0 ||
    document['tls_client_certificate_bound_access_tokens'] === true;
  record('fapi2-bound-tokens', isBound ? [] : ['neither DPoP nor mutual TLS is offered']);
  const lists = Object.keys(document).filter((name) => ALGORITHM_LIST.test(name));
  record(
    'fapi2-algorithms',
    lists.flatMap((name) => strangers(document, name, ALGORITHMS)),
  );
  record('fapi2-pushed', [
    ...problem(
      document['pushed_authorization_request_endpoint'] === undefined,
      'pushed_authorization_request_endpoint',
    ),
    ...problem(document['require_pushed_authorization_requests'] !== true, 'require_pushed_authorization_requests'),
  ]);
  const pkce = textsOf(document['code_challenge_methods_supported']);
  record('fapi2-pkce', problem(pkce.join(' ') !== 'S256', 'code_challenge_methods_supported'));
  const iss = 'authorization_response_iss_parameter_supported';
  record('fapi2-iss', problem(document[iss] !== true, iss));
};

const checkTransport = async (
  { issuer }: Fapi2Subject,
  answer: Answer,
  record: (id: Id, problem: string | false) => void,
): Promise<void> => {
  const url = new URL(issuer);
  if (url.protocol !== 'https:') return;
  record('fapi2-hsts', hstsProblem(answer) ?? false);
  record('fapi2-tls-version', (await oldProtocol(url)) ?? false);
  record('fapi2-tls-suites', (await weakSuite(url)) ?? false);
};

/** Whether a program is told that its client is not authenticated. */
const isRefused = (answer: Answer): boolean =>
  [400, 401].includes(answer.status) &&
  isJson(answer) &&
  ['invalid_client', 'invalid_request', 'unauthorized_client'].includes(String(answer.json?.['error']));

const checkRequests = async (
  { probe, unknownClient, client }: Fapi2Subject,
  at: (name: string) => URL | undefined,
  record: (id: Id, problem: string | false) => void,
): Promise<void> => {
  const request = {
    response_type: 'code',
    client_id: client?.client_id ?? unknownClient,
    redirect_uri: client?.redirect_uri ?? `${FOREIGN_ORIGIN}/callback`,
    state: randomBytes(16).toString('hex'),
    code_challenge: randomBytes(32).toString('base64url'),
    code_challenge_method: 'S256',
  };
  const par = at('pushed_authorization_request_endpoint');
  if (par !== undefined) {
    const pushed = await probe.ask(par, { form: request });
    record('fapi2-pushed-authentication', !isRefused(pushed) && `${par.href}: ${describe(pushed)}`);
  }
  const authorize = at('authorization_endpoint');
  if (authorize !== undefined) {
    const answer = await probe.ask(withQuery(authorize, request), { headers: { origin: FOREIGN_ORIGIN } });
    record('fapi2-redirect', [307, 308].includes(answer.status) && describe(answer));
    record('fapi2-no-cors', allowsForeign(answer) && 'there is an Access-Control-Allow-Origin');
    const returned = parseUrl(answer.headers.location ?? '')?.searchParams.get('error') ?? null;
    if (client !== undefined)
      record(
        'fapi2-unpushed',
        !(answer.status === 400 || returned !== null) && `it is answered with ${describe(answer)}`,
      );
  }
  const token = at('token_endpoint');
  if (token === undefined || client === undefined) return;
  const form = { grant_type: 'authorization_code', client_id: client.client_id, code: 'none', code_verifier: 'none' };
  const answer = await probe.ask(token, { form: { ...form, redirect_uri: client.redirect_uri } });
  const code = answer.json?.['error'];
  record('fapi2-client', code !== 'invalid_client' && `the error is ${shown(code)}, not invalid_client`);
};

/** Names each departure from the profile that can be seen from the outside. */
export const examineFapi2 = async (subject: Fapi2Subject): Promise<void> => {
  const { probe, issuer, findings } = subject;
  const record = recorderOf<Id>(FAPI2_RULES, findings);
  const { origin, pathname } = new URL(issuer);
  const place = new URL(`${origin}/.well-known/oauth-authorization-server${pathname.replace(/\/$/, '')}`);
  const answer = await probe.ask(place);
  const document: Document = answer.json ?? {};
  const isIssuer = document['issuer'] === issuer;
  record(
    'fapi2-metadata',
    !isDocument(answer)
      ? `${place.href}: ${describe(answer)}`
      : !isIssuer && `${issuer} was asked for, and it names ${shown(document['issuer'])}`,
  );
  if (!isDocument(answer)) return;
  checkDocument(document, record);
  await checkTransport(subject, answer, record);
  const at = (name: string): URL | undefined =>
    isSafeUrl(document[name]) ? new URL(String(document[name])) : undefined;
  const keys = at('jwks_uri');
  if (keys !== undefined) await checkKeys(subject, keys);
  await checkRequests(subject, at, record);
};
