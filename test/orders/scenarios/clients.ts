import { generateKeyPairSync, sign } from 'node:crypto';
import { storedClients } from 'oauth-query/clients';
import { dpop } from 'oauth-query/dpop';
import { ProofMaker } from '../../features/dpop/keys.js';
import { scenario, type Scenario } from '../explore.js';
import { isAnswer, isSuccess, type Server, type Use } from '../history.js';
import { codeIn } from '../history.js';
import { authorize, introspect, OPTIONS, secretOf, send, tokensIn, tokensOf } from '../requests.js';
import { CALLBACK, SECRET } from '../requests.js';
import { PASSING } from '../steps.js';
import { type Host, ISSUER, type Options, SECOND, START, World } from '../world.js';
import { CHALLENGE, VERIFIER } from './codes.js';

const registry = ({ store, clock }: Pick<Host, 'store' | 'clock'>) =>
  storedClients(store, { issuer: ISSUER, cacheSeconds: 0, clock });

const own = (server: Server, client_secret: string): Promise<unknown> =>
  send(server, '/oauth/token', [{ type: 'own', client_id: 'robot' }], {
    form: { client_id: 'robot', client_secret, grant_type: 'client_credentials', scope: 'a' },
  });

/** The processes of this scenario have the clients in the store. */
const STORED = (host: Host): Options => ({ ...OPTIONS, clients: registry(host) });

const robotOf = async (world: World): Promise<string> => {
  const clients = registry({ store: world.logged, clock: () => world.now });
  const robot = { client_id: 'robot', grant_types: ['client_credentials'], scope: 'a' } as const;
  const { client_secret } = await clients.add(robot, { generateSecret: true });
  return String(client_secret);
};

export const ROTATED = scenario({
  name: "a client's secret is rotated, and it uses the old one",
  options: STORED,
  setup: (world) => robotOf(world),
  succeed: [1],
  requests: [
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
  except: [[PASSING, /^P3: the new secret/, 'a process that is run again for another moment draws another secret']],
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
  setup: async (world) => {
    world.now += 50 * SECOND; // Its last seconds.
    return assertion(START);
  },
  succeed: 'one',
  requests: [asserted, asserted],
  also: async (world, text) => {
    world.now += 20 * SECOND; // Its leeway.
    await asserted(world.outside, text);
    return [];
  },
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

/**
 * @param skew - How far the clock of the client is ahead, in seconds.
 * @param isOfProcess - Each process remembers the proofs that it has seen: one that has seen a proof refuses it.
 * @param age - Seconds until it is sent.
 */
const proofs = (name: string, nonce: boolean, skew = 0, isOfProcess = false, age = 0): Scenario =>
  scenario({
    name: `a proof ${name}`,
    options: {
      ...OPTIONS,
      features: [dpop({ replay: isOfProcess ? 'process' : 'store' })],
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
    setup: async (world) => {
      const { outside, now } = world;
      const iat = now / 1000;
      const code = codeIn(await authorize(outside, 'spa', CHALLENGE)) ?? '';
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
            code_verifier: VERIFIER,
          },
          headers: { dpop: key.proof({ method: 'POST', url: `${ISSUER}/oauth/token`, iat }) },
        },
      );
      const { access_token: token } = tokensIn(answer);
      const given = nonce ? (answer.headers.get('dpop-nonce') ?? undefined) : undefined;
      // One with a nonce is valid as long as that, whatever the clock of its client says.
      const proof = key.proof({ method: 'GET', url: RESOURCE, iat: iat + skew, token, nonce: given });
      world.now += age * SECOND;
      return { token, proof };
    },
    succeed: 'one',
    requests: isOfProcess ? [(server, { token }) => introspect(server, token)] : [proved, proved],
    also: async (world, given) => {
      if (isOfProcess) await proved(world.outside, given);
      world.now += 45 * SECOND;
      await proved(world.outside, given);
      const isUsed = world.history.some(({ about: [one], answer }) => one?.type === 'use' && isSuccess(answer));
      const isOpen = world.history.some(({ answer }) => answer === undefined || answer instanceof Error);
      return isUsed || isOpen ? [] : ['P3: a proof is refused that nobody has used'];
    },
    except: [
      [['lost', 'late'], /^P3: a proof/, 'it may have been remembered: its client makes another'],
      [PASSING, /^P3: a proof/, 'it has expired'],
      [['an hour ahead'], /^P6: refused once/, 'where it was refused, it had expired'],
    ],
  });

export const PROOFS: readonly Scenario[] = [
  proofs('without a nonce is sent to two processes', false),
  proofs('is sent to two processes after 45 s', false, 0, false, 45),
  proofs('with a nonce is sent to two processes', true, -30),
  proofs('with a nonce, of a client whose clock is an hour behind, is sent to two processes', true, -3600),
  proofs('with a nonce is sent to one process twice, the second time after its own time', true, -30, true),
];

const wrong = (path: string, form: Readonly<Record<string, string>>) => (server: Server) =>
  send(server, path, [], { form });

/** P11: those who have nothing. */
const STRANGE: readonly (readonly [string, ReturnType<typeof wrong>, ('each' | 'none')?])[] = [
  [
    'a wrong code',
    wrong('/oauth/token', {
      ...secretOf('app'),
      grant_type: 'authorization_code',
      code: 'x'.repeat(65),
      redirect_uri: CALLBACK,
    }),
  ],
  [
    'a wrong secret',
    wrong('/oauth/token', {
      client_id: 'app',
      client_secret: `${SECRET}x`,
      grant_type: 'refresh_token',
      refresh_token: 'x',
    }),
  ],
  [
    'an unknown client',
    wrong('/oauth/token', { client_id: 'nobody', grant_type: 'refresh_token', refresh_token: 'x' }),
  ],
  ['a device that nobody answers', wrong('/oauth/device', { ...secretOf('tv'), scope: 'a' }), 'each'],
];

export const STRANGERS: readonly Scenario[] = STRANGE.map(([name, act, succeed = 'none']) =>
  scenario({
    name: `strangers send ${name}`,
    setup: async (world) => {
      await tokensOf(world);
      return world.store.size;
    },
    succeed,
    requests: [act, act],
    also: async ({ store }, size) => (store.size > size + 6 ? [`P11: ${store.size - size} records of a stranger`] : []),
  }),
);

const guess = wrong('/oauth/token', {
  client_id: 'app',
  client_secret: `${SECRET}x`,
  grant_type: 'refresh_token',
  refresh_token: 'x',
});

/** However many processes there are, ten guesses are compared. */
export const GUESSES = scenario({
  name: 'a secret is guessed at, until no more guesses are compared',
  setup: async () => undefined,
  succeed: 'none',
  requests: [guess, guess],
  also: async (world) => {
    for (let count = 0; count < 12; count += 1) await guess(world.outside);
    const compared = world.history.filter(({ answer }) => isAnswer(answer) && answer.status === 401);
    return compared.length > 10 ? [`P11: ${compared.length} guesses were compared`] : [];
  },
  except: [[['61 s', 'an hour', '200 days', 'behind'], /^P11: 1[1-9] guesses/, 'they are of two windows']],
});

/** Right secrets use no guesses up. */
export const RIGHT = scenario({
  name: 'a right secret is used more often than a wrong one may be',
  options: STORED,
  setup: (world) => robotOf(world),
  succeed: 'each',
  requests: [own, own],
  also: async ({ outside }, secret) => {
    for (let count = 0; count < 12; count += 1)
      if (!isSuccess(await own(outside, secret))) return ['P3: a client is refused that has never been wrong'];
    return [];
  },
});
