import { generateKeyPairSync, type KeyObject, randomUUID, sign, constants } from 'node:crypto';
import { fapi2, type Fapi2Options } from 'oauth-query/fapi';
import { afterAll, expect } from 'vitest';
import type { ClientRegistration, ClientRegistry } from '../../../src/core/oauth/clients/client.js';
import { type Answer, Client, type Host, type HostOptions, type RunningHost } from '../../hosts.js';
import { useStarted } from '../../hosts/listen.js';
import { Browser, PKCE, responseOf } from '../../oauth/support/browser.js';
import { type Fixture, fixture } from '../../oauth/support/fixture.js';
import { type Claims, es256, mint } from '../../oauth/support/jwt.js';
import { refusal } from '../../oauth/support/tokens.js';
import { rsaPair } from '../../rsa.js';
import { ProofMaker, type ProofParts } from '../dpop/keys.js';

type Fields = Readonly<Record<string, string | readonly string[]>>;
type Headers = Readonly<Record<string, string>>;

const SECRET = 'a secret of the tests, with 32 characters';
export const ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
export const PREFIX = 'urn:ietf:params:oauth:request_uri:';

const pairOf = (kind: 'ec' | 'rsa') => (kind === 'ec' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : rsaPair());

const PAIRS = { bank: pairOf('ec'), other: pairOf('ec'), rsa: pairOf('rsa') };
export const jwksOf = (name: keyof typeof PAIRS) => ({
  keys: [{ ...PAIRS[name].publicKey.export({ format: 'jwk' }) }],
});

const person = { scope: 'profile content.read', default_scope: 'profile' } as const;

export const CALLBACK = 'https://bank.example/cb';

/** Two clients of the plan, one with an RSA key, and one that reads tokens. */
export const CLIENTS = [
  { client_id: 'bank', jwks: jwksOf('bank'), redirect_uris: [CALLBACK], ...person },
  { client_id: 'other', jwks: jwksOf('other'), redirect_uris: [CALLBACK], ...person },
  { client_id: 'rsa', jwks: jwksOf('rsa'), redirect_uris: [CALLBACK], ...person },
  { client_id: 'api', jwks: jwksOf('bank'), introspect: true, scope: 'introspect', default_scope: 'introspect' },
] as const satisfies readonly ClientRegistration[];

const isRsa = (name: string): boolean => name.startsWith('rsa');

/** A client without a key of its own has that of the first one. */
const keyOf = (name: string): KeyObject => {
  if (name === 'other' || name === 'second') return PAIRS.other.privateKey;
  return (isRsa(name) ? PAIRS.rsa : PAIRS.bank).privateKey;
};

const ps256 = (key: KeyObject) => (data: Buffer) =>
  sign('sha256', data, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 });
const rs256 = (key: KeyObject) => (data: Buffer) => sign('sha256', data, key);

/** What the client asks for. */
export const REQUEST = {
  response_type: 'code',
  redirect_uri: CALLBACK,
  scope: 'profile',
  state: 'xyz',
  ...PKCE.request,
} as const;

/** A running server under the profile, and its clients. */
export class FapiSite {
  readonly running: RunningHost;
  readonly all: Fixture;
  readonly http: Client;
  /** The key of the clients' proofs. */
  readonly key = new ProofMaker();

  constructor(running: RunningHost, all: Fixture) {
    this.running = running;
    this.all = all;
    this.http = new Client(() => running.base);
  }

  close(): Promise<void> {
    return this.running.close();
  }

  get now(): number {
    return Math.floor(this.all.clock() / 1000);
  }

  /** An assertion of a client, with other claims if they are given. */
  assertion(
    name = 'bank',
    claims: Claims = {},
    alg: string = isRsa(name) ? 'PS256' : 'ES256',
    header: Claims = {},
  ): string {
    const { now } = this;
    const usual = { iss: name, sub: name, aud: this.running.base, iat: now, exp: now + 60, jti: randomUUID() };
    const signer = alg === 'PS256' ? ps256 : alg === 'RS256' ? rs256 : es256;
    return mint({ alg, ...header }, { ...usual, ...claims }, signer(keyOf(name)));
  }

  /** The credentials of a client. */
  credentials(name: string = 'bank', claims: Claims = {}): Readonly<Record<string, string>> {
    return { client_assertion_type: ASSERTION, client_assertion: this.assertion(name, claims) };
  }

  proof(path: string, more: Partial<ProofParts> = {}, key = this.key): Headers {
    return { dpop: key.proof({ method: 'POST', url: this.running.base + path, iat: this.now, ...more }) };
  }

  push(form: Fields = {}, headers: Headers = {}, name: string = 'bank'): Promise<Answer> {
    return this.http.post('/oauth/par', { ...REQUEST, ...this.credentials(name), ...form }, headers);
  }

  async reference(form: Fields = {}, headers: Headers = {}, name: string = 'bank'): Promise<string> {
    const answer = await this.push(form, headers, name);
    if (answer.status !== 201) throw new Error(answer.text);
    return String(answer.json['request_uri']);
  }

  browser(): Browser {
    return new Browser(this.running);
  }

  /** The answer to a browser that comes with a reference; everything is allowed. */
  async arrive(request_uri: string, name: string = 'bank', decision: 'approve' | 'deny' = 'approve'): Promise<Answer> {
    return this.browser().authorizeFor({ client_id: name, request_uri }, { decision });
  }

  /** The code of a request that was pushed. */
  async code(form: Fields = {}, headers: Headers = {}, name: string = 'bank'): Promise<string> {
    const { code } = responseOf(await this.arrive(await this.reference(form, headers, name), name));
    return code ?? expect.fail('There is no code.');
  }

  token(form: Fields, headers: Headers = this.proof('/oauth/token'), name: string = 'bank'): Promise<Answer> {
    return this.http.post('/oauth/token', { ...this.credentials(name), ...form }, headers);
  }

  redeem(code: string, form: Fields = {}, headers?: Headers, name?: string): Promise<Answer> {
    const usual = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: PKCE.verifier };
    return this.token({ ...usual, ...form }, headers, name);
  }

  refresh(refresh_token: string, headers?: Headers): Promise<Answer> {
    return this.token({ grant_type: 'refresh_token', refresh_token }, headers);
  }

  /** A request to a guarded route. */
  ask(token: string, more: Partial<ProofParts> = {}, scheme = 'DPoP'): Promise<Answer> {
    const url = `${this.running.origin}/guarded/profile`;
    const dpop = this.key.proof({ method: 'GET', url, iat: this.now, token, ...more });
    return new Client(this.running.origin).get('/guarded/profile', { authorization: `${scheme} ${token}`, dpop });
  }

  /** Every proof of `DpopNegativeTests`, for a guarded route. */
  async refusesWrongProofs(token: string): Promise<void> {
    const url = `${this.running.origin}/guarded/profile`;
    const parts = (more: Partial<ProofParts> = {}) => ({ method: 'GET', url, iat: this.now, token, ...more });
    const present = (dpop: string | readonly string[], authorization = `DPoP ${token}`): Promise<Answer> =>
      this.http.request(url, { headers: { authorization, dpop: dpop as string } });
    const good = (): string => this.key.proof(parts());
    const [header = '', payload = '', signature = ''] = good().split('.');
    const wrong: Readonly<Record<string, string | readonly string[]>> = {
      'no JWT': 'proof',
      'another signature': `${header}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
      'the key of another': new ProofMaker().proof(parts()),
      'a private key': this.key.proof(parts({ header: { jwk: this.key.privateKey.export({ format: 'jwk' }) } })),
      'the hash of another token': this.key.proof(parts({ token: 'another' })),
      'an hour ahead': this.key.proof(parts({ iat: this.now + 3600 })),
      ...Object.fromEntries(
        [{ typ: undefined }, { typ: 'jwt' }, { alg: undefined }, { alg: 'none' }, { jwk: undefined }].map((more) => [
          `header ${JSON.stringify(Object.entries(more))}`,
          this.key.proof(parts({ header: more })),
        ]),
      ),
      ...Object.fromEntries(
        ['jti', 'htm', 'htu', 'iat', 'ath'].map((name) => [
          `without ${name}`,
          this.key.proof(parts({ payload: { [name]: undefined } })),
        ]),
      ),
      'another method': this.key.proof(parts({ method: 'PUT' })),
      'another address': this.key.proof(parts({ url: `${this.running.origin}/other` })),
    };
    for (const [what, dpop] of Object.entries(wrong)) {
      const answer = await present(dpop);
      expect.soft([what, answer.status, answer.json['error']]).toEqual([what, 401, 'invalid_dpop_proof']);
    }
    expect(refusal(await present([good(), good()]))).toEqual([400, 'invalid_request']);
    const right = {
      'a query': this.key.proof(parts({ url: `${url}?a=b#c` })),
      'another spelling': this.key.proof(parts({ url: url.replace('http', 'HTTP').replace('profile', '%70rofile') })),
      'members that nobody knows': this.key.proof(parts({ header: { 'x-a': 1 }, payload: { other: 1 } })),
    };
    for (const [what, dpop] of Object.entries(right))
      expect.soft([what, (await present(dpop)).status]).toEqual([what, 200]);
    // A bound token is none for Bearer, with and without a proof.
    expect((await present(good(), `Bearer ${token}`)).status).toBe(401);
    // A nonce helps a client whose clock is wrong.
    const late = await present(this.key.proof(parts({ iat: this.now - 3600 })));
    expect([late.status, late.json['error']]).toEqual([401, 'use_dpop_nonce']);
    const nonce = String(late.headers['dpop-nonce']);
    expect((await present(this.key.proof(parts({ iat: this.now - 3600, nonce })))).status).toBe(200);
  }
}

interface Setup {
  readonly fapi?: Fapi2Options;
  /** Clients in addition to {@link CLIENTS}. */
  readonly others?: readonly (ClientRegistration | ClientRegistry)[];
}

export const startFapi = async (
  host: Pick<Host, 'start'>,
  { fapi, others = [], ...more }: Omit<HostOptions, 'clients'> & Setup = {},
): Promise<FapiSite> => {
  const { options, ...all } = fixture({ secret: SECRET, ...more });
  const isOpenId = more.features?.some(({ name }) => name === 'openid') === true;
  const clients = CLIENTS.map((client) => (isOpenId ? { ...client, scope: `openid ${client.scope}` } : client));
  const whole = { ...options, clients: [...clients, ...others], features: [fapi2(fapi), ...(more.features ?? [])] };
  return new FapiSite(await host.start({ options: whole as never }), { ...all, options: whole as never });
};

/** The same for a suite. At the end there must be no errors. */
export const useFapi = (...given: Parameters<typeof startFapi>): FapiSite => {
  const site = useStarted(() => startFapi(...given));
  afterAll(() => expect([...site.all.errors, ...site.running.errors]).toEqual([]));
  return site;
};
