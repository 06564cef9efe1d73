import { createPublicKey } from 'node:crypto';
import { error, note, recorderOf } from './finding.js';
import { describe, isJson, lifetimeProblem, type Subject } from './subject.js';

export const KEY_RULES = {
  'keys-found': error(
    'The keys are available at the jwks_uri of the metadata.',
    'Otherwise resource servers that verify tokens locally reject all tokens (RFC 7517 §5).',
    'Make sure that the path reaches the server, and configure at least one key.',
  ),
  'keys-public': error(
    'Only public keys are published.',
    'With a private key or a shared secret, anyone can create tokens for any user.',
    'Generate new keys now, and only publish their public members (RFC 7517 §9.2).',
  ),
  'keys-named': error(
    'Every key has a unique kid.',
    'Tokens name their key by kid; with a duplicate or missing kid, verifiers try the wrong key (RFC 7517 §4.5).',
    'Give each key its own kid, such as its thumbprint.',
  ),
  'keys-strong': error(
    'Every key is valid and strong enough.',
    'A short RSA key can be broken, and an invalid key verifies no signature (RFC 7518 §3.3).',
    'Use P-256, Ed25519 or RSA with at least 2048 bits.',
  ),
  'keys-purpose': note(
    'Every key states its purpose.',
    'Without alg a verifier has to guess which algorithms it may allow.',
    'Set alg, and use to sig, in each key.',
  ),
  'keys-cache': note(
    'The key set states how long it may be cached.',
    'During a rotation, verifiers must refetch the keys in time, but not for every token.',
    'Send Cache-Control with a max-age of minutes.',
  ),
};

type Key = Readonly<Record<string, unknown>>;

const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'];

const weakness = (key: Key): string | undefined => {
  try {
    const { asymmetricKeyDetails, asymmetricKeyType } = createPublicKey({ key: { ...key }, format: 'jwk' });
    const bits = asymmetricKeyDetails?.modulusLength ?? 0;
    return asymmetricKeyType === 'rsa' && bits < 2048 ? `has only ${bits} bits` : undefined;
  } catch {
    return 'cannot be read';
  }
};

const nameOf = (key: Key, index: number): string =>
  typeof key['kid'] === 'string' ? `the key ${JSON.stringify(key['kid'])}` : `key ${index + 1}`;

/** @returns the published keys. */
export const checkKeys = async (subject: Pick<Subject, 'probe' | 'findings'>, url: URL): Promise<readonly Key[]> => {
  const record = recorderOf(KEY_RULES, subject.findings);
  const answer = await subject.probe.ask(url);
  const list = answer.status === 200 ? answer.json?.['keys'] : undefined;
  const isThere = isJson(answer) && Array.isArray(list) && list.length > 0;
  record(
    'keys-found',
    !isThere && `${url.href} is answered with ${describe(answer)}${Array.isArray(list) ? ' and without a key' : ''}`,
  );
  if (!isThere) return [];
  const keys = (list as readonly unknown[]).map((key): Key =>
    typeof key === 'object' && key !== null ? { ...key } : {},
  );
  const check = (id: keyof typeof KEY_RULES, problem: (key: Key) => string | false | undefined): void => {
    const problems = keys.map((key, index) => [nameOf(key, index), problem(key)] as const);
    const told = problems.filter(([, what]) => what).map((words) => words.join(' '));
    record(id, told);
  };
  check('keys-public', (key) => {
    const found = PRIVATE_MEMBERS.filter((name) => name in key);
    return found.length > 0 && `has the private member ${found.join(', ')}`;
  });
  check('keys-named', ({ kid }) => {
    if (kid === undefined) return 'has no kid';
    return keys.filter((other) => other['kid'] === kid).length > 1 && 'is there more than once';
  });
  check('keys-strong', weakness);
  check('keys-purpose', ({ alg, use }) => (alg === undefined || use === undefined) && 'lacks alg or use');
  record('keys-cache', lifetimeProblem(answer));
  return keys;
};
