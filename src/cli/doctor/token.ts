import { error, type Recorder, recorderOf, warning } from './finding.js';
import type { Answer } from './probe.js';
import {
  allowsForeign,
  basic,
  describe,
  FOREIGN_ORIGIN,
  headerOf,
  isJson,
  letsForeignCookiesIn,
  noStoreProblem,
  type Subject,
} from './subject.js';

export const TOKEN_RULES = {
  'token-reachable': error(
    'The token endpoint responds at its URL in the metadata.',
    'Clients call endpoints where the metadata says; the further checks are skipped.',
    'Set the option issuer to the URL used by clients, or run this from where that host can be reached.',
  ),
  'token-get': error(
    'The token endpoint rejects GET.',
    'With GET, secrets and codes would appear in URLs and logs (RFC 6749 §3.2).',
    'Only accept POST; a proxy must not change the method.',
  ),
  'token-errors': error(
    'The token endpoint returns errors as JSON.',
    'Clients read the field error; they cannot interpret an error page of a proxy or framework (RFC 6749 §5.2).',
    'Make sure that POST requests reach the token endpoint, and that responses are not modified.',
  ),
  'token-unknown-client': error(
    'An unknown client is rejected with 401 and invalid_client.',
    'This tells clients that their credentials are wrong, not their request (RFC 6749 §5.2).',
    'Respond with 401 and the error invalid_client to unknown Basic credentials.',
  ),
  'token-challenge': error(
    'A client rejected by its Authorization header gets a challenge.',
    'A 401 for Basic credentials must carry WWW-Authenticate: Basic (RFC 6749 §5.2, RFC 9110 §15.5.2).',
    'Make sure that the proxy forwards the Authorization header, and returns WWW-Authenticate.',
  ),
  'token-body-client': error(
    'An unknown client in the body is rejected with invalid_client.',
    'This tells clients that their credentials are wrong, not their request (RFC 6749 §5.2).',
    'Respond with 400 or 401 and the error invalid_client to unknown credentials.',
  ),
  'token-no-store': warning(
    'Responses of the token endpoint must not be cached.',
    'A cached response would be sent to the next caller (RFC 6749 §5.1).',
    'Send Cache-Control: no-store, and make sure that no proxy overwrites it.',
  ),
  'token-compressed': warning(
    'Responses of the token endpoint are not compressed.',
    'The length of a compressed response reveals something about the secrets in it.',
    'Disable compression for the token endpoint, in the proxy or the application.',
  ),
  'token-cookie': warning(
    'The token endpoint sets no cookie.',
    'Only programs call it; a cookie means that the application creates a session for each call.',
    'Mount the session middleware after this server, or exclude this path from it.',
  ),
  'token-cors': warning(
    'Metadata and token endpoint have the same CORS policy.',
    'Otherwise a page can discover the server but not get a token, or vice versa.',
    'Add the origins of such pages to the option cors, which applies to both; if there are none, ignore this. A proxy must pass OPTIONS requests and Access-Control-Allow-Origin.',
  ),
  'token-cors-credentials': error(
    'The token endpoint accepts no cookies from foreign origins.',
    'Otherwise any page could request tokens on behalf of the signed-in user.',
    'Never send Access-Control-Allow-Credentials with an origin echoed from the request.',
  ),
};

type Id = keyof typeof TOKEN_RULES;

const isRefusal = (answer: Answer, statuses: readonly number[]): boolean =>
  statuses.includes(answer.status) && isJson(answer) && answer.json?.['error'] === 'invalid_client';

const checkCors = async (subject: Subject, url: URL, isMetadataOpen: boolean, record: Recorder<Id>): Promise<void> => {
  const preflight = await subject.probe.ask(url, {
    method: 'OPTIONS',
    headers: {
      origin: FOREIGN_ORIGIN,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    },
  });
  const isOpen = preflight.status < 300 && allowsForeign(preflight);
  record(
    'token-cors',
    isOpen !== isMetadataOpen &&
      `a foreign origin may ${isMetadataOpen ? 'read the metadata but not request tokens' : 'request tokens but not read the metadata'} (${describe(preflight)})`,
  );
  record(
    'token-cors-credentials',
    letsForeignCookiesIn(preflight) && `${FOREIGN_ORIGIN} may request tokens with cookies`,
  );
};

/**
 * Checks the token endpoint without credentials, and with wrong ones.
 *
 * @returns whether its host can be reached.
 */
export const checkToken = async (subject: Subject, url: URL, isMetadataOpen: boolean): Promise<boolean> => {
  const record = recorderOf(TOKEN_RULES, subject.findings);
  const { unknownClient, probe } = subject;
  const got = await probe.ask(url);
  const isUnreachable = got.failure?.kind === 'unreachable';
  record('token-reachable', isUnreachable && `${url.href}: ${describe(got)}`);
  if (isUnreachable) return false;
  record('token-get', (got.status < 400 || got.status >= 500) && `GET is answered with ${describe(got)}`);
  const grant = { grant_type: 'client_credentials' };
  const empty = await probe.ask(url, { form: {}, headers: { 'accept-encoding': 'gzip' } });
  const inHeader = await probe.ask(url, { form: grant, headers: basic(unknownClient, 'an unknown secret') });
  const inBody = await probe.ask(url, {
    form: { ...grant, client_id: unknownClient, client_secret: 'an unknown secret' },
  });
  const isError = [400, 401].includes(empty.status) && isJson(empty) && typeof empty.json?.['error'] === 'string';
  record('token-errors', !isError && `an empty POST is answered with ${describe(empty)}`);
  record(
    'token-unknown-client',
    !isRefusal(inHeader, [401]) && `unknown Basic credentials are answered with ${describe(inHeader)}`,
  );
  if (inHeader.status === 401) {
    const isBasic = /\bbasic\b/i.test(inHeader.headers['www-authenticate'] ?? '');
    record('token-challenge', !isBasic && headerOf(inHeader, 'WWW-Authenticate'));
  }
  record(
    'token-body-client',
    !isRefusal(inBody, [400, 401]) && `an unknown client in the body is answered with ${describe(inBody)}`,
  );
  const answers = [empty, inHeader, inBody].filter(({ failure }) => failure === undefined);
  if (answers.length > 0) {
    record('token-no-store', answers.map(noStoreProblem).find(Boolean));
    const encoding = answers.map(({ headers }) => headers['content-encoding']).find((name) => name !== undefined);
    record('token-compressed', encoding !== undefined && `an answer comes with Content-Encoding: ${encoding}`);
    record('token-cookie', answers.some(({ cookies }) => cookies.length > 0) && 'a response has Set-Cookie');
  }
  await checkCors(subject, url, isMetadataOpen, record);
  return true;
};
