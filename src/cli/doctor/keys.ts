import { createPublicKey } from 'node:crypto';
import { judgeOf } from './finding.js';
import { ProbeFailure } from './probe.js';
import { describe, isJson, type Subject, tryAsk } from './subject.js';

export const KEY_RULES = {
  'keys-found': {
    severity: 'error',
    holds: 'The keys are where the metadata says.',
    why: 'Resource servers that read tokens by themselves refuse every one (RFC 7517 §5).',
    remedy: 'Let the path reach the server, and give it at least one key.',
  },
  'keys-public': {
    severity: 'error',
    holds: 'Only public halves of keys are published.',
    why: 'Who has the private half, or a shared secret, makes tokens for everybody.',
    remedy: 'Make new keys now, and publish nothing but their public members (RFC 7517 §9.2).',
  },
  'keys-named': {
    severity: 'error',
    holds: 'Every key has a name of its own.',
    why: 'A token names its key by kid; with two of one name, or none, the wrong one is tried (RFC 7517 §4.5).',
    remedy: 'Give each key its own kid, such as its thumbprint.',
  },
  'keys-strong': {
    severity: 'error',
    holds: 'Every key can be read and is strong enough.',
    why: 'A short RSA key can be broken, and one that cannot be read checks no signature (RFC 7518 §3.3).',
    remedy: 'Use P-256, Ed25519 or RSA with at least 2048 bits.',
  },
  'keys-purpose': {
    severity: 'note',
    holds: 'Every key says what it is for.',
    why: 'Without alg a verifier has to guess which algorithms it may allow.',
    remedy: 'Put alg, and use with sig, into each key.',
  },
  'keys-cache': {
    severity: 'note',
    holds: 'The keys say how long they may be kept.',
    why: 'During a rotation a verifier must come back in time, and not for every token.',
    remedy: 'Send Cache-Control with a max-age of minutes.',
  },
} as const;

type Key = Readonly<Record<string, unknown>>;

const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

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

export const checkKeys = async (subject: Subject, url: URL): Promise<void> => {
  const judge = judgeOf(KEY_RULES, subject.findings);
  const answer = await tryAsk(subject, url);
  const list: unknown = answer instanceof ProbeFailure || answer.status !== 200 ? undefined : answer.json?.['keys'];
  const isThere = !(answer instanceof ProbeFailure) && isJson(answer) && Array.isArray(list) && list.length > 0;
  judge(
    'keys-found',
    !isThere && `${url.href} is answered with ${describe(answer)}${Array.isArray(list) ? ' and without a key' : ''}`,
  );
  if (!isThere) return;
  const keys = (list as readonly unknown[]).map((key): Key =>
    typeof key === 'object' && key !== null ? { ...key } : {},
  );
  const told = (problem: (key: Key) => string | undefined): readonly string[] =>
    keys.flatMap((key, index) => {
      const what = problem(key);
      return what === undefined ? [] : [`${nameOf(key, index)} ${what}`];
    });
  judge(
    'keys-public',
    told((key) => {
      const found = PRIVATE_MEMBERS.filter((name) => name in key);
      return found.length === 0 ? undefined : `has the private member ${found.join(', ')}`;
    }),
  );
  const isShared = (key: Key): boolean => keys.filter(({ kid }) => kid === key['kid']).length > 1;
  judge(
    'keys-named',
    told((key) => (key['kid'] === undefined ? 'has no kid' : isShared(key) ? 'is there more than once' : undefined)),
  );
  judge('keys-strong', told(weakness));
  judge(
    'keys-purpose',
    told((key) => (key['alg'] === undefined || key['use'] === undefined ? 'lacks alg or use' : undefined)),
  );
  const { headers } = answer;
  judge(
    'keys-cache',
    !/max-age=\d/i.test(headers['cache-control'] ?? '') && `Cache-Control is ${headers['cache-control'] ?? 'missing'}`,
  );
};
