import { createLocalJWKSet, errors, type JSONWebKeySet, jwtVerify } from 'jose';
import { type Judge, judgeOf } from './finding.js';
import { type Answer, ProbeFailure } from './probe.js';
import { basic, describe, type Discovered, isNoStore, type Subject, tryAsk } from './subject.js';

export const CREDENTIAL_RULES = {
  'client-accepted': {
    severity: 'error',
    holds: 'The client is known, and gets a token for itself.',
    why: 'The deeper checks need a token of the client_credentials grant.',
    remedy: 'Check id and secret, and that client_credentials is among the grant_types of this client.',
  },
  'issued-shape': {
    severity: 'error',
    holds: 'The answer with the token is complete.',
    why: 'Clients need access_token, token_type and a positive expires_in (RFC 6749 §5.1).',
    remedy: 'Let the answer come back unchanged.',
  },
  'issued-no-store': {
    severity: 'error',
    holds: 'No cache keeps the answer with the token.',
    why: 'A kept token is given to who asks next (RFC 6749 §5.1).',
    remedy: 'Send Cache-Control: no-store, and let no proxy overwrite it.',
  },
  'issued-compressed': {
    severity: 'warning',
    holds: 'The answer with the token is not compressed.',
    why: 'The length of a compressed answer tells about the secrets in it.',
    remedy: 'Switch compression off for the token endpoint, in the proxy or the host.',
  },
  'issued-lifetime': {
    severity: 'warning',
    holds: 'The token ends within a day.',
    why: 'A stolen token works until then (RFC 9700 §2.2).',
    remedy: 'Lower lifetimes.accessToken; an hour is usual.',
  },
  'wrong-secret': {
    severity: 'error',
    holds: 'The same client with another secret is refused.',
    why: 'Otherwise everybody is this client.',
    remedy: 'Find out what stands in front of the server and authenticates by itself.',
  },
  'two-methods': {
    severity: 'error',
    holds: 'A client must not authenticate in two ways at once.',
    why: 'Two parties that read one each could take the request for two clients (RFC 6749 §2.3).',
    remedy: 'Answer invalid_request.',
  },
  'issued-active': {
    severity: 'error',
    holds: 'Introspection knows the token and its client.',
    why: 'Resource servers ask it; otherwise they refuse good tokens (RFC 7662 §2.2).',
    remedy: 'Check that token and introspection endpoint use the same store, on every instance.',
  },
  'issued-signature': {
    severity: 'error',
    holds: 'The token is signed by a published key, for this issuer.',
    why: 'Resource servers that read tokens by themselves refuse it otherwise (RFC 9068 §4).',
    remedy: 'Give every instance the same keys, and publish each before it signs.',
  },
  'revoked-inactive': {
    severity: 'error',
    holds: 'A revoked token is dead at once.',
    why: 'Who revokes a token relies on it (RFC 7009 §2.2).',
    remedy: 'Check that all instances use the same store, and that nothing caches introspection.',
  },
} as const;

type Id = keyof typeof CREDENTIAL_RULES;

const DAY = 86_400;

const isGranted = (answer: Answer | ProbeFailure): boolean =>
  !(answer instanceof ProbeFailure) && answer.json?.['access_token'] !== undefined;

const checkIssued = (issued: Answer, judge: Judge<Id>): void => {
  const { token_type: type, expires_in: seconds } = issued.json ?? {};
  const wrong = [
    ...(typeof type === 'string' ? [] : ['token_type is missing']),
    ...(typeof seconds === 'number' && seconds > 0 ? [] : [`expires_in is ${JSON.stringify(seconds) ?? 'missing'}`]),
  ];
  judge('issued-shape', wrong);
  judge('issued-no-store', !isNoStore(issued) && `Cache-Control is ${issued.headers['cache-control'] ?? 'missing'}`);
  const encoding = issued.headers['content-encoding'];
  judge('issued-compressed', encoding !== undefined && `Content-Encoding is ${encoding}`);
  if (typeof seconds === 'number') judge('issued-lifetime', seconds > DAY && `expires_in is ${seconds}`);
};

/** The ways in which a secret must not be taken. */
const checkRefusals = async (subject: Subject, token: URL, judge: Judge<Id>): Promise<void> => {
  if (subject.credentials === undefined) return;
  const { client_id, client_secret } = subject.credentials;
  const form = { grant_type: 'client_credentials' };
  const problem = (answer: Answer | ProbeFailure): string | false => isGranted(answer) && 'it gets a token';
  judge(
    'wrong-secret',
    problem(await tryAsk(subject, token, { form, headers: basic(client_id, `${client_secret}x`) })),
  );
  const twice = { form: { ...form, client_id, client_secret }, headers: basic(client_id, client_secret) };
  judge('two-methods', problem(await tryAsk(subject, token, twice)));
};

const checkSignature = async (subject: Subject, token: string, keys: URL, judge: Judge<Id>): Promise<void> => {
  const answer = await tryAsk(subject, keys);
  // Whether these are keys is what jose finds out.
  const jwks = (answer instanceof ProbeFailure ? {} : (answer.json ?? {})) as unknown as JSONWebKeySet;
  try {
    await jwtVerify(token, createLocalJWKSet(jwks), { issuer: subject.issuer, typ: 'at+jwt', clockTolerance: 10 });
    judge('issued-signature');
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error;
    judge('issued-signature', error.message);
  }
};

/** With the credentials of a client: gets a token for it, looks at it, and ends it again. */
export const checkCredentials = async (subject: Subject, { endpoints }: Discovered): Promise<void> => {
  const { credentials, findings } = subject;
  const {
    token_endpoint: tokenUrl,
    introspection_endpoint: introspection,
    revocation_endpoint: revocation,
  } = endpoints;
  if (credentials === undefined || tokenUrl === undefined) return;
  const judge = judgeOf(CREDENTIAL_RULES, findings);
  const headers = basic(credentials.client_id, credentials.client_secret);
  const issued = await tryAsk(subject, tokenUrl, {
    form: { grant_type: 'client_credentials' },
    headers: { ...headers, 'accept-encoding': 'gzip' },
  });
  const token = issued instanceof ProbeFailure ? undefined : issued.json?.['access_token'];
  judge('client-accepted', typeof token !== 'string' && `it is answered with ${describe(issued)}`);
  if (issued instanceof ProbeFailure || typeof token !== 'string') return;
  checkIssued(issued, judge);
  await checkRefusals(subject, tokenUrl, judge);
  if (endpoints.jwks_uri !== undefined && /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/.test(token))
    await checkSignature(subject, token, endpoints.jwks_uri, judge);
  if (introspection === undefined) return;
  const look = (): Promise<Answer | ProbeFailure> => tryAsk(subject, introspection, { form: { token }, headers });
  const known = await look();
  const isKnown =
    !(known instanceof ProbeFailure) &&
    known.json?.['active'] === true &&
    known.json['client_id'] === credentials.client_id;
  judge('issued-active', !isKnown && `it is answered with ${describe(known)}, and not as active for this client`);
  if (revocation === undefined || !isKnown) return;
  const ended = await tryAsk(subject, revocation, { form: { token }, headers });
  const after = await look();
  const isDead = !(after instanceof ProbeFailure) && after.json?.['active'] === false;
  judge(
    'revoked-inactive',
    !isDead && `after a revocation (${describe(ended)}) introspection is answered with ${describe(after)}`,
  );
};
