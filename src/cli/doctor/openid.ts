import { randomBytes } from 'node:crypto';
import { parseUrl } from '../../core/base/addresses/url.js';
import { count } from '../terminal.js';
import { error, note, warning } from './finding.js';
import { checkKeys } from './keys.js';
import { leadsAway } from './pages.js';
import { allowsForeign, describe, FOREIGN_ORIGIN, memberOf, shown, textsOf, withQuery } from './subject.js';
import { type Document, isSafeUrl, pageProblem, Walk, type WalkSubject } from './walk.js';

/** The requirements of an application that signs users in, in the order of its requests. */
export const OPENID_RULES = {
  'openid-found': error(
    'The discovery document is at the location used by applications.',
    'An application is only given the issuer, and finds everything else in this document (Discovery 1.0 §4).',
    'Add openIdConnect() to options.features, and make sure that the issuer followed by /.well-known/openid-configuration reaches the server.',
  ),
  'openid-issuer': error(
    'The document names the issuer it was requested from.',
    'Applications compare the two as strings, and later the iss of every ID token, even in a slash (Discovery 1.0 §4.3).',
    'Give applications exactly the option issuer, and set it to the public https URL.',
  ),
  'openid-members': error(
    'The document has all required members.',
    'Applications reject a document without them (Discovery 1.0 §3).',
    'Serve the generated document instead of a copy maintained by hand.',
  ),
  'openid-endpoints': error(
    'Applications accept the URLs of the endpoints.',
    'Applications only send codes and tokens to https, or to loopback.',
    'Set the option issuer to the public https URL; endpoints are derived from it.',
  ),
  'openid-below-issuer': note(
    'Every URL begins with the issuer.',
    'Some libraries for browsers reject a document with other URLs.',
    'Set the option issuer to the public URL, or switch off the strict check in such an application.',
  ),
  'openid-algorithm': error(
    'ID tokens can be signed with RS256, and never with none.',
    'Every application supports RS256, and it is the default (Discovery 1.0 §3). An unsigned ID token can be written by anyone.',
    'Add an RSA key to openIdConnect: options.keys; npx oauth-query key makes one.',
  ),
  'openid-scripts': note(
    'Scripts of other origins may read the document.',
    'Otherwise an application that runs in a browser cannot start.',
    'Make sure that no proxy removes Access-Control-Allow-Origin.',
  ),
  'openid-key': error(
    'A key for RS256 is published.',
    'Applications verify ID tokens with it (OpenID Connect Core 1.0 §10.1.1).',
    'Serve the generated key set, and make sure that all processes have the same keys.',
  ),
  'openid-authorize': error(
    'Browsers can reach the authorization endpoint.',
    'Users are sent there to sign in.',
    'Make sure that the path reaches the server, and that nothing in front of it requires other credentials.',
  ),
  'openid-silent': error(
    'With prompt=none, a browser returns to the application without seeing a page.',
    'Applications find out with it whether a user is signed in, often in a frame, where a page is never seen (OpenID Connect Core 1.0 §3.1.2.6).',
    'Check that client_id and redirect_uri are registered and that the client may request openid; then let no middleware in front of the endpoint redirect to a sign-in page.',
  ),
  'openid-token': error(
    'The token endpoint returns errors as JSON.',
    'Applications read there why a sign-in has failed.',
    'Make sure that POST requests with a form reach it, and that responses are not modified.',
  ),
  'openid-userinfo-listed': warning(
    'There is a userinfo endpoint.',
    'Some libraries reject a document without it.',
    'Serve the generated document.',
  ),
  'openid-userinfo': error(
    'The userinfo endpoint asks for a token.',
    'Applications request the name and the e-mail address there (OpenID Connect Core 1.0 §5.3).',
    'Make sure that the path reaches the server, and that it is not behind a sign-in page: without a token, the response is a 401 with WWW-Authenticate.',
  ),
  'openid-logout-listed': note(
    'Applications can sign users out.',
    'Otherwise a user who signs out of an application is signed in again at the next click (RP-Initiated Logout 1.0).',
    'With a sign-in of your own, name the page that signs users out in openIdConnect: options.logoutUrl.',
  ),
  'openid-logout': error(
    'Browsers can reach the page that signs users out.',
    'Applications send users there when they sign out.',
    'Make sure that the path reaches the server.',
  ),
  'openid-logout-redirect': error(
    'Signing out never leads to an address that is not registered.',
    'Otherwise a link to this site can lead to any other (RP-Initiated Logout 1.0 §3).',
    'Only redirect to addresses that are registered in post_logout_redirect_uris.',
  ),
};

type Id = keyof typeof OPENID_RULES;

/** The server under test, as an application is given it. */
export interface OpenIdSubject extends WalkSubject {
  /** Without a trailing slash. */
  readonly issuer: string;
  /** A registered client, for the request without a page. */
  readonly client: { readonly client_id: string; readonly redirect_uri: string } | undefined;
}

const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'];
const OPTIONAL_ENDPOINTS = ['userinfo_endpoint', 'end_session_endpoint'];

/** Required lists, with a value that the code flow needs. */
const LISTS = { response_types_supported: 'code', subject_types_supported: undefined } as const;

/** The answers to a request that may show nothing (OpenID Connect Core 1.0 §3.1.2.6). */
const SILENT_ERROR = /^(login|consent|interaction|account_selection)_required$/;

type OpenIdWalk = Walk<Id, OpenIdSubject>;

const discovery = async (walk: OpenIdWalk): Promise<Document> => {
  const { issuer } = walk.subject;
  const place = new URL(`${issuer}/.well-known/openid-configuration`);
  const answer = await walk.ask(place, { headers: { origin: FOREIGN_ORIGIN } });
  const document = walk.document('openid-found', place, answer);
  const named = document['issuer'];
  walk.check('openid-issuer', named !== issuer && `${issuer} was asked for, and it names ${shown(named)}`);
  const algorithms = textsOf(document['id_token_signing_alg_values_supported']);
  walk.check('openid-members', [
    ...ENDPOINTS.filter((name) => document[name] === undefined).map((name) => `${name} is missing`),
    ...Object.entries(LISTS)
      .filter(([name, value]) => {
        const list = textsOf(document[name]);
        return list.length === 0 || (value !== undefined && !list.includes(value));
      })
      .map(([name]) => memberOf(document, name)),
  ]);
  const urls = [...ENDPOINTS, ...OPTIONAL_ENDPOINTS].filter((name) => document[name] !== undefined);
  const told = (isWrong: (url: unknown) => boolean): readonly string[] =>
    urls.filter((name) => isWrong(document[name])).map((name) => memberOf(document, name));
  const unsafe = told((url) => !isSafeUrl(url));
  walk.check('openid-endpoints', unsafe);
  const elsewhere = told((url) => !String(url).startsWith(`${issuer}/`));
  walk.check('openid-below-issuer', elsewhere);
  const isUsual = algorithms.includes('RS256') && !algorithms.includes('none');
  walk.check('openid-algorithm', !isUsual && memberOf(document, 'id_token_signing_alg_values_supported'));
  walk.check('openid-scripts', !allowsForeign(answer) && 'there is no Access-Control-Allow-Origin');
  return document;
};

const checkKeySet = async (walk: OpenIdWalk, place: URL | undefined): Promise<void> => {
  if (place === undefined) return;
  const keys = await checkKeys(walk.subject, place);
  if (walk.subject.findings.some(({ level }) => level === 'error')) walk.stop();
  const isThere = keys.some(({ kty, alg }) => kty === 'RSA' && (alg === undefined || alg === 'RS256'));
  walk.check('openid-key', !isThere && `${place.href} has ${count(keys.length, 'key')}, and none for RS256`);
};

/** Nobody is signed in in this request, so the browser must come back with an error. */
const checkSilent = async (walk: OpenIdWalk, place: URL | undefined, document: Document): Promise<void> => {
  if (place === undefined) return;
  const { client, unknownClient, issuer } = walk.subject;
  const [state, nonce] = [randomBytes(16).toString('hex'), randomBytes(16).toString('hex')];
  const url = withQuery(place, {
    response_type: 'code',
    scope: 'openid',
    prompt: 'none',
    client_id: client?.client_id ?? unknownClient,
    redirect_uri: client?.redirect_uri ?? `${FOREIGN_ORIGIN}/callback`,
    state,
    nonce,
    code_challenge: randomBytes(32).toString('base64url'),
    code_challenge_method: 'S256',
  });
  const answer = await walk.ask(url);
  walk.check('openid-authorize', pageProblem(url, answer));
  if (client === undefined) return;
  const { location = '' } = answer.headers;
  const response = parseUrl(location)?.searchParams;
  const iss = response?.get('iss') ?? null;
  const problem = !location.startsWith(client.redirect_uri)
    ? `it is answered with ${describe(answer)}`
    : !SILENT_ERROR.test(response?.get('error') ?? '')
      ? `the error is ${shown(response?.get('error') ?? undefined)}`
      : response?.get('state') !== state
        ? 'the state does not come back'
        : iss !== issuer && (iss !== null || document['authorization_response_iss_parameter_supported'] === true)
          ? `iss is ${shown(iss ?? undefined)}`
          : false;
  walk.check('openid-silent', problem);
};

const checkUserinfo = async (walk: OpenIdWalk, place: URL | undefined): Promise<void> => {
  walk.check('openid-userinfo-listed', place === undefined && 'userinfo_endpoint is missing');
  if (place === undefined) return;
  const answer = await walk.ask(place);
  const isChallenge = answer.status === 401 && /^(Bearer|DPoP)\b/i.test(answer.headers['www-authenticate'] ?? '');
  walk.check('openid-userinfo', !isChallenge && `${place.href} is answered with ${describe(answer)}`);
};

const checkLogout = async (walk: OpenIdWalk, place: URL | undefined): Promise<void> => {
  walk.check('openid-logout-listed', place === undefined && 'end_session_endpoint is missing');
  if (place === undefined) return;
  const { client, unknownClient } = walk.subject;
  const parameters = { post_logout_redirect_uri: `${FOREIGN_ORIGIN}/signed-out` };
  const url = withQuery(place, { client_id: client?.client_id ?? unknownClient, ...parameters });
  const answer = await walk.ask(url);
  walk.check('openid-logout', pageProblem(url, answer));
  walk.check('openid-logout-redirect', leadsAway(answer, url) && `it is answered with ${describe(answer)}`);
};

/** Takes the steps of an application that signs users in, up to the first problem that would stop it. */
export const examineOpenId = (subject: OpenIdSubject): Promise<void> => {
  const walk = new Walk<Id, OpenIdSubject>(subject, OPENID_RULES);
  return walk.take(async () => {
    const document = await discovery(walk);
    const at = (name: string): URL | undefined => {
      const text = document[name]; // Checked above.
      return typeof text === 'string' ? new URL(text) : undefined;
    };
    await checkKeySet(walk, at('jwks_uri'));
    await checkSilent(walk, at('authorization_endpoint'), document);
    const token = at('token_endpoint');
    if (token !== undefined) await walk.checkToken('openid-token', token);
    await checkUserinfo(walk, at('userinfo_endpoint'));
    await checkLogout(walk, at('end_session_endpoint'));
  });
};
