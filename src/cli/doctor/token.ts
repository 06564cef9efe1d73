import { type Judge, judgeOf } from './finding.js';
import { type Answer, ProbeFailure } from './probe.js';
import {
  allowsForeign,
  basic,
  describe,
  FOREIGN_ORIGIN,
  isJson,
  isNoStore,
  letsForeignCookiesIn,
  type Subject,
  tryAsk,
} from './subject.js';

export const TOKEN_RULES = {
  'token-get': {
    severity: 'error',
    holds: 'The token endpoint refuses GET.',
    why: 'With GET, secrets and codes would stand in addresses, and so in logs (RFC 6749 §3.2).',
    remedy: 'Answer POST only; a proxy must not turn one method into another.',
  },
  'token-errors': {
    severity: 'error',
    holds: 'The token endpoint answers a wrong request with an error as JSON.',
    why: 'Clients read the field error; on a page of a proxy or a framework they only fail (RFC 6749 §5.2).',
    remedy: 'Let POST requests to the token endpoint reach the server, and their answers come back unchanged.',
  },
  'token-unknown-client': {
    severity: 'error',
    holds: 'An unknown client is refused with 401 and invalid_client.',
    why: 'Clients tell by it that their credentials are wrong, and not their request (RFC 6749 §5.2).',
    remedy: 'Answer 401 with the error invalid_client to Basic credentials that nobody has.',
  },
  'token-challenge': {
    severity: 'error',
    holds: 'A client that was refused by its header is challenged in the header.',
    why: 'A 401 for Basic credentials must carry WWW-Authenticate: Basic (RFC 6749 §5.2, RFC 9110 §15.5.2).',
    remedy: 'Let the proxy pass the Authorization header on, and WWW-Authenticate back.',
  },
  'token-body-client': {
    severity: 'error',
    holds: 'An unknown client in the body is refused as invalid_client.',
    why: 'Clients tell by it that their credentials are wrong, and not their request (RFC 6749 §5.2).',
    remedy: 'Answer 400 or 401 with the error invalid_client to credentials that nobody has.',
  },
  'token-no-store': {
    severity: 'warning',
    holds: 'No cache keeps what the token endpoint answers.',
    why: 'A kept answer is given to who asks next (RFC 6749 §5.1).',
    remedy: 'Send Cache-Control: no-store, and let no proxy overwrite it.',
  },
  'token-compressed': {
    severity: 'warning',
    holds: 'Answers of the token endpoint are not compressed.',
    why: 'The length of a compressed answer tells about the secrets in it.',
    remedy: 'Switch compression off for the token endpoint, in the proxy or the host.',
  },
  'token-cookie': {
    severity: 'warning',
    holds: 'The token endpoint sets no cookie.',
    why: 'Programs ask here; a cookie means that a session of the host is made for each of them.',
    remedy: 'Mount the session behind the server, or keep it away from this path.',
  },
  'token-cors': {
    severity: 'warning',
    holds: 'Metadata and token endpoint agree about scripts of other origins.',
    why: 'A page finds the server and then cannot get a token, or the other way round.',
    remedy:
      'Let OPTIONS requests and Access-Control-Allow-Origin through the proxy; the option cors.origins is for both.',
  },
  'token-cors-credentials': {
    severity: 'error',
    holds: 'The token endpoint lets no foreign origin in with cookies.',
    why: 'Any page could ask for tokens in the name of who is signed in.',
    remedy: 'Never send Access-Control-Allow-Credentials with an origin that was only repeated.',
  },
} as const;

type Id = keyof typeof TOKEN_RULES;

const errorOf = (answer: Answer | ProbeFailure): unknown =>
  answer instanceof ProbeFailure ? undefined : answer.json?.['error'];

const isRefusal = (answer: Answer | ProbeFailure, statuses: readonly number[]): answer is Answer =>
  !(answer instanceof ProbeFailure) &&
  statuses.includes(answer.status) &&
  isJson(answer) &&
  errorOf(answer) === 'invalid_client';

const checkCors = async (subject: Subject, url: URL, isMetadataOpen: boolean, judge: Judge<Id>): Promise<void> => {
  const preflight = await tryAsk(subject, url, {
    method: 'OPTIONS',
    headers: {
      origin: FOREIGN_ORIGIN,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    },
  });
  const isOpen = !(preflight instanceof ProbeFailure) && preflight.status < 300 && allowsForeign(preflight);
  judge(
    'token-cors',
    isOpen !== isMetadataOpen &&
      `a foreign origin may ${isMetadataOpen ? 'read the metadata but not ask for tokens' : 'ask for tokens but not read the metadata'} (${describe(preflight)})`,
  );
  const isWide = !(preflight instanceof ProbeFailure) && letsForeignCookiesIn(preflight);
  judge('token-cors-credentials', isWide && `${FOREIGN_ORIGIN} may ask for tokens with cookies`);
};

/** What a program sees that has no credentials, or wrong ones. */
export const checkToken = async (subject: Subject, url: URL, isMetadataOpen: boolean): Promise<void> => {
  const judge = judgeOf(TOKEN_RULES, subject.findings);
  const { nobody } = subject;
  const got = await tryAsk(subject, url);
  judge(
    'token-get',
    (got instanceof ProbeFailure || got.status < 400 || got.status >= 500) && `GET is answered with ${describe(got)}`,
  );
  const grant = { grant_type: 'client_credentials' };
  const empty = await tryAsk(subject, url, { form: {}, headers: { 'accept-encoding': 'gzip' } });
  const inHeader = await tryAsk(subject, url, { form: grant, headers: basic(nobody, 'a secret that nobody has') });
  const inBody = await tryAsk(subject, url, {
    form: { ...grant, client_id: nobody, client_secret: 'a secret that nobody has' },
  });
  const isError =
    !(empty instanceof ProbeFailure) &&
    [400, 401].includes(empty.status) &&
    isJson(empty) &&
    typeof errorOf(empty) === 'string';
  judge('token-errors', !isError && `an empty POST is answered with ${describe(empty)}`);
  judge(
    'token-unknown-client',
    !isRefusal(inHeader, [401]) && `Basic credentials of nobody are answered with ${describe(inHeader)}`,
  );
  if (!(inHeader instanceof ProbeFailure) && inHeader.status === 401) {
    const challenge = inHeader.headers['www-authenticate'];
    judge('token-challenge', !/\bbasic\b/i.test(challenge ?? '') && `WWW-Authenticate is ${challenge ?? 'missing'}`);
  }
  judge(
    'token-body-client',
    !isRefusal(inBody, [400, 401]) && `a client of nobody in the body is answered with ${describe(inBody)}`,
  );
  const answers = [empty, inHeader, inBody].filter((answer): answer is Answer => !(answer instanceof ProbeFailure));
  if (answers.length > 0) {
    const kept = answers.find((answer) => !isNoStore(answer));
    judge('token-no-store', kept && `Cache-Control is ${kept.headers['cache-control'] ?? 'missing'}`);
    const encoding = answers.map(({ headers }) => headers['content-encoding']).find((name) => name !== undefined);
    judge('token-compressed', encoding !== undefined && `an answer comes with Content-Encoding: ${encoding}`);
    judge('token-cookie', answers.some(({ cookies }) => cookies.length > 0) && 'there is a Set-Cookie');
  }
  await checkCors(subject, url, isMetadataOpen, judge);
};
