import { generateKeyPairSync } from 'node:crypto';
import { openIdConnect } from 'oauth-query/openid';
import { scenario, type Scenario } from '../explore.js';
import type { Server } from '../history.js';
import { codeIn } from '../history.js';
import {
  CALLBACK,
  call,
  cookieOf,
  erase,
  OPTIONS,
  press,
  redeem,
  SECRET,
  send,
  shown,
  type Shown,
} from '../requests.js';
import type { Options, World } from '../world.js';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const { owner: _, loginUrl: __, ...WITHOUT_OWNER } = OPTIONS;

const USERS: Options = { ...WITHOUT_OWNER, users: [{ username: 'alice', password: 'wonderland' }] };

/** Clients that are told of a sign-out take it. */
const OPENID: Options = {
  ...USERS,
  openid: openIdConnect({ keys: [{ key: privateKey }], sendLogoutToken: async () => undefined }),
  clients: [
    {
      ...{ client_id: 'shop', client_secret: SECRET, redirect_uris: [CALLBACK], scope: 'openid a' },
      backchannel_logout_uri: 'https://shop.example/logout',
    },
    ...OPTIONS.clients.filter(({ client_id }) => client_id === 'api'),
  ],
};

const QUERY = new URLSearchParams({ response_type: 'code', client_id: 'shop', redirect_uri: CALLBACK, scope: 'a' });
const AUTHORIZE = `/oauth/authorize?${QUERY.toString()}`;

/** The page of sign-in, filled in. */
const signInForm = async (server: Server): Promise<Shown> => {
  const page = await shown(server, AUTHORIZE);
  return { ...page, fields: { ...page.fields, username: 'alice', password: 'wonderland' } };
};

const signIn = async (server: Server, { fields, cookie }: Shown): Promise<string> => {
  const answer = await send(server, '/oauth/authorize', [], { form: fields, cookie });
  return cookieOf(answer) || cookie;
};

/** The form that asks, for one who is signed in. */
const asked = async ({ outside }: World): Promise<Shown> => {
  const cookie = await signIn(outside, await signInForm(outside));
  return shown(outside, AUTHORIZE, undefined, cookie);
};

const signOut =
  ({ cookie }: Shown) =>
  (server: Server) =>
    call(server, [{ type: 'end', of: { session: cookie } }], ({ owners }) => owners.signOut('alice'));

const visit = (server: Server, { cookie }: Shown): Promise<unknown> =>
  send(server, '/oauth/grants', [{ type: 'session', session: cookie }], { cookie });

const withVisit = (given: Pick<Parameters<typeof scenario<Shown>>[0], 'name' | 'acts' | 'options'>): Scenario =>
  scenario<Shown>({
    ...given,
    before: asked,
    also: async ({ outside }, form) => {
      await visit(outside, form);
      return [];
    },
  });

export const SESSIONS: readonly Scenario[] = [
  withVisit({
    name: 'a form is approved, and its owner is signed out',
    options: USERS,
    acts: [(server, form) => press(server, form, 'approve'), (server, form) => signOut(form)(server)],
  }),
  withVisit({
    name: 'a session is used, and its owner is signed out',
    options: USERS,
    acts: [visit, (server, form) => signOut(form)(server)],
  }),
  withVisit({
    name: 'an owner is signed out twice',
    options: USERS,
    acts: [(server, form) => signOut(form)(server), (server, form) => signOut(form)(server)],
  }),
  withVisit({
    name: 'a form is approved, and its owner is erased',
    options: USERS,
    acts: [(server, form) => press(server, form, 'approve'), erase],
  }),
  scenario({
    name: 'a code is redeemed, and its owner is signed out',
    options: USERS,
    before: async (world: World) => {
      const form = await asked(world);
      return { form, code: codeIn(await press(world.outside, form, 'approve')) ?? '' };
    },
    acts: [(server, { code }) => redeem(server, code, 'shop'), (server, { form }) => signOut(form)(server)],
  }),
  scenario({
    name: 'clients are told of a sign-out, and its owner signs in again',
    options: OPENID,
    before: async (world: World) => {
      const form = await asked(world);
      await redeem(world.outside, codeIn(await press(world.outside, form, 'approve')) ?? '', 'shop');
      return { form, next: await signInForm(world.outside) };
    },
    acts: [(server, { form }) => signOut(form)(server), (server, { next }) => signIn(server, next)],
    also: async ({ outside }, { form }) => {
      await visit(outside, form);
      return [];
    },
  }),
];
