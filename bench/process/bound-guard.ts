/**
 * Measures what a proof of possession costs at a guard: `node bound-guard.js <requests>`. Prints a line of JSON with processor time in microseconds:
 * `verify` for the signature of a proof alone, `bearer` and `bound` for a guarded request; and `ratio`, that of `bound` to `verify`.
 */
import { createHash, generateKeyPairSync, sign, verify } from 'node:crypto';
import { dpop } from 'oauth-query/dpop';
import { oauthQuery } from 'oauth-query/fetch';
import { basic, FORM_TYPE, PATHS, SCOPE, SERVICE } from '../servers/setting.js';

const ISSUER = 'https://auth.example';
const ROUTE = `${ISSUER}/photos`;
const ROUNDS = 20;

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const HEADER = encode({ typ: 'dpop+jwt', alg: 'ES256', jwk: publicKey.export({ format: 'jwk' }) });
const signed = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const;

let proofs = 0;
const proofOf = (htm: string, htu: string, token?: string): string => {
  const ath = token === undefined ? {} : { ath: createHash('sha256').update(token).digest('base64url') };
  const text = `${HEADER}.${encode({ jti: String((proofs += 1)), htm, htu, iat: Math.floor(Date.now() / 1000), ...ath })}`;
  return `${text}.${sign('sha256', Buffer.from(text), signed).toString('base64url')}`;
};

const oauth = oauthQuery({
  issuer: ISSUER,
  secret: 'a secret of the benchmark, which is public',
  clients: [{ ...SERVICE, scope: SCOPE }],
  scopes: { [SCOPE]: 'Read the content' },
  features: [dpop({ nonce: 'off', replay: 'none', maxAge: 300 })],
  onWarning: () => undefined,
});
const guard = oauth.guard(SCOPE);

const tokenWith = async (headers: Readonly<Record<string, string>>): Promise<string> => {
  const request = new Request(ISSUER + PATHS.token, {
    method: 'POST',
    headers: { authorization: basic(SERVICE), 'content-type': FORM_TYPE, ...headers },
    body: 'grant_type=client_credentials',
  });
  const { access_token } = (await (await oauth.handler(request)).json()) as { readonly access_token: string };
  return access_token;
};

const microseconds = async <T>(subjects: readonly T[], work: (subject: T) => unknown): Promise<number> => {
  const start = process.cpuUsage();
  for (const subject of subjects) await work(subject);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / subjects.length;
};

const PASSED = new Response(null, { status: 204 });

const passed = async (request: Request): Promise<void> => {
  const { status } = await guard(request, () => PASSED);
  if (status !== PASSED.status) throw new Error('The guard refused a request.');
};

const [bearer, bound] = [await tokenWith({}), await tokenWith({ dpop: proofOf('POST', ISSUER + PATHS.token) })];
const count = Number(process.argv[2] ?? 2000);
const all = Array.from({ length: count }, () => proofOf('GET', ROUTE, bound));
const requestWith = (authorization: string, dpopHeader: Readonly<Record<string, string>>): Request =>
  new Request(ROUTE, { headers: { authorization, ...dpopHeader } });

const key = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
const verified = (proof: string): void => {
  const end = proof.lastIndexOf('.');
  if (!verify('sha256', Buffer.from(proof.slice(0, end)), key, Buffer.from(proof.slice(end + 1), 'base64url')))
    throw new Error('A signature is wrong.');
};
const free = all.map(() => requestWith(`Bearer ${bearer}`, {}));
const proven = all.map((proof) => requestWith(`DPoP ${bound}`, { dpop: proof }));

// In turn, so that a busy machine slows all three; the least of the rounds counts.
const least = { verify: Infinity, bearer: Infinity, bound: Infinity };
for (let round = 0; round < ROUNDS; round += 1) {
  least.verify = Math.min(least.verify, await microseconds(all, verified));
  least.bearer = Math.min(least.bearer, await microseconds(free, passed));
  least.bound = Math.min(least.bound, await microseconds(proven, passed));
}
console.log(JSON.stringify({ ...least, ratio: least.bound / least.verify }));
