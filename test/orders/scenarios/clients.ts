import { generateKeyPairSync, sign } from 'node:crypto';
import { storedClients } from 'oauth-query/clients';
import { dpop } from 'oauth-query/dpop';
import { ProofMaker } from '../../dpop/keys.js';
import { scenario, type Scenario } from '../explore.js';
import { type About, isSuccess, type Server, type Use } from '../history.js';
import { codeIn } from '../history.js';
import { authorize, OPTIONS, secretOf, send, tokensIn, tokensOf } from '../requests.js';
import { CALLBACK, SECRET } from '../requests.js';
import { type Host, ISSUER, type Options, SECOND, START, World } from '../world.js';

const registry = ({ store, clock }: Pick<Host, 'store' | 'clock'>) =>
  storedClients(store, { issuer: ISSUER, cacheSeconds: 0, clock });

const own = (server: Server, client_secret: string): Promise<unknown> =>
  send(server, '/oauth/token', [{ type: 'own', client_id: 'robot' }], {
    form: { client_id: 'robot', client_secret, grant_type: 'client_credentials', scope: 'a' },
  });

/** The processes of this scenario have the clients in the store. */
const STORED = (host: Host): Options => ({ ...OPTIONS, clients: registry(host) });

export const ROTATED = scenario({
  name: "a client's secret is rotated, and it uses the old one",
  options: STORED,
  before: async (world) => {
    const { client_secret } = await registry({ store: world.logged, clock: () => world.now }).add(
      {
        client_id: 'robot',
        grant_types: ['client_credentials'],
        scope: 'a',
      },
      { generateSecret: true },
    );
    return String(client_secret);
  },
  acts: [
    own,
    (server) => {
      const { world, actor } = World.of(server);
      const clients = registry({ store: world.storeOf(actor), clock: () => world.now });
      return world.act(actor, [], () => clients.rotateSecret('robot', { overlap: 0 }));
    },
  ],
  also: async ({ outside }, old, [, rotated]) => {
    const next = String(Object(rotated).client_secret ?? '');
    if (next === '') return [];
    return [
      ...(isSuccess(await own(outside, old)) ? ['P2: a secret is accepted after it was rotated'] : []),
      ...(isSuccess(await own(outside, next)) ? [] : ['P3: the new secret of a client is refused']),
    ];
  },
});

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const assertion = (at: number): string => {
  const iat = Math.floor(at / 1000);
  const claims = { iss: 'signer', sub: 'signer', aud: ISSUER, jti: 'one', iat, exp: iat + 60 };
  const text = `${encode({ alg: 'ES256' })}.${encode(claims)}`;
  return `${text}.${sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
};

const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

const asserted = (server: Server, client_assertion: string): Promise<unknown> => {
  const form = { grant_type: 'client_credentials', scope: 'a', client_assertion_type: TYPE, client_assertion };
  const again = (at: Server): Promise<unknown> =>
    send(at, '/oauth/token', [{ type: 'own', client_id: 'signer' }, use], { form });
  const use: Use = {
    type: 'use',
    thing: 'assertion',
    text: client_assertion,
    client_id: 'signer',
    sub: 'client:signer',
    again,
  };
  return again(server);
};

export const ASSERTION = scenario({
  name: 'an assertion is sent to two processes',
  options: {
    ...OPTIONS,
    clients: [
      ...OPTIONS.clients,
      {
        client_id: 'signer',
        jwks: { keys: [publicKey.export({ format: 'jwk' })] },
        scope: 'a',
        grant_types: ['client_credentials'],
      },
    ],
  },
  before: async () => assertion(START),
  acts: [asserted, asserted],
});

const key = new ProofMaker();
const RESOURCE = `${ISSUER}/notes`;

/** A proof at a resource, which is remembered in the store. */
const proved = (
  server: Server,
  { token, proof }: { readonly token: string; readonly proof: string },
): Promise<unknown> => {
  const again = (at: Server): Promise<unknown> => {
    const { world, actor } = World.of(at);
    return world.act(actor, [use], async () => {
      const result = await at.check(token, { scope: 'a', proof: { jwt: proof, method: 'GET', url: RESOURCE } });
      return { status: result.authorization === undefined ? 401 : 200, headers: new Headers(), json: {}, text: '' };
    });
  };
  const use: Use = { type: 'use', thing: 'proof', text: proof, client_id: 'spa', again };
  return again(server);
};

const proofs = (name: string, nonce: boolean): Scenario =>
  scenario({
    name: `a proof ${name} is sent to two processes`,
    options: {
      ...OPTIONS,
      dpop: dpop({ replay: 'store' }),
      clients: [
        ...OPTIONS.clients,
        {
          client_id: 'spa',
          redirect_uris: [CALLBACK],
          scope: 'a',
          consent: 'skip',
          grant_types: ['authorization_code'],
        },
      ],
    },
    before: async ({ outside, now }) => {
      const iat = now / 1000;
      const challenge = {
        code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
        code_challenge_method: 'S256',
      };
      const code = codeIn(await authorize(outside, 'spa', challenge)) ?? '';
      const answer = await send(
        outside,
        '/oauth/token',
        [{ type: 'approve', sub: 'alice', client_id: 'spa', scope: 'a' }],
        {
          form: {
            client_id: 'spa',
            grant_type: 'authorization_code',
            code,
            redirect_uri: CALLBACK,
            code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
          },
          headers: { dpop: key.proof({ method: 'POST', url: `${ISSUER}/oauth/token`, iat }) },
        },
      );
      const { access_token: token } = tokensIn(answer);
      const given = nonce ? (answer.headers.get('dpop-nonce') ?? undefined) : undefined;
      // One with a nonce is valid as long as that, whatever the clock of its client says.
      const proof = key.proof({ method: 'GET', url: RESOURCE, iat: nonce ? iat - 30 : iat, token, nonce: given });
      return { token, proof };
    },
    acts: [proved, proved],
    also: async (world, given) => {
      world.now += 45 * SECOND;
      await proved(world.outside, given);
      const isUsed = world.history.some(({ about: [one], answer }) => one?.type === 'use' && isSuccess(answer));
      const isOpen = world.history.some(({ answer }) => answer === undefined || answer instanceof Error);
      return isUsed || isOpen ? [] : ['P3: a proof is refused that nobody has used'];
    },
  });

export const PROOFS: readonly Scenario[] = [proofs('without a nonce', false), proofs('with a nonce', true)];

const wrong = (path: string, form: Readonly<Record<string, string>>) => (server: Server) =>
  send(server, path, [], { form });

/** P11: those who have nothing. */
export const STRANGERS: readonly Scenario[] = [
  [
    'a wrong code',
    wrong('/oauth/token', {
      ...secretOf('app'),
      grant_type: 'authorization_code',
      code: 'x'.repeat(65),
      redirect_uri: CALLBACK,
    }),
  ] as const,
  [
    'a wrong secret',
    wrong('/oauth/token', {
      client_id: 'app',
      client_secret: `${SECRET}x`,
      grant_type: 'refresh_token',
      refresh_token: 'x',
    }),
  ] as const,
  [
    'an unknown client',
    wrong('/oauth/token', { client_id: 'nobody', grant_type: 'refresh_token', refresh_token: 'x' }),
  ] as const,
  ['a device that nobody answers', wrong('/oauth/device', { ...secretOf('tv'), scope: 'a' })] as const,
].map(([name, act]) =>
  scenario({
    name: `strangers send ${name}`,
    before: async (world) => {
      await tokensOf(world);
      return world.store.size;
    },
    acts: [act, act],
    also: async ({ store }, size) => (store.size > size + 6 ? [`P11: ${store.size - size} records of a stranger`] : []),
  }),
);

export type { About };
