import { createHash, randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { error, recorderOf } from './finding.js';
import type { Answer } from './probe.js';
import { basic, describe, type Subject, textsOf, withQuery } from './subject.js';

export const BOUND_TOKEN_RULES = {
  'bound-token': error(
    'A client can get a token that is bound to its key.',
    'Otherwise clients that use DPoP, as the metadata offers, get no token (RFC 9449 §5).',
    'Set the option issuer to the public URL, and make sure that the proxy passes the header DPoP on and the clock is right.',
  ),
  'bound-address': error(
    'The query API accepts a proof for its public address.',
    'Behind a proxy that changes the path, the server expects another address than clients see (RFC 9449 §4.3).',
    'Add the public address to origins of dpop, or let the proxy pass the path on as it is.',
  ),
};

type Ask = (url: URL, method: 'GET' | 'POST', token?: string) => Promise<Answer>;

/** Requests with proofs of a new key. A nonce that the server asks for is sent in a second attempt. */
const askWithProofs = async (
  { probe, credentials }: Subject & { credentials: NonNullable<Subject['credentials']> },
  alg: string,
): Promise<Ask> => {
  const { privateKey, publicKey } = await generateKeyPair(alg);
  const jwk = await exportJWK(publicKey);
  return async (url, method, token) => {
    const attempt = async (nonce?: string): Promise<Answer> => {
      const ath = token && createHash('sha256').update(token).digest('base64url');
      const proof = await new SignJWT({ htm: method, htu: url.origin + url.pathname, ath, nonce, jti: randomUUID() })
        .setProtectedHeader({ typ: 'dpop+jwt', alg, jwk })
        .setIssuedAt()
        .sign(privateKey);
      return token === undefined
        ? probe.ask(url, {
            form: { grant_type: 'client_credentials' },
            headers: { ...basic(credentials.client_id, credentials.client_secret), dpop: proof },
          })
        : probe.ask(url, { headers: { authorization: `DPoP ${token}`, dpop: proof } });
    };
    const first = await attempt();
    const { 'dpop-nonce': nonce } = first.headers;
    return [400, 401].includes(first.status) && typeof nonce === 'string' ? attempt(nonce) : first;
  };
};

/** With a client's credentials, where the metadata offers DPoP: requests a bound token, and uses it. */
export const checkBoundToken = async (subject: Subject, tokenUrl: URL, algorithms: unknown): Promise<void> => {
  const [alg] = textsOf(algorithms).filter((name) => ['ES256', 'RS256', 'EdDSA', 'Ed25519'].includes(name));
  const { credentials } = subject;
  if (alg === undefined || credentials === undefined) return;
  const record = recorderOf(BOUND_TOKEN_RULES, subject.findings);
  const ask = await askWithProofs({ ...subject, credentials }, alg);
  const issued = await ask(tokenUrl, 'POST');
  const { access_token: token, token_type: type, error_description: reason } = issued.json ?? {};
  const isBound = typeof token === 'string' && typeof type === 'string' && type.toLowerCase() === 'dpop';
  const why = typeof reason === 'string' ? `: ${reason}` : '';
  record('bound-token', !isBound && `it is answered with ${describe(issued)}${why}`);
  if (!isBound) return;
  const url = withQuery(subject.api, { action: 'query', meta: 'userinfo', format: 'json' });
  const used = await ask(url, 'GET', token);
  if (used.status === 404) return;
  const challenge = String(used.headers['www-authenticate'] ?? '');
  record(
    'bound-address',
    challenge.includes('invalid_dpop_proof') && `it is answered with ${used.status}: ${challenge}`,
  );
};
