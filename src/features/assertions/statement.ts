import * as errors from 'jose/errors';
import { compactVerify } from 'jose/jws/compact/verify';
import { importJWK } from 'jose/key/import';
import { type ASSERTION_ALGORITHMS, type FormCall, isRecord, OAuthError } from '../../core/feature/index.js';
import type { PublicKey } from './options.js';

type Algorithm = (typeof ASSERTION_ALGORITHMS)[number];

/** RFC 7523 §2.1 */
export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** In characters: an assertion with all groups of a person has some kilobytes. */
const MAX_LENGTH = 16_384;

/** Members of an assertion, so that a function of the application gets a bounded object. */
export const MAX_CLAIMS = 64;

const MAX_KEY_ID = 1024;
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** The assertion of a request. @throws OAuthError if there is none, or if it is too long. */
export const assertionIn = ({ form }: FormCall): string => {
  const text = form.get('assertion');
  if (text === undefined) throw new OAuthError('invalid_request', 'The parameter assertion is missing.');
  if (text.length > MAX_LENGTH)
    throw new OAuthError('invalid_request', `The assertion has more than ${MAX_LENGTH} characters.`, { status: 413 });
  return text;
};

/** An assertion that is not verified. */
export interface Statement {
  readonly text: string;
  readonly alg: string;
  readonly kid: string | undefined;
  readonly typ: unknown;
  readonly iss: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** The members of all objects in a value. */
const membersIn = (value: unknown): number => {
  const waiting = [value];
  let count = 0;
  for (const one of waiting) {
    if (typeof one !== 'object' || one === null) continue;
    const inside: readonly unknown[] = Object.values(one);
    if (!Array.isArray(one)) count += inside.length;
    for (const other of inside) waiting.push(other);
  }
  return count;
};

/** Whether JSON has a member twice, of which another program may take the other (RFC 7515 §4): each member has a colon outside of texts. */
const repeatsMember = (json: string, parsed: unknown): boolean =>
  json.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').split(':').length - 1 !== membersIn(parsed);

/** @returns `undefined` unless the part is base64url of a JSON object in UTF-8 whose members have different names. */
const objectIn = (part: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const json = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(part, 'base64url'));
    const parsed: unknown = JSON.parse(json);
    return isRecord(parsed) && !repeatsMember(json, parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
};

/** Reads an assertion. Members of its header that name keys are ignored, and an extension that must be understood is not (RFC 7515 §4.1). */
export const readStatement = (text: string): Statement | undefined => {
  if (text.length > MAX_LENGTH || !COMPACT.test(text)) return undefined;
  const [head = '', body = ''] = text.split('.', 2);
  const header = objectIn(head);
  const claims = objectIn(body);
  if (header === undefined || claims === undefined || 'crit' in header || 'b64' in header) return undefined;
  const { alg, kid, typ } = header;
  const { iss } = claims;
  if (typeof alg !== 'string' || typeof iss !== 'string') return undefined;
  if (kid !== undefined && (typeof kid !== 'string' || kid.length > MAX_KEY_ID)) return undefined;
  return { text, alg, kid, typ, iss, claims };
};

/** What a key must be for an algorithm (RFC 7518 §3.1, RFC 8037 §3.1). */
const KEY_OF: Readonly<Record<Algorithm, Readonly<Record<string, string>>>> = {
  ES256: { kty: 'EC', crv: 'P-256' },
  ES384: { kty: 'EC', crv: 'P-384' },
  EdDSA: { kty: 'OKP', crv: 'Ed25519' },
  Ed25519: { kty: 'OKP', crv: 'Ed25519' },
  PS256: { kty: 'RSA' },
  RS256: { kty: 'RSA' },
};

const isEdwards = (alg: unknown): boolean => alg === 'EdDSA' || alg === 'Ed25519';

/** Whether a key may have signed a statement: one that names an algorithm signs only with that (RFC 8725 §3.1). */
const fits = (key: PublicKey, { alg, kid }: Statement): boolean => {
  const needed = Object.hasOwn(KEY_OF, alg) ? KEY_OF[alg as Algorithm] : undefined; // It is one of its names.
  const { alg: own, kid: name, use, key_ops: operations } = key;
  return (
    needed !== undefined &&
    Object.entries(needed).every(([member, expected]) => key[member] === expected) &&
    (own === undefined || own === alg || (isEdwards(own) && isEdwards(alg))) &&
    (kid === undefined || kid === name) &&
    (use === undefined || use === 'sig') &&
    (operations === undefined || (Array.isArray(operations) && operations.includes('verify')))
  );
};

/** The only key that may have signed a statement. With several, the statement must name one. */
export const keyFor = (statement: Statement, keys: readonly PublicKey[]): PublicKey | undefined => {
  const [key, ...others] = keys.filter((one) => fits(one, statement));
  return others.length === 0 ? key : undefined;
};

/** Whether this key has signed a statement. */
export const isSignedBy = async (key: PublicKey, { text, alg }: Statement): Promise<boolean> => {
  try {
    await compactVerify(text, await importJWK({ ...key }, alg), { algorithms: [alg] });
    return true;
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError || error instanceof DOMException) return false;
    throw error;
  }
};
